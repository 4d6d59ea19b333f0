import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinHeeding, joinTelling, reader } from './acknowledged.ts';
import { MOST_WAITING_BYTES } from './joinStreams.ts';
import { SendWindow, SMALLEST_WINDOW } from './sendWindow.ts';

let directory: string;
let server: Server;
beforeAll(async () => {
  directory = await mkdtemp('/tmp/vireo-told-');
  server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(join(directory, 'socket'));
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true, force: true });
});

async function pair(): Promise<[Socket, Socket]> {
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const near = connect({ path: join(directory, 'socket'), allowHalfOpen: true });
  return [near, (await accepted)[0]];
}

/** A QEMU on each side, with both agents and a connection between them. */
async function route(window?: SendWindow): Promise<{ near: Socket; far: Socket; source: Socket; target: Socket }> {
  const [near, source] = await pair();
  const [far, target] = await pair();
  const [a, b] = await pair();
  joinTelling(b, target);
  joinHeeding(source, a, window);
  return { near, far, source, target };
}

describe('a channel that tells how much has arrived', () => {
  it('carries bytes both ways, in order, and ends when both sides have ended', async () => {
    const { near, far } = await route();
    const [there, back] = [randomBytes(9_000_000), randomBytes(700_001)];
    for (let at = 0; at < there.length; at += 16_384) near.write(there.subarray(at, at + 16_384));
    near.end();
    far.end(back);
    expect(Buffer.compare(await buffer(far), there)).toBe(0);
    expect(Buffer.compare(await buffer(near), back)).toBe(0);
  });

  it('has little on its way to a side that takes nothing', async () => {
    const { near, far, source, target } = await route();
    far.pause();
    const sent = randomBytes(8 * MOST_WAITING_BYTES);
    near.end(sent);
    await expect.poll(() => source.isPaused()).toBe(true);
    expect(source.bytesRead - target.bytesWritten + target.writableLength).toBeLessThan(2 * SMALLEST_WINDOW);
    expect(source.bytesRead).toBeLessThan(3 * SMALLEST_WINDOW);
    expect(Buffer.compare(await buffer(far), sent)).toBe(0);
    far.end();
  });

  it('breaks off when one side is lost', async () => {
    const { near, far, target } = await route();
    target.destroy();
    near.resume();
    await once(near, 'end');
    near.destroy();
    far.destroy();
  });

  it.each([1, 2, 5, 7, 1000])('understands what the target sends in pieces of %i bytes', (size) => {
    const message = Buffer.from([0, 0, 0, 0, 3, 97, 98, 99, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 100, 1, 0, 2, 0, 0]);
    const heard = { text: '', arrived: [] as number[] };
    const read = reader({
      bytes: (chunk) => {
        heard.text += chunk.toString();
      },
      arrived: (bytes) => heard.arrived.push(bytes),
    });
    for (let at = 0; at < message.length; at += size) read(message.subarray(at, at + size));
    expect(heard).toEqual({ text: 'abcd', arrived: [256, 131_072] });
  });
});

describe('what may be on its way', () => {
  const MIB = 1024 * 1024;
  /** The window after so many seconds of a way with a delay and a rate, which is always as full as it may be. */
  function after(seconds: number, delayMs: number, mibPerSecond: number): number {
    const window = new SendWindow();
    const chunk = 64 * 1024;
    const chunkMs = chunk / MIB / (mibPerSecond / 1000);
    const arriving: number[] = [];
    let freeAtMs = 0;
    for (let nowMs = 0; nowMs < seconds * 1000; nowMs += 0.1) {
      while ((arriving[0] ?? Number.POSITIVE_INFINITY) <= nowMs) {
        arriving.shift();
        window.arrived(chunk, nowMs);
      }
      while (!window.isFull) {
        window.sent(chunk, nowMs);
        freeAtMs = Math.max(nowMs, freeAtMs) + chunkMs;
        arriving.push(freeAtMs + delayMs);
      }
    }
    return window.limit / MIB;
  }

  it('is little on a short way, however slow or fast it is', () => {
    expect(after(3, 0.2, 30)).toBe(SMALLEST_WINDOW / MIB);
    expect(after(3, 0.2, 250)).toBe(SMALLEST_WINDOW / MIB);
  });

  it('fills a long way, and not much more', () => {
    const held = 0.05 * 100;
    expect(after(5, 50, 100)).toBeGreaterThan(held);
    expect(after(5, 50, 100)).toBeLessThan(4 * held);
  });
});
