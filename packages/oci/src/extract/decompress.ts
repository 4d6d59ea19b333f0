import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { OciError } from '../errors.ts';

const GZIP = Buffer.from([0x1f, 0x8b]);
const CHUNK = 256 * 1024;
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/**
 * Hands the content of a layer to `consume`, whichever way it is packed: the first bytes tell, for media types often
 * lie. Resolves when both the source and the content have been read to their ends.
 */
export async function decompress(
  source: AsyncIterable<Buffer>,
  consume: (content: AsyncIterable<Buffer>) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const watched = new WatchedSource(source);
  const head = await watched.head(ZSTD.length);
  const decompressor = head.subarray(0, 2).equals(GZIP)
    ? createGunzip({ chunkSize: CHUNK })
    : head.equals(ZSTD)
      ? createZstdDecompress({ chunkSize: CHUNK })
      : undefined;
  try {
    if (!decompressor) await consume(watched.bytes());
    else
      await pipeline(
        Readable.from(watched.bytes(), { objectMode: false }),
        decompressor,
        async (content: AsyncIterable<Buffer>) => consume(content),
        { signal },
      );
  } catch (error) {
    // What went wrong with the source matters more than that the decompressor did not like it.
    if (watched.error !== undefined) throw watched.error;
    throw isDecompression(error) ? damagedError(error) : error;
  }
  if (watched.error !== undefined) throw watched.error;
  if (!watched.isRead) throw new OciError('BadImage', 'a layer has extra data after its compressed data');
}

const isDecompression = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && /^(Z_|ZSTD_|ERR_ZLIB|ERR_ZSTD)/.test(String(error.code));

const damagedError = (error: Error): OciError =>
  new OciError('BadImage', `a layer cannot be decompressed: ${error.message}`, { cause: error });

/** Remembers how the source ended: a decompressor may stop before it does. */
class WatchedSource {
  readonly #source: AsyncIterator<Buffer>;
  #head: Buffer = Buffer.alloc(0);
  isRead = false;
  error: unknown;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async head(length: number): Promise<Buffer> {
    while (this.#head.length < length) {
      const chunk = await this.#next();
      if (!chunk) break;
      this.#head = Buffer.concat([this.#head, chunk]);
    }
    return this.#head.subarray(0, length);
  }

  async *bytes(): AsyncGenerator<Buffer> {
    try {
      if (this.#head.length > 0) yield this.#head;
      for (let chunk = await this.#next(); chunk; chunk = await this.#next()) yield chunk;
    } finally {
      // Whoever leaves early ends the transfer behind it.
      if (!this.isRead && this.error === undefined) await this.#source.return?.();
    }
  }

  async #next(): Promise<Buffer | undefined> {
    if (this.isRead) return undefined;
    try {
      const { done, value } = await this.#source.next();
      if (done) this.isRead = true;
      return done ? undefined : value;
    } catch (error) {
      this.error = error;
      throw error;
    }
  }
}
