import { OciError } from '../errors.ts';

export const BLOCK = 512;

/** What one header block says, before extensions are applied. */
export interface RawHeader {
  readonly name: string;
  readonly linkName: string;
  readonly sizeBytes: number;
  /** The type as the archive has it: `0`, `5`, `x`, … */
  readonly flag: string;
}

/** Reads a header block; undefined for the block of zeros that ends an archive. */
export function parseHeader(block: Buffer): RawHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  checkSum(block);
  const isUstar = block.toString('latin1', 257, 262) === 'ustar';
  // GNU's own format uses the same magic with other padding, and keeps times where ustar has a prefix.
  const isPosix = isUstar && block[262] === 0;
  const name = text(block, 0, 100);
  const prefix = isPosix ? text(block, 345, 155) : '';
  const flag = String.fromCharCode(block[156] || 0x30);
  return {
    name: prefix ? `${prefix}/${name}` : name,
    linkName: text(block, 157, 100),
    sizeBytes: number(block, 124, 12),
    flag: flag === '0' && name.endsWith('/') ? '5' : flag,
  };
}

function checkSum(block: Buffer): void {
  const expected = number(block, 148, 8);
  let unsigned = 8 * 0x20;
  let signed = 8 * 0x20;
  for (const [index, byte] of block.entries()) {
    if (index >= 148 && index < 156) continue;
    unsigned += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  // Some old archivers summed signed characters.
  if (expected !== unsigned && expected !== signed)
    throw new OciError('BadImage', 'the tar archive is damaged: the checksum of a header is wrong');
}

/** Up to the first zero, or all of it. */
function text(block: Buffer, from: number, length: number): string {
  const field = block.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

/** Octal digits, or a binary number where they do not suffice. */
function number(block: Buffer, from: number, length: number): number {
  const first = block[from] ?? 0;
  if (first & 0x80) {
    if (first !== 0x80) throw new OciError('BadImage', 'the tar archive is damaged: a header has a negative number');
    return safe(BigInt(`0x${block.toString('hex', from + 1, from + length)}`));
  }
  const digits = text(block, from, length).trim();
  if (digits === '') return 0;
  if (!/^[0-7]+$/.test(digits))
    throw new OciError('BadImage', `the tar archive is damaged: ${JSON.stringify(digits)} is not an octal number`);
  return safe(BigInt(`0o${digits}`));
}

function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new OciError('BadImage', `the tar archive is damaged: ${value} is not a valid file size`);
  return Number(value);
}
