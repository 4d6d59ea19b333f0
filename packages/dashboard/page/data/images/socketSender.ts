import { refusedFrom } from '../refused.ts';
import { PIECE_BYTES, type Sending } from './sending.ts';

/** So much may be on its way: enough to keep a fast connection busy, little enough for a pause to be felt at once. */
const MOST_UNDER_WAY_BYTES = 8 * PIECE_BYTES;

/** What `vireo dashboard` says: how much the server has taken, or how it ended. */
interface Told {
  readonly taken?: number;
  readonly status?: number;
  readonly message?: string;
}

/** Sends through `vireo dashboard`, which takes pieces from a WebSocket as fast as the server takes them from it. */
export async function sendOverSocket({ file, token, gate, signal, onSent }: Sending): Promise<void> {
  signal.throwIfAborted();
  const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/dashboard/uploads`);
  const ended = Promise.withResolvers<void>();
  // It is awaited at the end; until then, that it failed must not count as nobody's.
  ended.promise.catch(() => {});
  let taken = 0;
  let heard = Promise.withResolvers<void>();
  let isOver = false;
  const over = (end: () => void): void => {
    isOver = true;
    end();
    heard.resolve();
  };
  const opened = Promise.withResolvers<void>();
  const abort = (): void => over(() => ended.reject(signal.reason));
  signal.addEventListener('abort', abort, { once: true });
  socket.onopen = () => opened.resolve();
  socket.onmessage = ({ data }) => {
    const told = JSON.parse(String(data)) as Told;
    if (told.taken !== undefined) taken = told.taken;
    if (told.status === 200) over(ended.resolve);
    else if (told.status !== undefined) over(() => ended.reject(refusedFrom(told.status ?? 0, told.message ?? '')));
    onSent(taken);
    heard.resolve();
    heard = Promise.withResolvers<void>();
  };
  socket.onclose = () => {
    opened.resolve();
    over(() => ended.reject(new Error('The connection to vireo dashboard was cut.')));
  };
  try {
    await opened.promise;
    if (!isOver) socket.send(JSON.stringify({ token, bytes: file.size }));
    for (let at = 0; at < file.size && !isOver; ) {
      // Whoever waits at the gate still hears that the server has hung up.
      await Promise.race([gate.pass(signal), ended.promise]);
      while (!isOver && at - taken >= MOST_UNDER_WAY_BYTES) await heard.promise;
      if (isOver || !gate.isOpen) continue;
      const piece = file.slice(at, at + PIECE_BYTES);
      socket.send(await piece.arrayBuffer());
      at += piece.size;
    }
    await ended.promise;
  } finally {
    signal.removeEventListener('abort', abort);
    socket.close();
  }
}
