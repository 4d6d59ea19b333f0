import type { FileHandle } from 'node:fs/promises';
import { OciError } from '../errors.ts';

/** Where an archive is read from, front to back. */
export interface TarInput {
  /** Exactly so many bytes; undefined at the end, an error in the middle of them. */
  take(length: number): Promise<Buffer | undefined>;
  skip(length: number): Promise<void>;
}

const truncatedError = (): OciError => new OciError('BadImage', 'the tar archive ends in the middle of an entry');

/** An archive that arrives. */
export class StreamInput implements TarInput {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    let missing = length;
    for await (const chunk of this.chunks(length, true)) {
      parts.push(chunk);
      missing -= chunk.length;
    }
    if (missing === length && length > 0) return undefined;
    if (missing > 0) throw truncatedError();
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }

  async skip(length: number): Promise<void> {
    for await (const _ of this.chunks(length));
  }

  /** The next bytes as they come. They are all there, or it is an error. */
  async *chunks(length: number, mayEnd = false): AsyncGenerator<Buffer> {
    let missing = length;
    while (missing > 0) {
      if (this.#rest.length === 0 && !(await this.#fill())) {
        if (mayEnd) return;
        throw truncatedError();
      }
      const chunk = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(chunk.length);
      missing -= chunk.length;
      yield chunk;
    }
  }

  /** Reads what is left: whoever checks the source sees all of it. */
  async drain(): Promise<void> {
    while (await this.#fill());
  }

  async #fill(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    this.#rest = done ? Buffer.alloc(0) : value;
    return !done;
  }
}

/** An archive in a file: bodies are jumped over. */
export class FileInput implements TarInput {
  readonly #file: FileHandle;
  readonly #sizeBytes: number;
  position = 0;

  constructor(file: FileHandle, sizeBytes: number) {
    this.#file = file;
    this.#sizeBytes = sizeBytes;
  }

  async take(length: number): Promise<Buffer | undefined> {
    if (this.position >= this.#sizeBytes) return undefined;
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await this.#file.read(buffer, 0, length, this.position);
    if (bytesRead < length) throw truncatedError();
    this.position += length;
    return buffer;
  }

  async skip(length: number): Promise<void> {
    if (this.position + length > this.#sizeBytes) throw truncatedError();
    this.position += length;
  }
}
