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
  addressOf: () => undefined,
  addressesOf: () => [],
  leave: async () => {},
});
