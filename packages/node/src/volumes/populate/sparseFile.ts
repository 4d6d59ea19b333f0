import { type FileHandle, open } from 'node:fs/promises';

/** Large, for the disk and the network are done by different threads, and a busy host lets each hand-over wait. */
const BUFFER_BYTES = 1 << 23;
/** Runs of zeros of at least this length become holes. */
const HOLE_BYTES = 1 << 16;
const ZEROS = Buffer.alloc(HOLE_BYTES);
/** After so much the disk begins to write, while more comes in; else it would have everything to do at the end. */
const SETTLE_BYTES = 1 << 26;

/** Writes a file from its beginning to its end and leaves out what is zero. Reading goes on while it writes. */
export class SparseFile {
  readonly #file: FileHandle;
  readonly #isDurable: boolean;
  #buffers: [Buffer, Buffer] = [Buffer.allocUnsafe(BUFFER_BYTES), Buffer.allocUnsafe(BUFFER_BYTES)];
  #used = 0;
  #position = 0;
  #writing: Promise<void> = Promise.resolve();
  #unsettled = 0;
  #settling: Promise<void> | undefined;
  #failure: unknown;

  private constructor(file: FileHandle, isDurable: boolean) {
    this.#file = file;
    this.#isDurable = isDurable;
  }

  /** Durable: what is finished is on the disk. */
  static async create(path: string, { isDurable }: { readonly isDurable: boolean }): Promise<SparseFile> {
    return new SparseFile(await open(path, 'w', 0o600), isDurable);
  }

  /** How much was written, holes included. */
  get length(): number {
    return this.#position + this.#used;
  }

  /** Takes a chunk. There is a promise only where it has to be waited for. */
  write(chunk: Buffer): Promise<void> | undefined {
    if (this.#used + chunk.length >= BUFFER_BYTES) return this.#writeOver(chunk);
    this.#used += chunk.copy(this.#buffers[0], this.#used);
    return undefined;
  }

  async #writeOver(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const taken = chunk.copy(this.#buffers[0], this.#used, at);
      this.#used += taken;
      at += taken;
      if (this.#used === BUFFER_BYTES) await this.#flush();
    }
  }

  /** Writes the rest and makes the file at least so long. */
  async finish(sizeBytes: number): Promise<void> {
    await this.#flush();
    await this.#writing;
    await this.#file.truncate(Math.max(sizeBytes, this.#position));
    await this.#settling;
    // The kernel tells of data that it could not write once, and then no more.
    if (this.#failure) throw this.#failure;
    if (this.#isDurable) await this.#file.sync();
    await this.#file.close();
  }

  async abandon(): Promise<void> {
    await this.#writing.catch(() => {});
    await this.#settling;
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    await this.#writing;
    const [full, empty] = this.#buffers;
    const [bytes, position] = [full.subarray(0, this.#used), this.#position];
    this.#buffers = [empty, full];
    this.#position += this.#used;
    this.#used = 0;
    this.#writing = this.#store(bytes, position);
    // Whoever writes or finishes next hears of it.
    this.#writing.catch(() => {});
  }

  async #store(bytes: Buffer, position: number): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      let to = from;
      while (to < bytes.length && !isZero(bytes.subarray(to, to + HOLE_BYTES))) to += HOLE_BYTES;
      const run = bytes.subarray(from, Math.min(to, bytes.length));
      if (run.length > 0) await writeAll(this.#file, run, position + from);
      this.#unsettled += run.length;
      from = to + HOLE_BYTES;
    }
    if (this.#isDurable && this.#unsettled >= SETTLE_BYTES && !this.#settling) this.#settle();
  }

  #settle(): void {
    this.#unsettled = 0;
    this.#settling = this.#file
      .datasync()
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => {
        this.#settling = undefined;
      });
  }
}

const isZero = (bytes: Buffer): boolean => bytes.equals(ZEROS.subarray(0, bytes.length));

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
}
