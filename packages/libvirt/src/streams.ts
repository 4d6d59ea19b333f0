import { Duplex } from 'node:stream';

/** Largest piece of data that every libvirt version takes in one packet. */
const maxChunkBytes = 256 * 1024 - 24;

/** What a stream asks of the connection that carries it. */
export interface StreamConnection {
  send(kind: 'data' | 'finish' | 'abort', data?: Uint8Array, sent?: (error?: Error | null) => void): void;
  /** Back-pressure: the protocol has none for a single stream, so the whole connection stops reading. */
  pause(): void;
  resume(): void;
  /** Nothing more is sent, and nothing that comes is wanted. */
  release(): void;
}

/**
 * Bytes to and from a domain: its console, a channel, a picture. A Node stream, so it can be piped and iterated.
 * libvirt knows no half-open streams: ending the writing side closes the stream, and `destroy` aborts it.
 */
export class LibvirtStream extends Duplex {
  readonly #connection: StreamConnection;
  #isOver = false;
  #afterFinish: ((error?: Error | null) => void) | undefined;

  constructor(connection: StreamConnection) {
    super({ allowHalfOpen: false });
    this.#connection = connection;
  }

  /** Data from the daemon; a piece without bytes says that no more will come. */
  receiveData(data: Buffer): void {
    if (data.length === 0) this.#end();
    else if (!this.readableEnded && !this.push(data) && !this.#afterFinish) this.#connection.pause();
  }

  /** The daemon confirms that the stream is closed. */
  receiveFinish(): void {
    this.#isOver = true;
    this.#end();
    this.#afterFinish?.();
  }

  /** The stream broke, or the connection that carried it. */
  receiveError(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#afterFinish) this.#afterFinish(error);
    else this.destroy(error);
  }

  /** The call that should have opened the stream failed, which its caller hears from the call. */
  discard(): void {
    this.#isOver = true;
    this.destroy();
  }

  override _read(): void {
    this.#connection.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    let offset = 0;
    for (; chunk.length - offset > maxChunkBytes; offset += maxChunkBytes) {
      this.#connection.send('data', chunk.subarray(offset, offset + maxChunkBytes));
    }
    this.#connection.send('data', chunk.subarray(offset), done);
  }

  /** Waits for the daemon's confirmation, which stands behind data that it has already sent. */
  override _final(done: (error?: Error | null) => void): void {
    if (this.#isOver) {
      done();
      return;
    }
    this.#afterFinish = done;
    this.#connection.resume();
    this.#connection.send('finish');
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#isOver) this.#connection.send('abort');
    this.#isOver = true;
    this.#connection.release();
    done(error);
  }

  #end(): void {
    if (!this.readableEnded) this.push(null);
  }
}
