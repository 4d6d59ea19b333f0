import { once } from 'node:events';
import { chmod, chown, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { GuestUser } from '../guests/range.ts';
import type { PeerChannel } from './peerClient.ts';

/** A socket on this host that leads to another node. */
export interface ChannelEnd {
  close(): Promise<void>;
}

/**
 * Listens on a unix socket, and carries whoever connects to what `open` opens. QEMU, which runs as the guest's user, may
 * connect, and nobody else.
 */
export async function offerChannel(
  path: string,
  user: GuestUser | undefined,
  open: () => Promise<PeerChannel>,
  onError: (error: unknown) => void,
): Promise<ChannelEnd> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await rm(path, { force: true });
  const sockets = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    open().then(
      (channel) => channel.join(socket),
      (error: unknown) => {
        onError(error);
        socket.destroy();
      },
    );
  });
  server.listen(path);
  await once(server, 'listening');
  await chmod(path, 0o600);
  if (user) await chown(path, user.uid, 0);
  return {
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      await rm(path, { force: true });
    },
  };
}
