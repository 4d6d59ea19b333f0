import { cidr6, ipv6 } from './text.ts';

const BITS = 128n;

/** An IPv6 address as it is usually written: in lower case, its longest run of zeros left out. */
export const canonical6 = (address: string): string => new URL(`http://[${ipv6(address)}]/`).hostname.slice(1, -1);

/** An IPv6 address as a number. */
export function toBigInt(address: string): bigint {
  const [head = '', tail] = canonical6(address).split('::');
  const before = head ? head.split(':') : [];
  const after = tail ? tail.split(':') : [];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return BigInt(`0x${[...before, ...zeros, ...after].map((part) => part.padStart(4, '0')).join('')}`);
}

/** A number as an IPv6 address. */
export const toAddress6 = (value: bigint): string =>
  canonical6(
    value
      .toString(16)
      .padStart(32, '0')
      .replace(/.{4}(?=.)/g, '$&:'),
  );

/** An IPv6 range by its first address and its size. */
export interface Range6 {
  readonly first: bigint;
  readonly size: bigint;
}

/** Reads `fd00::/64`; bits behind the prefix do not count. */
export function parseRange6(text: string): Range6 {
  const [address = '', length = ''] = cidr6(text).split('/');
  const size = 1n << (BITS - BigInt(length));
  return { first: (toBigInt(address) / size) * size, size };
}

/** A range as it is usually written. */
export const canonicalRange6 = (text: string): string =>
  `${toAddress6(parseRange6(text).first)}/${Number(text.split('/')[1])}`;

/** Whether an address is in a range. */
export function contains6(range: string, address: string): boolean {
  const { first, size } = parseRange6(range);
  const value = toBigInt(address);
  return value >= first && value < first + size;
}

/** Whether two ranges have an address in common. */
export function overlaps6(one: string, other: string): boolean {
  const a = parseRange6(one);
  const b = parseRange6(other);
  return a.first < b.first + b.size && b.first < a.first + a.size;
}

/** The n-th address of a range. */
export const nthAddress6 = (range: string, n: number): string => toAddress6(parseRange6(range).first + BigInt(n));
