import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Exchange } from './exchange.ts';
import type { StreamSink } from './request.ts';
import { OpenStreams } from './streams.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A stream of 64 KiB that has ended, and what its client has not taken yet. */
function endedStream() {
  const output = new PassThrough({ readableHighWaterMark: 1, writableHighWaterMark: 1 });
  let isDestroyed = false;
  const exchange = {
    open: () => output,
    onClose: () => {},
    destroy: () => {
      isDestroyed = true;
    },
  } as unknown as Exchange;
  let sink: StreamSink | undefined;
  new OpenStreams().start(
    exchange,
    {
      type: 'stream',
      status: 200,
      contentType: 'text/plain',
      start: (opened) => {
        sink = opened;
        return () => {};
      },
    },
    {},
  );
  for (let at = 0; at < 64; at += 1) sink?.write({ bytes: () => Buffer.alloc(1024) });
  sink?.end();
  return { output, isDestroyed: () => isDestroyed };
}

it('a slow client gets all that was written before its stream ended', async () => {
  const { output, isDestroyed } = endedStream();
  let taken = 0;
  while (output.readableLength > 0) {
    taken += (output.read() as Buffer).length;
    await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(10_000);
  }
  expect({ taken, isDestroyed: isDestroyed() }).toEqual({ taken: 64 * 1024, isDestroyed: false });
});

it('a client that takes nothing is cut off', async () => {
  const { isDestroyed } = endedStream();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(isDestroyed()).toBe(true);
});
