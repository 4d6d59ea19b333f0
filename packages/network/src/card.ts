import type { Element, Fragment } from './nft/fragment.ts';
import { chain, device, ipv4, ipv6, mac, type Protocol, port } from './text.ts';

/** One port, or the ports from one to another. */
export interface PortRange {
  readonly protocol: Protocol;
  readonly first: number;
  readonly last?: number;
}

/** A guest's card in the pod network. */
export interface Card {
  /** The tap. */
  readonly device: string;
  readonly mac: string;
  readonly address: string;
  /** Its IPv6 address; missing where guests have none. */
  readonly address6?: string;
  /** The ports at which others reach the guest; all where missing. */
  readonly ports?: readonly PortRange[];
}

/** The rules for a card: as whom it may send, and at which ports it is reached. */
export function cardFragment(card: Card): Fragment {
  const tap = `"${device(card.device)}"`;
  const hardware = mac(card.mac);
  const address = ipv4(card.address);
  const sender = `${tap} . ${hardware} . ${address}`;
  const elements: Element[] = [
    { family: 'arp', set: 'taps', key: tap },
    { family: 'arp', set: 'senders', key: sender },
    { family: 'arp', set: 'probes', key: `${tap} . ${hardware}` },
    { family: 'inet', set: 'taps', key: tap },
    { family: 'inet', set: 'senders', key: sender },
    { family: 'inet', set: 'hairpin', key: `${address} . ${address}` },
  ];
  const address6 = card.address6 === undefined ? undefined : ipv6(card.address6);
  if (address6 !== undefined) {
    elements.push(
      { family: 'inet', set: 'cards6', key: `${tap} . ${hardware}` },
      { family: 'inet', set: 'senders6', key: `${tap} . ${hardware} . ${address6}` },
      { family: 'inet', set: 'hairpin6', key: `${address6} . ${address6}` },
    );
  }
  if (!card.ports) return { elements };
  const name = chain(`card/${address}`);
  const value = `jump ${name}`;
  elements.push({ family: 'inet', set: 'ports', key: address, value });
  if (address6 !== undefined) elements.push({ family: 'inet', set: 'ports6', key: address6, value });
  return {
    chains: {
      [name]: [
        ...card.ports.map(permit),
        'meta l4proto { icmp, ipv6-icmp } return',
        'ct state established,related return',
        'drop',
      ],
    },
    elements,
  };
}

const permit = ({ protocol, first, last }: PortRange): string =>
  `${protocol} dport ${last === undefined ? port(first) : `${port(first)}-${port(last)}`} return`;
