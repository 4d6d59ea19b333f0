import { type FileHandle, open } from 'node:fs/promises';

/** Blocks of zeros of this length become holes. */
const HOLE_BYTES = 1 << 16;
const ZEROS = Buffer.alloc(HOLE_BYTES);
/** After so much the disk begins to write, while more comes in; else it would have everything to do at the end. */
const SETTLE_BYTES = 1 << 26;

/** Writes a new file and leaves out what is zero. */
export class SparseFile {
  readonly #file: FileHandle;
  readonly #isDurable: boolean;
  #length = 0;
  #unsettled = 0;
  #settling: Promise<void> | undefined;
  #failure: unknown;

  private constructor(file: FileHandle, isDurable: boolean) {
    this.#file = file;
    this.#isDurable = isDurable;
  }

  /** Durable: what is finished is on the disk. */
  static async create(path: string, { isDurable }: { readonly isDurable: boolean }): Promise<SparseFile> {
    return new SparseFile(await open(path, 'w+', 0o600), isDurable);
  }

  /** Where what was written ends, holes included. */
  get length(): number {
    return this.#length;
  }

  /** Writes bytes where nothing was written before: behind what there is, unless it is said where. */
  async write(bytes: Buffer, position = this.#length): Promise<void> {
    this.#length = Math.max(this.#length, position + bytes.length);
    for (const [from, to] of runs(bytes, position)) {
      await writeAll(this.#file, bytes.subarray(from, to), position + from);
      this.#unsettled += to - from;
    }
    if (this.#isDurable && this.#unsettled >= SETTLE_BYTES && !this.#settling) this.#settle();
  }

  /** Reads what was written. */
  async read(bytes: Buffer, position: number): Promise<void> {
    const { bytesRead } = await this.#file.read(bytes, 0, bytes.length, position);
    // Behind the last data there is only what was left out.
    bytes.fill(0, bytesRead);
  }

  /** Cuts off what stands behind `dataBytes`, and makes the file at least so long. */
  async finish(sizeBytes: number, dataBytes = this.#length): Promise<void> {
    if (dataBytes < this.#length) await this.#file.truncate(dataBytes);
    await this.#file.truncate(Math.max(sizeBytes, dataBytes));
    await this.#settling;
    // The kernel tells of data that it could not write once, and then no more.
    if (this.#failure) throw this.#failure;
    if (this.#isDurable) await this.#file.sync();
    await this.#file.close();
  }

  async abandon(): Promise<void> {
    await this.#settling;
    await this.#file.close();
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

/** The parts of bytes that are not zero, as `[from, to]`, by blocks of the file that they go to. */
function* runs(bytes: Buffer, position: number): Generator<[from: number, to: number]> {
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const next = Math.min(bytes.length, at + HOLE_BYTES - ((position + at) % HOLE_BYTES));
    if (isZero(bytes.subarray(at, next))) {
      if (at > from) yield [from, at];
      from = next;
    }
    at = next;
  }
  if (bytes.length > from) yield [from, bytes.length];
}

const isZero = (bytes: Buffer): boolean => bytes.equals(ZEROS.subarray(0, bytes.length));

/** A disk that is nearly full takes a part; its error is in the answer to the next call. */
async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
}
