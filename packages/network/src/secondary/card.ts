import type { BridgeNetwork, MacvtapNetwork } from './config.ts';

/** A guest's card in a network besides the pod network, as the kernel of its node has it. */
export interface SecondaryCard {
  /** The tap. */
  readonly device: string;
  /** Whose it is, for whoever looks: `default/web`. */
  readonly vmi?: string;
  readonly mac: string;
  /** The size of its packets. */
  readonly mtu: number;
  /** Whether several processors may send at once. */
  readonly isMultiqueue?: boolean;
  readonly network: BridgeNetwork | MacvtapNetwork;
  /** Whether the bridge is one that we made. */
  readonly isOnOwnBridge?: boolean;
  /** What DHCP hands out. */
  readonly dhcp?: CardAddress;
}

/** The addresses of a card, of either family or both, and the number by which its DHCP messages are told from those of others. */
export interface CardAddress {
  readonly address?: string;
  readonly address6?: string;
  readonly number: number;
}

/** The numbers that cards may have: they stand in the place of a port. */
export const FIRST_NUMBER = 1024;
export const LAST_NUMBER = 65_535;
