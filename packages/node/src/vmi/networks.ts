import { createHash } from 'node:crypto';
import type { Network } from '@vireo/api/kinds/kubevirt/network.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { NetworkBackend } from '@vireo/hypervisor';
import type { NodeContext } from '../context.ts';
import { VolumeError } from '../disks/volumeError.ts';
import type { GuestNetwork } from '../network/guestNetwork.ts';
import { podInterfaceName } from '../network/secondary/names.ts';
import type { SecondaryNetworks } from '../network/secondary/secondaryNetworks.ts';
import type { DomainView } from './domainView.ts';

/** A network interface as the guest's agent sees it. */
export interface GuestInterface {
  readonly name: string;
  readonly mac: string;
  readonly addresses: readonly string[];
}

/** A network that a VMI cannot be joined to now. */
export class NetworkError extends VolumeError {
  constructor(network: string, message: string, options?: ErrorOptions) {
    super('CreateContainerConfigError', `network ${JSON.stringify(network)}: ${message}`, options);
    this.name = 'NetworkError';
  }
}

/** The networks of a node that interfaces are connected to. */
export interface NodeNetworks {
  readonly network: Pick<GuestNetwork, 'join'>;
  readonly secondaryNetworks: Pick<SecondaryNetworks, 'connect'>;
}

/** Connects the interfaces of a VMI to their networks, before its guest starts. Twice gives the same. */
export async function networkBackends(vmi: Vmi, networks: NodeNetworks): Promise<Record<string, NetworkBackend>> {
  const backends: Record<string, NetworkBackend> = {};
  for (const { name, state } of vmi.spec.domain.devices.interfaces ?? [])
    if (state !== 'absent') backends[name] = await connectInterface(vmi, name, networks);
  return backends;
}

/** Connects one interface of a VMI to its network, before its guest has it. Twice gives the same. */
export async function connectInterface(
  vmi: Vmi,
  name: string,
  { network, secondaryNetworks }: NodeNetworks,
): Promise<NetworkBackend> {
  const wanted = vmi.spec.networks?.find((each) => each.name === name);
  if (wanted?.resourceClaim) throw new NetworkError(name, 'this node has no network devices to claim');
  if (!wanted?.multus) return network.join(vmi, name, macAddress(vmi, name));
  const mac = cardMac(vmi, name);
  if (!MAC.test(mac)) throw new NetworkError(name, `${JSON.stringify(mac)} is not a MAC address`);
  return secondaryNetworks.connect(vmi, wanted, mac);
}

/** How one interface of a running VMI would be connected to the network that its spec names now. Nothing is changed. */
export function plannedBackend(
  vmi: Vmi,
  network: Network,
  { secondaryNetworks }: { readonly secondaryNetworks: Pick<SecondaryNetworks, 'plan'> },
): Promise<NetworkBackend> {
  return secondaryNetworks.plan(vmi, network, cardMac(vmi, network.name));
}

/** Removes what connects one interface of a VMI, which its guest must not have any more. */
export async function disconnectInterface(
  uid: string,
  iface: string,
  { network, secondaryNetworks }: Pick<NodeContext, 'network' | 'secondaryNetworks'>,
): Promise<void> {
  await network.leave(uid, iface);
  await secondaryNetworks.disconnect(uid, iface);
}

/** The hardware address of an interface: its own, or the one that it gets here. */
export function cardMac(vmi: Vmi, iface: string): string {
  const own = vmi.spec.domain.devices.interfaces?.find(({ name }) => name === iface)?.macAddress;
  return (own || macAddress(vmi, iface)).toLowerCase().replaceAll('-', ':');
}

const MAC = /^[\da-f]{2}(:[\da-f]{2}){5}$/;

/** One address for one interface of one VMI, so that nobody has to remember it. */
export function macAddress({ metadata }: VirtualMachineInstance, iface: string): string {
  const hash = createHash('sha256').update(`${metadata.uid}/${iface}`).digest();
  // Locally administered, and nobody's group address.
  const bytes = [0x02, ...hash.subarray(0, 5)];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** What the pod network is called in every launcher. */
const POD_INTERFACE = 'eth0';

type InterfaceStatus = NonNullable<VmiStatus['interfaces']>;

/** The addresses that interfaces have in networks besides the pod network, by name. */
export type SecondaryAddresses = Readonly<Record<string, readonly string[]>>;

/**
 * The interfaces of a VMI as its status tells: what libvirt and its networks have given it, and what its agent says of it.
 * What the guest has made itself, such as a bridge within it, only the agent knows.
 */
export function interfaceStatus(
  { spec }: VirtualMachineInstance,
  { interfaces }: DomainView,
  seen: readonly GuestInterface[],
  podAddresses: readonly string[] = [],
  secondaryAddresses: SecondaryAddresses = {},
): InterfaceStatus {
  const isOf = (name: string, kind: 'pod' | 'multus'): boolean =>
    spec.networks?.some((network) => network.name === name && network[kind]) ?? false;
  const isPodNetwork = (name: string): boolean => isOf(name, 'pod');
  const addressesOf = (name: string): readonly string[] => {
    if (isPodNetwork(name)) return podAddresses;
    return Object.hasOwn(secondaryAddresses, name) ? (secondaryAddresses[name] ?? []) : [];
  };
  const isSame = (mac: string, other: string): boolean => mac.toLowerCase() === other.toLowerCase();
  const names = (spec.domain.devices.interfaces ?? []).map(({ name }) => name);
  // One that has left the spec is told of until the guest has let go of it.
  const given = [...new Set([...names, ...Object.keys(interfaces)])].flatMap((name) => {
    const iface = Object.hasOwn(interfaces, name) ? interfaces[name] : undefined;
    if (!iface) return [];
    const within = seen.find(({ mac }) => isSame(mac, iface.mac));
    const addresses = addressesOf(name);
    return [
      {
        name,
        mac: iface.mac,
        linkState: iface.linkState,
        queueCount: iface.queueCount,
        infoSource: [
          'domain',
          ...(within ? ['guest-agent'] : []),
          ...(isOf(name, 'multus') ? ['multus-status'] : []),
        ].join(', '),
        ...(isPodNetwork(name) && { podInterfaceName: POD_INTERFACE }),
        ...(isOf(name, 'multus') && { podInterfaceName: podInterfaceName(name) }),
        ...addressFields(addresses),
        ...(within && guestAgentFields(within, addresses)),
      },
    ];
  });
  const own = seen
    .filter((iface) => !Object.values(interfaces).some(({ mac }) => isSame(mac, iface.mac)))
    .map((iface) => ({ ...(iface.mac && { mac: iface.mac }), infoSource: 'guest-agent', ...guestAgentFields(iface) }));
  return [...given, ...own];
}

/** `given`: the addresses that the network gave it, which come before what the guest has added. */
const guestAgentFields = (
  { name, addresses: seen }: GuestInterface,
  given: readonly string[] = [],
): Partial<InterfaceStatus[number]> => ({
  interfaceName: name,
  ...addressFields([...new Set([...given, ...seen])]),
});

const addressFields = (addresses: readonly string[]): Partial<InterfaceStatus[number]> =>
  addresses[0] ? { ipAddress: addresses[0], ipAddresses: [...addresses] } : {};
