import { ProtocolError } from './errors.ts';

/** Longest string libvirt accepts or sends. */
const maxStringBytes = 4 * 1024 * 1024;

/** Writes XDR (RFC 4506): big-endian, every item padded to four bytes. */
export class XdrWriter {
  #buffer = Buffer.allocUnsafe(256);
  #length = 0;

  int(value: number): void {
    requireInteger('int', value, -0x8000_0000, 0x7fff_ffff);
    this.#length = this.#reserve(4).writeInt32BE(value, this.#length);
  }

  uint(value: number): void {
    requireInteger('unsigned int', value, 0, 0xffff_ffff);
    this.#length = this.#reserve(4).writeUInt32BE(value, this.#length);
  }

  hyper(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) throw new RangeError(`${value} does not fit a hyper`);
    this.#length = this.#reserve(8).writeBigInt64BE(value, this.#length);
  }

  uhyper(value: bigint): void {
    if (BigInt.asUintN(64, value) !== value) throw new RangeError(`${value} does not fit an unsigned hyper`);
    this.#length = this.#reserve(8).writeBigUInt64BE(value, this.#length);
  }

  double(value: number): void {
    this.#length = this.#reserve(8).writeDoubleBE(value, this.#length);
  }

  /** Refuses NUL: the daemon's strings end there, so it would act on another name than the one given. */
  string(value: string): void {
    if (value.includes('\0'))
      throw new TypeError(`${JSON.stringify(value)} contains NUL, which is not allowed in libvirt strings`);
    const bytes = Buffer.from(value, 'utf8');
    if (bytes.length > maxStringBytes) {
      throw new RangeError(`a string of ${bytes.length} bytes is longer than libvirt's limit of ${maxStringBytes}`);
    }
    this.opaque(bytes);
  }

  /** Bytes with their length before them. */
  opaque(value: Uint8Array): void {
    this.uint(value.length);
    this.fixedOpaque(value);
  }

  /** Bytes whose number both sides know. */
  fixedOpaque(value: Uint8Array): void {
    const padded = value.length + padding(value.length);
    const buffer = this.#reserve(padded);
    buffer.set(value, this.#length);
    buffer.fill(0, this.#length + value.length, this.#length + padded);
    this.#length += padded;
  }

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(bytes: number): Buffer {
    const needed = this.#length + bytes;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    return this.#buffer;
  }
}

/** Reads XDR and trusts nothing: what is short, too long or out of range raises a {@link ProtocolError}. */
export class XdrReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  int(): number {
    return this.#bytes.readInt32BE(this.#advance(4));
  }

  uint(): number {
    return this.#bytes.readUInt32BE(this.#advance(4));
  }

  hyper(): bigint {
    return this.#bytes.readBigInt64BE(this.#advance(8));
  }

  uhyper(): bigint {
    return this.#bytes.readBigUInt64BE(this.#advance(8));
  }

  double(): number {
    return this.#bytes.readDoubleBE(this.#advance(8));
  }

  /** XDR knows 0 and 1 only. */
  boolean(): boolean {
    const value = this.uint();
    if (value > 1) throw new ProtocolError(`${value} is not a boolean, at byte ${this.#offset - 4}`);
    return value === 1;
  }

  string(): string {
    return this.opaque(maxStringBytes).toString('utf8');
  }

  opaque(maxBytes: number): Buffer {
    return this.fixedOpaque(this.count(maxBytes));
  }

  fixedOpaque(length: number): Buffer {
    const start = this.#advance(length + padding(length));
    return this.#bytes.subarray(start, start + length);
  }

  /** The number of items that follow. Each takes a byte at least, so a number beyond what is left is a lie. */
  count(max: number): number {
    const count = this.uint();
    if (count > max || count > this.remaining) {
      throw new ProtocolError(
        `${count} items declared at byte ${this.#offset - 4}, but only ${this.remaining} bytes are left`,
      );
    }
    return count;
  }

  /** Everything must have been read: bytes left over mean that both sides disagree about the layout. */
  finish(): void {
    if (this.remaining > 0) throw new ProtocolError(`${this.remaining} extra bytes after byte ${this.#offset}`);
  }

  #advance(bytes: number): number {
    const start = this.#offset;
    if (bytes > this.remaining) {
      throw new ProtocolError(`${bytes} bytes expected at byte ${start}, but only ${this.remaining} are left`);
    }
    this.#offset += bytes;
    return start;
  }
}

const padding = (length: number): number => (4 - (length % 4)) % 4;

function requireInteger(type: string, value: number, min: number, max: number): void {
  if (!Number.isInteger(value) || value < min || value > max) throw new RangeError(`${value} does not fit ${type}`);
}
