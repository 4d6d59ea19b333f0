import type { GuestUser } from '../guests/range.ts';
import type { PeerCredentials } from './peerCertificates.ts';
import type { Peer } from './peerClient.ts';
import type { Channel } from './peerProtocol.ts';

/** A channel that the thread is to offer to a guest's QEMU, and where it leads. */
export interface ChannelOffer {
  /** Where QEMU connects to. */
  readonly path: string;
  /** Whose process it is. */
  readonly user: GuestUser | undefined;
  readonly peer: Peer;
  readonly credentials: PeerCredentials;
  readonly migrationUid: string;
  readonly channel: Channel;
}

/** Where a guest's QEMU listens for a channel. `uid`: whose socket it has to be. */
export interface ChannelSocket {
  readonly path: string;
  readonly uid: number | undefined;
}
