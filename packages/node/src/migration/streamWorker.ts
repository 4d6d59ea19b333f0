import { parentPort } from 'node:worker_threads';
import { dial, dialSocketOf } from '../api/dial.ts';
import { offerChannel } from './channels.ts';
import type { PeerCredentials } from './peerCertificates.ts';
import { PeerSession } from './peerClient.ts';
import { listenForPeers, type PeerServer } from './peerServer.ts';
import type { ChannelOffer, ChannelSocket } from './streamProtocol.ts';
import { copyable, ThreadCalls } from './threadCalls.ts';

// What this thread imports is what its heap has: keep it small.

if (parentPort === null) throw new Error('streamWorker.ts is a worker thread: use streamThread.ts');

const closing = new Map<number, () => Promise<void>>();

const report = (id: number, path: string, error: unknown): void => void agent.call('failed', id, path, copyable(error));

const agent: ThreadCalls = new ThreadCalls(parentPort, {
  listen: async (id: number, address: string, credentials: PeerCredentials): Promise<number> => {
    const server: PeerServer = await listenForPeers(
      address,
      credentials,
      {
        call: (...asked) => agent.call('answer', id, ...asked),
        open: async (...asked) => {
          const { path, uid } = await agent.call<ChannelSocket>('open', id, ...asked);
          return uid === undefined ? dial(path) : dialSocketOf(uid, path);
        },
      },
      (path, error) => report(id, path, error),
    );
    closing.set(id, () => server.close());
    return server.port;
  },

  offer: async (id: number, offer: ChannelOffer): Promise<void> => {
    const { path, user, peer, credentials, migrationUid, channel } = offer;
    const session = new PeerSession(() => peer, credentials, migrationUid);
    session.openAhead(1);
    const open = () => session.openChannel(channel);
    const end = await offerChannel(path, user, open, (error) => report(id, path, error));
    closing.set(id, async () => {
      session[Symbol.dispose]();
      await end.close();
    });
  },

  close: async (id: number): Promise<void> => {
    const close = closing.get(id);
    closing.delete(id);
    await close?.();
  },
});
