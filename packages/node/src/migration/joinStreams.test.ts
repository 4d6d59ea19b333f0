import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Duplex, PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { joinStreams, MOST_PER_WRITE_BYTES, MOST_WAITING_BYTES } from './joinStreams.ts';

/** As much as a socket hands out at a time. */
const CHUNK = 64 * 1024;

let directory: string;
let server: Server;
beforeAll(async () => {
  directory = await mkdtemp('/tmp/vireo-join-');
  server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(join(directory, 'socket'));
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true, force: true });
});

/** The two ends of a connection. */
async function pair(): Promise<[Socket, Socket]> {
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const near = connect({ path: join(directory, 'socket'), allowHalfOpen: true });
  return [near, (await accepted)[0]];
}

it('carries bytes both ways, in order, and ends when both sides have ended', async () => {
  const [near, a] = await pair();
  const [far, b] = await pair();
  joinStreams(a, b);
  const [there, back] = [randomBytes(3_000_000), randomBytes(70_001)];
  for (let at = 0; at < there.length; at += 16_384) near.write(there.subarray(at, at + 16_384));
  near.end();
  far.end(back);
  expect(Buffer.compare(await buffer(far), there)).toBe(0);
  expect(Buffer.compare(await buffer(near), back)).toBe(0);
});

it('hands on what has come in pieces, so that the next in line can begin', async () => {
  const from = new PassThrough({ highWaterMark: 4 * MOST_WAITING_BYTES });
  const sizes: number[] = [];
  const to = new Duplex({
    highWaterMark: 4 * MOST_WAITING_BYTES,
    read() {},
    writev(chunks, done) {
      sizes.push(chunks.reduce((sum, { chunk }) => sum + chunk.length, 0));
      setImmediate(done);
    },
  });
  const all = MOST_WAITING_BYTES - CHUNK;
  for (let at = 0; at < all; at += CHUNK) from.write(Buffer.alloc(CHUNK));
  joinStreams(from, to);
  await expect.poll(() => sizes.reduce((sum, size) => sum + size, 0)).toBe(all);
  // Not chunk by chunk either.
  expect(sizes[0]).toBe(MOST_PER_WRITE_BYTES);
  expect(sizes.length).toBeLessThan(all / CHUNK);
});

it('waits for a side that takes nothing', async () => {
  const [near, a] = await pair();
  const [far, b] = await pair();
  far.pause();
  joinStreams(a, b);
  const sent = randomBytes(8 * MOST_WAITING_BYTES);
  near.end(sent);
  await expect.poll(() => a.isPaused()).toBe(true);
  // One turn of the event loop reads what comes with it.
  expect(b.writableLength).toBeLessThan(2 * MOST_WAITING_BYTES);
  expect(Buffer.compare(await buffer(far), sent)).toBe(0);
  far.end();
});

it('breaks one side off when the other is lost', async () => {
  const [, a] = await pair();
  const [far, b] = await pair();
  joinStreams(a, b);
  far.resume();
  const closed = once(far, 'close');
  a.destroy();
  await once(b, 'close');
  far.end();
  await closed;
});
