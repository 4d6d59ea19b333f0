import type { Readable } from 'node:stream';
import { collectYoung } from './youngGarbage.ts';

/** Large enough that a hand-over to the threads that write costs nothing, small enough for a processor's cache. */
const CHUNK_BYTES = 1 << 20;
/** One is filled, one is written, and what is left evens out. */
const CHUNKS = 4;
/** Chunks end where blocks of zeros may begin. */
const ALIGNED_TO = 1 << 16;
/** Of a stream; its pieces are garbage as soon as they are copied. */
const COLLECT_BYTES = 1 << 23;
/** So much is handed over as it comes: what it is shows in it. */
const EAGER_BYTES = 1 << 16;

export interface Source {
  /** There is room again. */
  readonly resume: () => void;
  /** Nobody wants the rest. */
  readonly stop: () => void;
}

/**
 * Takes data from whoever pushes, and gives it to whoever asks, in large chunks of memory that is used again and
 * again: a chunk is good until the next one is asked for. To allocate memory for what comes from a network costs more
 * than to receive it.
 */
export class BufferedInput implements AsyncIterableIterator<Buffer> {
  readonly #source: Source;
  readonly #free: Buffer[];
  readonly #full: Buffer[] = [];
  #chunk: Buffer;
  #length = 0;
  /** Of everything before the chunk that is being filled. */
  #before = 0;
  #lent: Buffer | undefined;
  #isPaused = false;
  #end: { readonly error?: Error } | undefined;
  #waiting: PromiseWithResolvers<void> | undefined;

  constructor(source: Source) {
    this.#source = source;
    const memory = Buffer.allocUnsafeSlow(CHUNKS * CHUNK_BYTES);
    this.#free = Array.from({ length: CHUNKS }, (_, at) => memory.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES));
    this.#chunk = this.#free.pop() as Buffer;
  }

  /** Where the next bytes are to be put; never empty. */
  get room(): Buffer {
    return this.#chunk.subarray(this.#length, this.#capacity);
  }

  get #capacity(): number {
    return CHUNK_BYTES - (this.#before % ALIGNED_TO);
  }

  /** Whether more may come; if not, `resume` is called when it may. What comes all the same is kept. */
  get hasRoom(): boolean {
    return !this.#isPaused;
  }

  /** So many bytes were put there. */
  filled(count: number): void {
    this.#length += count;
    if (this.#length === this.#capacity || this.#before + this.#length <= EAGER_BYTES) this.#handOver();
  }

  /** Takes a copy. */
  push(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0) {
      const copied = rest.copy(this.room);
      rest = rest.subarray(copied);
      this.filled(copied);
    }
  }

  /** Nothing more comes; with an error, it broke off. What came before is handed over first. */
  end(error?: Error): void {
    if (this.#end) return;
    this.#handOver();
    this.#end = error ? { error } : {};
    this.#waiting?.resolve();
  }

  #handOver(): void {
    if (this.#length === 0) return;
    this.#full.push(this.#chunk.subarray(0, this.#length));
    this.#before += this.#length;
    this.#length = 0;
    // Whoever pushes without waiting is given more.
    this.#chunk = this.#free.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.#isPaused = this.#free.length === 0;
    this.#waiting?.resolve();
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    this.#takeBack();
    while (this.#full.length === 0) {
      if (this.#end?.error) throw this.#end.error;
      if (this.#end) return { value: undefined, done: true };
      this.#waiting = Promise.withResolvers();
      await this.#waiting.promise;
    }
    this.#lent = this.#full.shift() as Buffer;
    return { value: this.#lent };
  }

  async return(): Promise<IteratorResult<Buffer, undefined>> {
    this.#source.stop();
    return { value: undefined, done: true };
  }

  #takeBack(): void {
    if (!this.#lent) return;
    const { buffer, byteOffset } = this.#lent;
    if (this.#free.length < CHUNKS) this.#free.push(Buffer.from(buffer, byteOffset, CHUNK_BYTES));
    this.#lent = undefined;
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#source.resume();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** What a stream gives, in large chunks. To stop leaves the stream as it is, for its owner to end. */
export function bufferedInputOf(stream: Readable): BufferedInput {
  const broken = (): void => input.end(stream.errored ?? new Error('the client closed the connection'));
  const ended = (): void => input.end();
  let uncollected = 0;
  const receive = (bytes: Buffer): void => {
    input.push(bytes);
    uncollected += bytes.length;
    if (uncollected >= COLLECT_BYTES) {
      uncollected = 0;
      collectYoung();
    }
    if (!input.hasRoom) stream.pause();
  };
  const stop = (): void => {
    stream.off('data', receive).off('end', ended).off('error', broken).off('close', broken);
  };
  const input = new BufferedInput({ resume: () => stream.resume(), stop });
  if (stream.readableEnded) ended();
  else if (stream.destroyed) broken();
  else stream.on('data', receive).once('end', ended).once('error', broken).once('close', broken);
  return input;
}

/** The same data in large chunks. */
export async function* batches(data: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const batch = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let length = 0;
  let before = 0;
  for await (const chunk of data)
    for (let at = 0; at < chunk.length; ) {
      const copied = chunk.copy(batch, length, at);
      at += copied;
      length += copied;
      if (length < CHUNK_BYTES && before + length > EAGER_BYTES) continue;
      yield batch.subarray(0, length);
      before += length;
      length = 0;
    }
  if (length > 0) yield batch.subarray(0, length);
}
