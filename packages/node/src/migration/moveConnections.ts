import type { ReservedConnection } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import type { ChannelEnd } from './channels.ts';
import type { PeerCertificates } from './peerCertificates.ts';
import { type Peer, PeerSession } from './peerClient.ts';
import type { ChannelOffer } from './streamProtocol.ts';
import type { StreamThread } from './streamThread.ts';

/** What a move speaks with. */
export interface OpenConnections {
  /** libvirt of this node. */
  readonly libvirt: ReservedConnection;
  /** The agent of the target. */
  readonly target: PeerSession;
  /** Offers a channel to the target. */
  offer(
    channel: Pick<ChannelOffer, 'channel' | 'path' | 'user'>,
    onError: (error: unknown) => void,
  ): Promise<ChannelEnd>;
}

/** The connections of a move. They can be opened before it is certain that the guest moves. */
export class MoveConnections implements AsyncDisposable {
  readonly #libvirt: Promise<ReservedConnection>;
  readonly #target: Promise<Pick<OpenConnections, 'target' | 'offer'>>;

  /** `peer` is where the target listens now: an agent that was started again may have another port. */
  constructor(
    { peer, migrationUid }: { readonly peer: () => Peer; readonly migrationUid: string },
    { certificates, thread }: { readonly certificates: PeerCertificates; readonly thread: StreamThread },
    { libvirt }: Pick<NodeContext, 'libvirt'>,
    signal: AbortSignal,
  ) {
    thread.start();
    this.#libvirt = libvirt.reserve();
    this.#target = certificates.client().then((credentials) => {
      const target = new PeerSession(peer, credentials, migrationUid, signal);
      target.openAhead(1);
      return {
        target,
        offer: (channel, onError) => thread.offer({ ...channel, peer: peer(), credentials, migrationUid }, onError),
      };
    });
    // Who needs them learns why they are not there.
    for (const opening of [this.#libvirt, this.#target]) opening.catch(() => {});
  }

  async opened(): Promise<OpenConnections> {
    const [libvirt, target] = await Promise.all([this.#libvirt, this.#target]);
    return { libvirt, ...target };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([
      this.#target.then(({ target }) => target[Symbol.dispose]()),
      this.#libvirt.then((connection) => connection.close()),
    ]);
  }
}
