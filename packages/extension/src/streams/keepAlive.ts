import type { Clock } from '@vireo/kube';
import type { WebSocket } from 'ws';

const INTERVAL_MS = 30_000;

/**
 * Pings a connection, so that nothing on the way takes an idle console for a dead one. A peer that has not answered the
 * last ping when the next is due is gone.
 */
export function keepAlive(socket: WebSocket, clock: Clock): void {
  let isAlive = true;
  let cancel = (): void => {};
  const next = (): void => {
    cancel = clock.after(INTERVAL_MS, () => {
      if (!isAlive) return socket.terminate();
      // While we do not read from it, its response cannot arrive.
      isAlive = socket.isPaused;
      socket.ping();
      next();
    });
  };
  const heard = (): void => {
    isAlive = true;
  };
  socket.on('pong', heard);
  socket.on('message', heard);
  socket.once('close', () => cancel());
  next();
}
