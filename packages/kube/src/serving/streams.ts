import type { Exchange } from './exchange.ts';
import type { StreamFrame, StreamResponse, StreamSink } from './request.ts';

/** How long a client may take nothing of what was already written when its stream ended. */
const STALLED_MS = 10_000;

/** The answers that go on: watches and followed logs. */
export class OpenStreams {
  readonly #open = new Set<() => void>();

  get size(): number {
    return this.#open.size;
  }

  /** Starts a stream on its exchange. Whatever ends it, nothing of it stays. */
  start(exchange: Exchange, response: StreamResponse, headers: Record<string, string | string[]>): void {
    const sink = socketSink(exchange, response.status, headers);
    const end = (): void => sink.end();
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

function socketSink(exchange: Exchange, status: number, headers: Record<string, string | string[]>): StreamSink {
  const output = exchange.open(status, headers);
  return {
    write: (frame: StreamFrame) => {
      if (!output.destroyed && !output.writableEnded) output.write(frame.bytes());
    },
    end: () => {
      if (output.destroyed || output.writableEnded) return;
      output.end();
      let left = output.writableLength;
      const check = setInterval(() => {
        if (output.writableLength >= left) exchange.destroy();
        left = output.writableLength;
      }, STALLED_MS).unref();
      exchange.onClose(() => clearInterval(check));
    },
    fail: () => exchange.destroy(),
    get bufferedBytes() {
      return output.writableLength;
    },
    onDrain: (callback) => output.once('drain', callback),
  };
}
