import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** Whether `text` is an address range such as 10.0.0.0/16. */
export function isCidr(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/');
  const family = isIP(address);
  return family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

/** An IPv4 address as a number, and back. */
export const ipv4ToNumber = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

export const numberToIpv4 = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');

/** An IPv6 address as a number, and back. */
export function ipv6ToNumber(address: string): bigint {
  const [head = '', tail] = canonicalIpv6(address).split('::');
  const before = head ? head.split(':') : [];
  const after = tail ? tail.split(':') : [];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return BigInt(`0x${[...before, ...zeros, ...after].map((part) => part.padStart(4, '0')).join('')}`);
}

export const numberToIpv6 = (value: bigint): string =>
  canonicalIpv6(
    value
      .toString(16)
      .padStart(32, '0')
      .replace(/.{4}(?=.)/g, '$&:'),
  );

/** As RFC 5952 has it: in lower case, the longest run of zeros left out. */
const canonicalIpv6 = (address: string): string => new URL(`http://[${address}]/`).hostname.slice(1, -1);

/** A range of either family by its first address and its size. */
export interface AddressRange {
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly size: bigint;
}

/** An address of either family as a number. */
export const addressToNumber = (address: string): bigint =>
  isIPv4(address) ? BigInt(ipv4ToNumber(address)) : ipv6ToNumber(address);

/** The same address in one form: IPv6 has several. */
export const canonicalAddress = (address: string): string => (isIPv6(address) ? canonicalIpv6(address) : address);

/** Whether an address is in a range of its family. */
export function isInCidr(address: string, cidr: string): boolean {
  const { family, first, size } = addressRange(cidr);
  if (isIP(address) !== family) return false;
  const value = addressToNumber(address);
  return value >= first && value < first + size;
}

/** Reads 10.0.0.0/16 and fd00::/64. */
export function addressRange(cidr: string): AddressRange {
  const [address = '', prefix = ''] = cidr.split('/');
  const family = isIPv4(address) ? 4 : 6;
  const value = addressToNumber(address);
  const size = 1n << BigInt((family === 4 ? 32 : 128) - Number(prefix));
  return { family, first: (value / size) * size, size };
}

/** The address that a number stands for in a family. */
export const numberToAddress = (value: bigint, family: 4 | 6): string =>
  family === 4 ? numberToIpv4(Number(value)) : numberToIpv6(value);

/** An IPv4 range by its first address and its size. */
export interface Ipv4Range {
  readonly first: number;
  readonly size: number;
}

/** Whether `text` is a range of IPv4 addresses that begins where its prefix says: not 10.0.0.1/16. */
export function isIpv4Cidr(text: string): boolean {
  const [address = ''] = text.split('/');
  return isCidr(text) && isIPv4(address) && ipv4ToNumber(address) === ipv4Range(text).first;
}

/** Whether `text` is a range of IPv6 addresses that begins where its prefix says. */
export function isIpv6Cidr(text: string): boolean {
  const [address = ''] = text.split('/');
  return isCidr(text) && isIPv6(address) && ipv6ToNumber(address) === addressRange(text).first;
}

/** Reads 10.0.0.0/16. */
export function ipv4Range(cidr: string): Ipv4Range {
  const [address = '', prefix = ''] = cidr.split('/');
  const size = 2 ** (32 - Number(prefix));
  return { first: Math.floor(ipv4ToNumber(address) / size) * size, size };
}

/** Whether an address is in a range. */
export function inRange(address: string, { first, size }: Ipv4Range): boolean {
  const value = ipv4ToNumber(address);
  return isIPv4(address) && value >= first && value < first + size;
}

/** Whether two ranges have an address in common. */
export const overlap = (a: Ipv4Range, b: Ipv4Range): boolean =>
  a.first < b.first + b.size && b.first < a.first + a.size;

const ranges = (...subnets: readonly [string, number][]): BlockList => {
  const list = new BlockList();
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, isIPv4(address) ? 'ipv4' : 'ipv6');
  return list;
};

const SPECIAL: readonly (readonly [BlockList, string])[] = [
  [ranges(['127.0.0.0', 8], ['::1', 128]), 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [ranges(['169.254.0.0', 16], ['fe80::', 10]), 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [ranges(['224.0.0.0', 24], ['ff02::', 16]), 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
];
const UNSPECIFIED = ranges(['0.0.0.0', 32], ['::', 128]);

/** What is wrong with a good address as one that others are sent to: it means another host on each. */
export function specialAddressErrors(address: string): string[] {
  const family = isIP(address);
  if (family === 0) return [];
  const isIn = (list: BlockList): boolean => list.check(address, family === 4 ? 'ipv4' : 'ipv6');
  if (isIn(UNSPECIFIED)) return [`may not be unspecified (${address})`];
  return SPECIAL.filter(([list]) => isIn(list)).map(([, why]) => why);
}
