import { type FileHandle, open } from 'node:fs/promises';

/** So much is written at once: the network and the disk are done by different threads, and hand-overs take time. */
const BATCH_BYTES = 1 << 22;
/** Chunks may be small; the kernel takes so many in one call. */
const MOST_PIECES = 1024;
/** Runs of zeros of at least this length become holes. */
const HOLE_BYTES = 1 << 16;
const ZEROS = Buffer.alloc(HOLE_BYTES);
/** After so much the disk begins to write, while more comes in; else it would have everything to do at the end. */
const SETTLE_BYTES = 1 << 26;

/** Data without a hole in it. */
interface Run {
  readonly position: number;
  readonly pieces: Buffer[];
}

/**
 * Writes a file from its beginning to its end and leaves out what is zero. Chunks are not copied: whoever gives one
 * does not change it any more. Reading goes on while it writes.
 */
export class SparseFile {
  readonly #file: FileHandle;
  readonly #isDurable: boolean;
  #runs: Run[] = [];
  #pieces = 0;
  #batchBytes = 0;
  #length = 0;
  /** Zeros at the end that are neither a hole nor data yet. */
  #zeros = 0;
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
    return this.#length;
  }

  /** Takes a chunk. There is a promise only where it has to be waited for. */
  write(chunk: Buffer): Promise<void> | undefined {
    for (let at = 0; at < chunk.length; at += HOLE_BYTES) this.#add(chunk.subarray(at, at + HOLE_BYTES));
    return this.#batchBytes >= BATCH_BYTES || this.#pieces >= MOST_PIECES ? this.#flush() : undefined;
  }

  #add(piece: Buffer): void {
    this.#length += piece.length;
    if (isZero(piece)) {
      this.#zeros += piece.length;
      return;
    }
    const run = this.#runs.at(-1);
    if (!run || this.#zeros >= HOLE_BYTES) this.#runs.push({ position: this.#length - piece.length, pieces: [piece] });
    else if (this.#zeros > 0) run.pieces.push(ZEROS.subarray(0, this.#zeros), piece);
    else run.pieces.push(piece);
    this.#zeros = 0;
    this.#pieces++;
    this.#batchBytes += piece.length;
  }

  /** Writes the rest and makes the file at least so long. */
  async finish(sizeBytes: number): Promise<void> {
    await this.#flush();
    await this.#writing;
    await this.#file.truncate(Math.max(sizeBytes, this.#length));
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
    const runs = this.#runs;
    this.#unsettled += this.#batchBytes;
    this.#runs = [];
    this.#pieces = 0;
    this.#batchBytes = 0;
    this.#writing = this.#store(runs);
    // Whoever writes or finishes next hears of it.
    this.#writing.catch(() => {});
  }

  async #store(runs: readonly Run[]): Promise<void> {
    for (const { pieces, position } of runs) await writeAll(this.#file, pieces, position);
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

async function writeAll(file: FileHandle, pieces: readonly Buffer[], position: number): Promise<void> {
  const { bytesWritten } = await file.writev(pieces, position);
  let seen = 0;
  // What a disk that is nearly full did not take is tried piece by piece: the error is in the answer to the next call.
  for (const piece of pieces) {
    for (let done = Math.max(0, bytesWritten - seen); done < piece.length; )
      done += (await file.write(piece, done, piece.length - done, position + seen + done)).bytesWritten;
    seen += piece.length;
  }
}
