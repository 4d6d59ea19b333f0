import { badRequest } from '@vireo/api';

export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
const FIXED32 = 5;

export const malformedError = (why: string) => badRequest(`proto: ${why}`);

/** Reads the protobuf wire format. Whatever the bytes are, it throws nothing but 400 BadRequest. */
export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  tag(): { field: number; wireType: number } {
    const tag = Number(this.varint() & 0xffffffffn);
    const field = tag >>> 3;
    if (field === 0) throw malformedError(`illegal tag ${field} (wire type ${tag & 7})`);
    return { field, wireType: tag & 7 };
  }

  /** Unsigned, 64 bits. */
  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw malformedError('unexpected EOF');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw malformedError('integer overflow');
  }

  /** A signed integer; one that a JavaScript number cannot hold exactly is refused. */
  integer(): number {
    const value = BigInt.asIntN(64, this.varint());
    const number = Number(value);
    if (!Number.isSafeInteger(number)) throw malformedError(`integer ${value} is beyond ±2^53`);
    return number;
  }

  double(): number {
    return this.#take(8).readDoubleLE();
  }

  bytes(): Buffer {
    const length = this.varint();
    if (length > BigInt(this.#bytes.length - this.#at)) throw malformedError('unexpected EOF');
    return this.#take(Number(length));
  }

  skip(wireType: number): void {
    if (wireType === VARINT) this.varint();
    else if (wireType === FIXED64) this.#take(8);
    else if (wireType === BYTES) this.bytes();
    else if (wireType === FIXED32) this.#take(4);
    else throw malformedError(`illegal wireType ${wireType}`);
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw malformedError('unexpected EOF');
    const part = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}

/** Writes the protobuf wire format. */
export class WireWriter {
  readonly #parts: Buffer[] = [];

  finish(): Buffer {
    return Buffer.concat(this.#parts);
  }

  varint(field: number, value: bigint | number): void {
    this.#parts.push(varintBytes((field << 3) | VARINT), varintBytes(BigInt.asUintN(64, BigInt(value))));
  }

  double(field: number, value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.#parts.push(varintBytes((field << 3) | FIXED64), bytes);
  }

  bytes(field: number, value: Buffer): void {
    this.#parts.push(varintBytes((field << 3) | BYTES), varintBytes(value.length), value);
  }

  string(field: number, value: string): void {
    this.bytes(field, Buffer.from(value));
  }
}

/** Tags and lengths are mostly these; writing them is most of the work. */
const ONE_BYTE: readonly Buffer[] = Array.from({ length: 0x80 }, (_, value) => Buffer.of(value));

function varintBytes(value: bigint | number): Buffer {
  if (typeof value === 'number' && value < 0x4000)
    return ONE_BYTE[value] ?? Buffer.of((value & 0x7f) | 0x80, value >> 7);
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
