import { createHash } from 'node:crypto';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { NetworkBackend } from '@vireo/hypervisor';
import type { VmiStatus } from './conditions.ts';
import type { DomainView } from './domainView.ts';

/** A network card as the guest's agent sees it. */
export interface GuestCard {
  readonly name: string;
  readonly mac: string;
  readonly addresses: readonly string[];
}

/** How the cards of a machine are joined to the world: by QEMU's own network, with outbound access and DHCP. */
export function networkBackends(vmi: VirtualMachineInstance): Record<string, NetworkBackend> {
  const cards = vmi.spec.domain.devices.interfaces ?? [];
  return Object.fromEntries(cards.map(({ name }) => [name, { kind: 'user', mac: macAddress(vmi, name) }]));
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

/** The cards of a machine as its status tells: what libvirt has given it, and what its agent says of it. */
export function interfaceStatus(
  { spec }: VirtualMachineInstance,
  { cards }: DomainView,
  seen: readonly GuestCard[],
): InterfaceStatus {
  const isPodNetwork = (name: string): boolean =>
    spec.networks?.some((network) => network.name === name && network.pod) ?? false;
  return (spec.domain.devices.interfaces ?? []).flatMap(({ name }) => {
    const given = Object.hasOwn(cards, name) ? cards[name] : undefined;
    if (!given) return [];
    const card = seen.find((each) => each.mac.toLowerCase() === given.mac.toLowerCase());
    const [ipAddress] = card?.addresses ?? [];
    return [
      {
        name,
        ...given,
        infoSource: card ? 'domain, guest-agent' : 'domain',
        ...(isPodNetwork(name) && { podInterfaceName: POD_INTERFACE }),
        ...(card && { interfaceName: card.name }),
        ...(ipAddress && { ipAddress, ipAddresses: [...(card?.addresses ?? [])] }),
      },
    ];
  });
}
