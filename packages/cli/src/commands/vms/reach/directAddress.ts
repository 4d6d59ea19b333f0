import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstance as Vmis } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { routeDevice } from '@vireo/network';
import { forwardTarget } from '@vireo/node/api/forwardTarget.ts';
import { tapName } from '@vireo/node/network/addresses.ts';
import type { Connection } from '../connection.ts';
import { meanings, type VmTarget } from '../forwardArguments.ts';
import { hasGuestNetwork, hostNetwork } from './hostNetwork.ts';

/** A port of a guest, as connections to it are asked for. */
export interface GuestPort {
  readonly port: number;
  readonly protocol: 'tcp' | 'udp';
}

/**
 * The address at which this host reaches a port of a guest by itself; undefined where the way is through the API.
 *
 * That an address answers proves nothing: the network of this host, or another Vireo on it, may use the same ranges, and
 * whoever logs in there types a password into somebody else's machine. Two things prove it:
 * - The guest's card is here. Its device is named after the UID of the VMI, which no other cluster has.
 * - This host is a node of the cluster, and sends to the address by its device to the other nodes.
 * Ports that the VMI's interface does not list are left to the API, which refuses them and says why.
 */
export async function directAddress(
  connection: Connection,
  target: VmTarget,
  { port, protocol }: GuestPort,
): Promise<string | undefined> {
  if (!(await hasGuestNetwork())) return undefined;
  // Whoever may not read the VMI gets the reason from the API, too.
  const vmi = await findVmi(connection, target).catch(() => undefined);
  const card = vmi && cardOf(vmi, { port, protocol });
  if (!card) return undefined;
  const device = await routeDevice(card.address);
  if (device === undefined) return undefined;
  if (device === card.device) return card.address;
  // Another node applies its policies to this one, and datagrams would be lost without a word.
  if (protocol === 'udp') return undefined;
  const network = await hostNetwork(connection);
  return network && device.startsWith(`${network.device}-`) ? card.address : undefined;
}

/** The instance that a target names. What a VM's name means is its own instance, not another of the same name. */
async function findVmi(connection: Connection, target: VmTarget): Promise<VirtualMachineInstance | undefined> {
  for (const { resource, name, namespace = connection.namespace } of meanings(target)) {
    const vmi = await connection.client.of(Vmis).find(name, { namespace });
    const isOwned = vmi?.metadata.ownerReferences?.some(({ kind }) => kind === 'VirtualMachine');
    if (vmi && (resource === 'virtualmachineinstances' || isOwned)) return vmi;
  }
  return undefined;
}

/** The address of a VMI on the pod network, and the device that its node has for it; undefined if others cannot have the port. */
export function cardOf(
  vmi: VirtualMachineInstance,
  { port, protocol }: GuestPort,
): { address: string; device: string } | undefined {
  const way = forwardTarget(vmi, port, protocol);
  if ('refusal' in way || vmi.status?.phase !== 'Running') return undefined;
  const { ipAddress: address } = vmi.status.interfaces?.find(({ name }) => name === way.iface) ?? {};
  const { uid } = vmi.metadata;
  return address && uid ? { address, device: tapName(uid, way.iface) } : undefined;
}
