import { open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { internalError } from '@vireo/api/errors.ts';
import { O_PATH_NOFOLLOW } from '../guests/ownFile.ts';

/** Connects, paused: what comes before somebody listens is kept. */
export async function dial(target: string | { host: string; port: number }): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = typeof target === 'string' ? connect(target) : connect(target);
  socket.once('connect', () => resolve(socket));
  socket.once('error', (error) => reject(internalError(`cannot reach the guest: ${error.message}`)));
  socket.pause();
  return promise;
}

/**
 * Connects to a socket that a guest's process has made itself. Where it lies the process can put anything, such as a
 * link to somebody else's socket, and we may connect to all of them: only one that is the guest's own is taken.
 */
export async function dialSocketOf(uid: number, path: string): Promise<Socket> {
  const found = await open(path, O_PATH_NOFOLLOW).catch((error: Error) => {
    throw internalError(`cannot reach the guest: ${error.message}`);
  });
  try {
    const stats = await found.stat();
    if (!stats.isSocket() || stats.uid !== uid)
      throw internalError(`cannot reach the guest: ${path} is not a socket of the guest's own`);
    return await dial(`/proc/self/fd/${found.fd}`);
  } finally {
    await found.close();
  }
}
