import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Exchange } from './exchange.ts';
import type { StreamResponse, StreamSink } from './request.ts';
import { OpenStreams } from './streams.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stream whose client takes nothing. */
function stuckStream({ isEnded = true, ...more }: Partial<StreamResponse> & { isEnded?: boolean } = {}) {
  const destroy = vi.fn();
  const exchange = { open: () => new PassThrough(), onClose: () => {}, destroy } as unknown as Exchange;
  const streams = new OpenStreams();
  let sink: StreamSink | undefined;
  const start = (opened: StreamSink) => {
    sink = opened;
    return () => {};
  };
  streams.start(exchange, { type: 'stream', status: 200, contentType: 'text/plain', start, ...more }, {});
  sink?.write({ bytes: () => Buffer.alloc(1024) });
  if (isEnded) sink?.end();
  vi.advanceTimersByTime(60_000);
  return { streams, destroy };
}

it('a client that does not take the end of a watch is cut off', () => {
  expect(stuckStream().destroy).toHaveBeenCalled();
});

it('a client may take as long as it likes for the end of a download, until the server stops', () => {
  const { streams, destroy } = stuckStream({ isDownload: true });
  expect(destroy).not.toHaveBeenCalled();
  streams.endAll();
  vi.advanceTimersByTime(60_000);
  expect(destroy).toHaveBeenCalled();
});

it('a download that the server breaks off is not ended as if it were whole', () => {
  const { streams, destroy } = stuckStream({ isDownload: true, isEnded: false });
  streams.endAll();
  expect(destroy).toHaveBeenCalled();
});
