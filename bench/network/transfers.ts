import { once } from 'node:events';
import type { Socket } from 'node:net';

/** What the other side says when it has received everything. */
export const RECEIVED = 'received';

/** How long the other side may take for anything: it may be an emulated guest on a busy host. */
export const PATIENCE_MS = 60_000;

const CHUNK = Buffer.alloc(256 * 1024);

const since = (startedAt: number): number => (performance.now() - startedAt) / 1000;
const megabits = (bytes: number, seconds: number): number => (bytes * 8) / seconds / 1e6;

/** Receives for so long, from the first byte on; resolves with Mbit/s. */
export async function receiveRate(socket: Socket, seconds: number): Promise<number> {
  await nextData(socket);
  const startedAt = performance.now();
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  const ended = once(socket, 'close');
  setTimeout(() => socket.destroy(), seconds * 1000);
  await ended;
  return megabits(bytes, since(startedAt));
}

/** Sends for so long, and waits until the other side has everything; resolves with Mbit/s. */
export async function sendRate(socket: Socket, seconds: number): Promise<number> {
  const received = nextData(socket);
  const startedAt = performance.now();
  let bytes = 0;
  while (since(startedAt) < seconds) {
    bytes += CHUNK.length;
    if (!socket.write(CHUNK)) await once(socket, 'drain');
  }
  socket.end();
  const answer = await received;
  const rate = megabits(bytes, since(startedAt));
  if (!answer.toString().startsWith(RECEIVED)) throw new Error(`the other side said ${answer} instead of ${RECEIVED}`);
  socket.destroy();
  return rate;
}

/** Has one byte go to and fro, again and again; resolves with milliseconds for one time. */
export async function roundTripMs(socket: Socket, count: number): Promise<number> {
  socket.setNoDelay();
  const goAndReturn = async (): Promise<void> => {
    const answer = nextData(socket);
    socket.write('x');
    await answer;
  };
  await goAndReturn();
  const startedAt = performance.now();
  for (let number = 0; number < count; number++) await goAndReturn();
  const ms = (since(startedAt) * 1000) / count;
  socket.destroy();
  return ms;
}

async function nextData(socket: Socket): Promise<Buffer> {
  const [data] = (await once(socket, 'data', { signal: AbortSignal.timeout(PATIENCE_MS) })) as [Buffer];
  return data;
}

/** The mean of what `ping -q` says, in milliseconds; undefined where nobody answered. */
export function pingMs(output: string): number | undefined {
  const [, mean] = /= [\d.]+\/([\d.]+)\//.exec(output) ?? [];
  return mean === undefined ? undefined : Number(mean);
}
