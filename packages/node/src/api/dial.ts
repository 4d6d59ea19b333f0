import { connect, type Socket } from 'node:net';
import { internalError } from '@vireo/api';

/** Connects, paused: what comes before somebody listens is kept. */
export async function dial(target: string | { host: string; port: number }): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = typeof target === 'string' ? connect(target) : connect(target);
  socket.once('connect', () => resolve(socket));
  socket.once('error', (error) => reject(internalError(`cannot reach the guest: ${error.message}`)));
  socket.pause();
  return promise;
}
