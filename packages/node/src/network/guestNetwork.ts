import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { NetworkBackend } from '@vireo/hypervisor';

/** What guests get as pod network on a node, and why. */
export interface NetworkKind {
  /** `routed`: an address of its own. `user`: QEMU's user networking, behind the address of the node. */
  readonly kind: 'routed' | 'user';
  readonly reason: string;
  readonly message: string;
}

/** How the guests of a node are joined to the pod network. */
export interface GuestNetwork {
  describe(): NetworkKind;
  /** Connects an interface of a VMI, before its guest starts. Twice gives the same. */
  join(vmi: Vmi, iface: string, mac: string): Promise<NetworkBackend>;
  /** Has packets for a VMI go to its card here: its guest has come from another node. Twice gives the same. */
  arrive(uid: string): Promise<void>;
  /** The address of a VMI in the pod network; undefined where it has none of its own. */
  addressOf(uid: string): string | undefined;
  /** All of its addresses in the pod network, that one first. */
  addressesOf(uid: string): readonly string[];
  /** Removes all that a VMI has, or one interface of it. */
  leave(uid: string, iface?: string): Promise<void>;
}

/** QEMU's user networking for all guests: what a node has that may not make devices. */
export const userNetwork = (reason: string, message: string): GuestNetwork => ({
  describe: () => ({ kind: 'user', reason, message }),
  join: async (_vmi, _iface, mac) => ({ kind: 'user', mac }),
  arrive: async () => {},
  addressOf: () => undefined,
  addressesOf: () => [],
  leave: async () => {},
});

/** The same network, which says something more of itself. */
export const withNote = <T extends Pick<GuestNetwork, 'describe'>>(network: T, note: string | undefined): T => {
  if (note === undefined) return network;
  return {
    ...network,
    describe: () => {
      const kind = network.describe();
      return { ...kind, message: `${kind.message}; ${note}` };
    },
  };
};
