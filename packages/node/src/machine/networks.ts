import { createHash } from 'node:crypto';
import type { Network } from '@vireo/api/kinds/kubevirt/network.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { NetworkBackend } from '@vireo/hypervisor';
import { VolumeError } from '../disks/volumeError.ts';
import type { DomainView } from './domainView.ts';

/** A network card as the guest's agent sees it. */
export interface GuestCard {
  readonly name: string;
  readonly mac: string;
  readonly addresses: readonly string[];
}

/** A network that a machine cannot be joined to now. */
export class NetworkError extends VolumeError {
  constructor(network: string, message: string, options?: ErrorOptions) {
    super('CreateContainerConfigError', `network ${JSON.stringify(network)}: ${message}`, options);
    this.name = 'NetworkError';
  }
}

/** Finds the bridge that a network of the node stands for. */
export type FindBridge = (network: Network) => Promise<{ readonly bridge: string; readonly mtu?: number }>;

/**
 * How the cards of a machine are joined to the world: to the pod network by QEMU's own, with outbound access and DHCP;
 * to others by bridges of the node.
 */
export async function networkBackends(
  vmi: VirtualMachineInstance,
  findBridge: FindBridge,
): Promise<Record<string, NetworkBackend>> {
  const backends: Record<string, NetworkBackend> = {};
  for (const { name, state } of vmi.spec.domain.devices.interfaces ?? []) {
    if (state === 'absent') continue;
    const mac = macAddress(vmi, name);
    const network = vmi.spec.networks?.find((each) => each.name === name);
    if (network?.resourceClaim) throw new NetworkError(name, 'this node has no network devices to claim');
    backends[name] = network?.multus ? { kind: 'bridge', mac, ...(await findBridge(network)) } : { kind: 'user', mac };
  }
  return backends;
}

/** One address for one card of one machine, so that nobody has to remember it. */
export function macAddress({ metadata }: VirtualMachineInstance, card: string): string {
  const hash = createHash('sha256').update(`${metadata.uid}/${card}`).digest();
  // Locally administered, and nobody's group address.
  const bytes = [0x02, ...hash.subarray(0, 5)];
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** What the pod network is called in every launcher. */
const POD_INTERFACE = 'eth0';

type InterfaceStatus = NonNullable<VmiStatus['interfaces']>;

/**
 * The cards of a machine as its status tells: what libvirt has given it, and what its agent says of it. What the guest
 * has made itself, such as a bridge within it, only the agent knows.
 */
export function interfaceStatus(
  { spec }: VirtualMachineInstance,
  { cards }: DomainView,
  seen: readonly GuestCard[],
): InterfaceStatus {
  const isPodNetwork = (name: string): boolean =>
    spec.networks?.some((network) => network.name === name && network.pod) ?? false;
  const isSame = (mac: string, other: string): boolean => mac.toLowerCase() === other.toLowerCase();
  const given = (spec.domain.devices.interfaces ?? []).flatMap(({ name }) => {
    const card = Object.hasOwn(cards, name) ? cards[name] : undefined;
    if (!card) return [];
    const within = seen.find(({ mac }) => isSame(mac, card.mac));
    return [
      {
        name,
        mac: card.mac,
        linkState: card.linkState,
        queueCount: card.queueCount,
        infoSource: within ? 'domain, guest-agent' : 'domain',
        ...(isPodNetwork(name) && { podInterfaceName: POD_INTERFACE }),
        ...(within && asGuestSees(within)),
      },
    ];
  });
  const own = seen
    .filter((card) => !Object.values(cards).some(({ mac }) => isSame(mac, card.mac)))
    .map((card) => ({ ...(card.mac && { mac: card.mac }), infoSource: 'guest-agent', ...asGuestSees(card) }));
  return [...given, ...own];
}

function asGuestSees({ name, addresses }: GuestCard): Partial<InterfaceStatus[number]> {
  const [ipAddress] = addresses;
  return { interfaceName: name, ...(ipAddress && { ipAddress, ipAddresses: [...addresses] }) };
}
