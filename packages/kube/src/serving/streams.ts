import type { Writable } from 'node:stream';
import type { Exchange } from './exchange.ts';
import type { StreamFrame, StreamResponse, StreamSink } from './request.ts';

/** How long a client may take for what was already written when its stream ended. */
const FLUSH_TIMEOUT_MS = 10_000;

/** The answers that go on: watches and followed logs. */
export class OpenStreams {
  readonly #open = new Set<() => void>();

  get size(): number {
    return this.#open.size;
  }

  /** Starts a stream on its exchange. Whatever ends it, nothing of it stays. */
  start(exchange: Exchange, response: StreamResponse, headers: Record<string, string | string[]>): void {
    const output = exchange.open(response.status, headers);
    const sink = socketSink(exchange, output, response);
    const end = (): void => {
      // Half a download must not be taken for all of it.
      if (response.isDownload && !output.writableEnded) sink.fail();
      else sink.end();
      cutOffSoon(exchange);
    };
    const stop = response.start(sink);
    this.#open.add(end);
    exchange.onClose(() => {
      this.#open.delete(end);
      stop();
    });
  }

  /** Ends all of them in order, so that clients know to come back. */
  endAll(): void {
    for (const end of [...this.#open]) end();
  }
}

function socketSink(exchange: Exchange, output: Writable, { isDownload }: StreamResponse): StreamSink {
  return {
    write: (frame: StreamFrame) => {
      if (!output.destroyed && !output.writableEnded) output.write(frame.bytes());
    },
    end: () => {
      if (output.destroyed || output.writableEnded) return;
      output.end();
      // Nothing tells how much of its last megabyte a slow client has taken.
      if (!isDownload) cutOffSoon(exchange);
    },
    fail: () => exchange.destroy(),
    get bufferedBytes() {
      return output.writableLength;
    },
    onDrain: (callback) => output.once('drain', callback),
  };
}

function cutOffSoon(exchange: Exchange): void {
  const cut = setTimeout(() => exchange.destroy(), FLUSH_TIMEOUT_MS).unref();
  exchange.onClose(() => clearTimeout(cut));
}
