import { cidr4, ipv4 } from './text.ts';

/** An IPv4 address as a number. */
export const toNumber = (address: string): number =>
  ipv4(address)
    .split('.')
    .reduce((sum, octet) => sum * 256 + Number(octet), 0);

/** A number as an IPv4 address. */
export const toAddress = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');

/** An IPv4 range by its first address and its size. */
export interface Range {
  readonly first: number;
  readonly size: number;
}

/** Reads `10.244.0.0/16`; bits behind the prefix do not count. */
export function parseRange(text: string): Range {
  const [address = '', length = ''] = cidr4(text).split('/');
  const size = 2 ** (32 - Number(length));
  return { first: Math.floor(toNumber(address) / size) * size, size };
}

/** The length of a range's prefix. */
export const prefixLength = (text: string): number => Number(cidr4(text).split('/')[1]);

/** Whether an address is in a range. */
export function contains(range: string, address: string): boolean {
  const { first, size } = parseRange(range);
  const value = toNumber(address);
  return value >= first && value < first + size;
}

/** Whether two ranges have an address in common. */
export function overlaps(one: string, other: string): boolean {
  const a = parseRange(one);
  const b = parseRange(other);
  return a.first < b.first + b.size && b.first < a.first + a.size;
}

/** The n-th address of a range: the first after its network address is the gateway's. */
export const nthAddress = (range: string, n: number): string => toAddress(parseRange(range).first + n);

/** The address of the node itself in the range of its guests. */
export const nodeAddress = (range: string): string => nthAddress(range, parseRange(range).size - 2);

/** The addresses of a range that guests may have: all but the network's, the gateway's, the node's and the broadcast address. */
export function* guestAddresses(range: string): Generator<string> {
  const { first, size } = parseRange(range);
  for (let n = 2; n < size - 2; n++) yield toAddress(first + n);
}
