import { createHash } from 'node:crypto';
import type { Network } from '@vireo/api/kinds/kubevirt/network.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { NetworkBackend } from '@vireo/hypervisor';
import { VolumeError } from '../disks/volumeError.ts';
import type { GuestNetwork } from '../network/guestNetwork.ts';
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

/** Finds the bridge that a network of the node stands for. */
export type FindBridge = (network: Network) => Promise<{ readonly bridge: string; readonly mtu?: number }>;

/**
 * How the interfaces of a VMI are joined to the world: to the pod network as the node has it, to others by bridges of the
 * node.
 */
export async function networkBackends(
  vmi: Vmi,
  findBridge: FindBridge,
  network: Pick<GuestNetwork, 'join'>,
): Promise<Record<string, NetworkBackend>> {
  const backends: Record<string, NetworkBackend> = {};
  for (const { name, state } of vmi.spec.domain.devices.interfaces ?? [])
    if (state !== 'absent') backends[name] = await connectInterface(vmi, name, findBridge, network);
  return backends;
}

/** Connects one interface of a VMI to its network. Twice gives the same. */
export async function connectInterface(
  vmi: Vmi,
  name: string,
  findBridge: FindBridge,
  network: Pick<GuestNetwork, 'join'>,
): Promise<NetworkBackend> {
  const mac = macAddress(vmi, name);
  const wanted = vmi.spec.networks?.find((each) => each.name === name);
  if (wanted?.resourceClaim) throw new NetworkError(name, 'this node has no network devices to claim');
  return wanted?.multus ? { kind: 'bridge', mac, ...(await findBridge(wanted)) } : await network.join(vmi, name, mac);
}

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

/**
 * The interfaces of a VMI as its status tells: what libvirt has given it, and what its agent says of it. What the guest
 * has made itself, such as a bridge within it, only the agent knows.
 */
export function interfaceStatus(
  { spec }: VirtualMachineInstance,
  { interfaces }: DomainView,
  seen: readonly GuestInterface[],
  podAddress?: string,
): InterfaceStatus {
  const isOf = (name: string, kind: 'pod' | 'multus'): boolean =>
    spec.networks?.some((network) => network.name === name && network[kind]) ?? false;
  const isPodNetwork = (name: string): boolean => isOf(name, 'pod');
  const isSame = (mac: string, other: string): boolean => mac.toLowerCase() === other.toLowerCase();
  const names = (spec.domain.devices.interfaces ?? []).map(({ name }) => name);
  // One that has left the spec is told of until the guest has let go of it.
  const given = [...new Set([...names, ...Object.keys(interfaces)])].flatMap((name) => {
    const iface = Object.hasOwn(interfaces, name) ? interfaces[name] : undefined;
    if (!iface) return [];
    const within = seen.find(({ mac }) => isSame(mac, iface.mac));
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
        ...(podAddress !== undefined && isPodNetwork(name) && { ipAddress: podAddress, ipAddresses: [podAddress] }),
        ...(within && guestAgentFields(within, isPodNetwork(name) ? podAddress : undefined)),
      },
    ];
  });
  const own = seen
    .filter((iface) => !Object.values(interfaces).some(({ mac }) => isSame(mac, iface.mac)))
    .map((iface) => ({ ...(iface.mac && { mac: iface.mac }), infoSource: 'guest-agent', ...guestAgentFields(iface) }));
  return [...given, ...own];
}

/** `first`: the address that the network gave it, which comes before what the guest has added. */
function guestAgentFields({ name, addresses: seen }: GuestInterface, first?: string): Partial<InterfaceStatus[number]> {
  const addresses = first === undefined ? seen : [first, ...seen.filter((address) => address !== first)];
  const [ipAddress] = addresses;
  return { interfaceName: name, ...(ipAddress && { ipAddress, ipAddresses: [...addresses] }) };
}
