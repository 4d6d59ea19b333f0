import { once } from 'node:events';
import type { Socket } from 'node:net';

/** What the other side says when it has received everything. */
export const RECEIVED = 'received';

/** How long the other side may take for anything: it may be an emulated guest on a busy host. */
export const PATIENCE_MS = 60_000;

const CHUNK = Buffer.alloc(256 * 1024);

/** What went through a connection, and how long it took. */
export interface Transfer {
  readonly bytes: number;
  readonly seconds: number;
}

/** Mbit/s. */
export const rateOf = ({ bytes, seconds }: Transfer): number => (bytes * 8) / seconds / 1e6;

const since = (startedAt: number): number => (performance.now() - startedAt) / 1000;

/** Receives for so long, from the first byte on. */
export async function receive(socket: Socket, seconds: number): Promise<Transfer> {
  await nextData(socket);
  const startedAt = performance.now();
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  const ended = once(socket, 'close');
  setTimeout(() => socket.destroy(), seconds * 1000);
  await ended;
  return { bytes, seconds: since(startedAt) };
}

/** Sends for so long, and waits until the other side has everything. */
export async function send(socket: Socket, seconds: number): Promise<Transfer> {
  const received = nextData(socket);
  const startedAt = performance.now();
  let bytes = 0;
  while (since(startedAt) < seconds) {
    bytes += CHUNK.length;
    if (!socket.write(CHUNK)) await once(socket, 'drain');
  }
  socket.end();
  const answer = await received;
  const transfer = { bytes, seconds: since(startedAt) };
  if (!answer.toString().startsWith(RECEIVED)) throw new Error(`the other side said ${answer} instead of ${RECEIVED}`);
  socket.destroy();
  return transfer;
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
