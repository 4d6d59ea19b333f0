/**
 * DER, as much of it as a certificate needs. Node reads certificates but cannot issue them; the libraries that can bring
 * a dependency-injection container and a tenth of a second of loading, for these sixty lines.
 */

const encode = (tag: number, ...contents: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
};

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const digits: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  return Buffer.from([0x80 | digits.length, ...digits]);
}

export const sequence = (...items: readonly Buffer[]): Buffer => encode(0x30, ...items);
export const set = (...items: readonly Buffer[]): Buffer => encode(0x31, ...items);
export const octetString = (content: Buffer): Buffer => encode(0x04, content);
export const utf8String = (text: string): Buffer => encode(0x0c, Buffer.from(text, 'utf8'));
export const TRUE = encode(0x01, Buffer.from([0xff]));

/** An explicitly tagged value, `[number]` in ASN.1. */
export const explicit = (number: number, content: Buffer): Buffer => encode(0xa0 | number, content);
/** An implicitly tagged primitive value. */
export const implicit = (number: number, content: Buffer): Buffer => encode(0x80 | number, content);

/** A non-negative integer from its big-endian bytes. */
export function unsigned(bytes: Buffer): Buffer {
  const firstDigit = bytes.findIndex((byte) => byte !== 0);
  const digits = firstDigit < 0 ? Buffer.from([0]) : bytes.subarray(firstDigit);
  // A set top bit would make the number negative.
  return (digits[0] ?? 0) & 0x80 ? encode(0x02, Buffer.from([0]), digits) : encode(0x02, digits);
}

/** The bits of `bytes`, less the last `unusedBits`. */
export const bitString = (bytes: Buffer, unusedBits = 0): Buffer => encode(0x03, Buffer.from([unusedBits]), bytes);

/** `1.2.840.10045.4.3.2` and the like. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return encode(0x06, Buffer.from(bytes));
}

/** UTCTime until 2049, GeneralizedTime after, as RFC 5280 asks. */
export function time(moment: Date): Buffer {
  const digits = `${moment.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
  return moment.getUTCFullYear() < 2050
    ? encode(0x17, Buffer.from(digits.slice(2), 'latin1'))
    : encode(0x18, Buffer.from(digits, 'latin1'));
}

/** The elements directly inside a constructed value, each with its header. Throws where a length leads outside. */
export function elementsOf(constructed: Buffer): Buffer[] {
  const elements: Buffer[] = [];
  const end = sizeAt(constructed, 0);
  for (let at = headerSize(constructed, 0); at < end; ) {
    const size = sizeAt(constructed, at);
    if (at + size > end) throw new Error('asn1: syntax error: data truncated');
    elements.push(constructed.subarray(at, at + size));
    at += size;
  }
  return elements;
}

/** The content of a primitive value, without its header. */
export const contentOf = (element: Buffer): Buffer => element.subarray(headerSize(element, 0), sizeAt(element, 0));

/** `1.2.840.10045.4.3.2` and the like, from an object identifier with its header. */
export function dottedOf(identifier: Buffer): string {
  if (identifier[0] !== 0x06) throw new Error('asn1: structure error: not an object identifier');
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of contentOf(identifier)) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [joined = 0, ...rest] = arcs;
  const first = Math.min(Math.floor(joined / 40), 2);
  return [first, joined - first * 40, ...rest].join('.');
}

/** A length has at most four bytes here; longer ones, and BER's indefinite ones, are no certificate's. */
const MAX_LENGTH_BYTES = 4;

const headerSize = (bytes: Buffer, at: number): number => {
  const first = bytes[at + 1] ?? 0;
  return first < 0x80 ? 2 : 2 + (first & 0x7f);
};

/** Of an element with its header. */
function sizeAt(bytes: Buffer, at: number): number {
  const first = bytes[at + 1];
  const digits = (first ?? 0) & 0x7f;
  const isLong = first !== undefined && first >= 0x80;
  if (first === undefined || (isLong && (digits === 0 || digits > MAX_LENGTH_BYTES || at + 2 + digits > bytes.length)))
    throw new Error('asn1: syntax error: data truncated');
  const size = headerSize(bytes, at) + (isLong ? bytes.readUIntBE(at + 2, digits) : first);
  if (at + size > bytes.length) throw new Error('asn1: syntax error: data truncated');
  return size;
}
