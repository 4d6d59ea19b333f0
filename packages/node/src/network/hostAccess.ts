import { closeHostTo, hostResolvers } from '@vireo/network';
import type { GuestRange } from '../guests/range.ts';

/** Whether guests can reach what listens on this host for itself. */
export interface HostAccess {
  readonly isOpen: boolean;
  readonly reason: string;
  readonly message: string;
}

/** What guests with addresses of their own can reach is up to the rules of the network. */
export const ROUTED_ACCESS: HostAccess = {
  isOpen: false,
  reason: 'GuestsHaveAddresses',
  message: 'guests reach this node for DHCP, DNS and the API only',
};

const CLOSED: HostAccess = {
  isOpen: false,
  reason: 'Closed',
  message: 'guests reach neither the addresses of this host itself nor link-local addresses',
};

const OPEN = 'guests can reach all that listens on the loopback addresses of this host (at 10.0.2.2)';

/** Guests without users of their own cannot be told from other processes. */
export const openToRoot: HostAccess = {
  isOpen: true,
  reason: 'GuestsRunAsRoot',
  message: `${OPEN}, because they run as root; see docs/isolation.md`,
};

/** Guests of an ordinary user. `problem`: why they are in the network of the host. */
export const sessionAccess = (problem: string | undefined): HostAccess =>
  problem === undefined
    ? {
        isOpen: false,
        reason: 'OwnNetworkNamespace',
        message: 'guests reach neither the loopback addresses of this host nor link-local addresses',
      }
    : openTo('NoNetworkNamespace', problem);

const openTo = (reason: string, why: string): HostAccess => ({
  isOpen: true,
  reason,
  message: `${OPEN}: ${why}`,
});

/** Keeps the processes of guests that have users of their own from the host. `ids`: the ids of these users. */
export class ProcessRules {
  readonly #owner: string;
  readonly #ids: GuestRange;
  readonly #resolvers = hostResolvers(new Set());
  #loaded: string | undefined;

  constructor(owner: string, ids: GuestRange) {
    this.#owner = owner;
    this.#ids = ids;
  }

  /** Loads the rules, and says whether that did it. */
  async load(): Promise<HostAccess> {
    try {
      await this.reload();
      return CLOSED;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return openTo('NoNftables', `${why}. Install the package nftables, and give Vireo CAP_NET_ADMIN`);
    }
  }

  /** Loads them anew, because somebody has deleted them. */
  async reload(): Promise<void> {
    const resolvers = (await this.#resolvers()).map(({ address }) => address);
    const { first: firstUid, count } = this.#ids;
    await closeHostTo({ owner: this.#owner, firstUid, count, resolvers });
    this.#loaded = resolvers.join();
  }

  /** Follows the DNS servers of the host. */
  async refresh(): Promise<void> {
    const resolvers = (await this.#resolvers()).map(({ address }) => address);
    if (this.#loaded !== undefined && resolvers.join() !== this.#loaded) await this.reload();
  }
}
