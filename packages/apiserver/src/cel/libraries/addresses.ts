/** IP addresses and networks as numbers, with the texts of errors of Go's net/netip. */

/** An address: 32 or 128 bits. */
export interface Address {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

/** A network: an address and how many of its first bits count. */
export interface Prefix {
  readonly address: Address;
  readonly length: number;
}

/** Says why a text is no address, in Go's words. */
export class AddressError extends Error {}

const quoted = (text: string): string => JSON.stringify(text);

/** Reads an address; throws an AddressError. Zones are refused later, so they are cut off here. */
export function parseAddress(text: string): Address & { readonly zone?: string } {
  const fail = (why: string): never => {
    throw new AddressError(`ParseAddr(${quoted(text)}): ${why}`);
  };
  if (text.length > 200) return fail('unable to parse IP');
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === '.') return { family: 4, bits: parseV4(text, fail) };
  if (mark === ':') return parseV6(text, fail);
  return fail(mark === '%' ? 'missing IPv6 address' : 'unable to parse IP');
}

function parseV4(text: string, fail: (why: string) => never): bigint {
  const fields = text.split('.');
  let bits = 0n;
  for (const field of fields) {
    if (field === '') fail('IPv4 field must have at least one digit');
    if (!/^\d+$/.test(field)) fail('unexpected character');
    if (field.length > 1 && field.startsWith('0')) fail('IPv4 field has octet with leading zero');
    if (field.length > 3 || Number(field) > 255) fail('IPv4 field has value >255');
    bits = (bits << 8n) | BigInt(field);
  }
  if (fields.length < 4) fail('IPv4 address too short');
  if (fields.length > 4) fail('IPv4 address too long');
  return bits;
}

function parseV6(text: string, fail: (why: string) => never): Address & { zone?: string } {
  const [whole = '', ...zones] = text.split('%');
  const zone = zones.length > 0 ? zones.join('%') : undefined;
  if (zone === '') fail('zone must be a non-empty string');
  const halves = whole.split('::');
  if (halves.length > 2) fail('multiple :: in address');
  const groups = halves.map((half) => groupsOf(half, fail));
  const [head = [], tail] = groups;
  const count = head.length + (tail?.length ?? 0);
  if (tail ? count > 7 : count > 8) fail('address string too long');
  if (!tail && count < 8) fail('address string too short');
  const all = [...head, ...Array<bigint>(8 - count).fill(0n), ...(tail ?? [])];
  const bits = all.reduce((sum, group) => (sum << 16n) | group, 0n);
  return { family: 6, bits, ...(zone !== undefined && { zone }) };
}

function groupsOf(half: string, fail: (why: string) => never): bigint[] {
  if (half === '') return [];
  const fields = half.split(':');
  return fields.flatMap((field, i) => {
    if (field.includes('.') && i === fields.length - 1) {
      const bits = parseV4(field, fail);
      return [bits >> 16n, bits & 0xffffn];
    }
    if (field === '') fail('each colon-separated field must have at least one digit');
    if (!/^[0-9a-fA-F]+$/.test(field)) fail('unexpected character');
    if (field.length > 4) fail('each group must have 4 or less digits');
    return [BigInt(`0x${field}`)];
  });
}

/** The canonical text. The longest run of two or more zeros is left out, the first of those that are as long. */
export function formatAddress({ family, bits }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => (bits >> BigInt(112 - i * 16)) & 0xffffn);
  let [start, length] = [0, 1];
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === 0n) end++;
    if (end - i > length) [start, length] = [i, end - i];
  }
  const hex = groups.map((group) => group.toString(16));
  if (length < 2) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}

/** Reads a network; throws an AddressError. */
export function parsePrefix(text: string): Prefix {
  const fail = (why: string): never => {
    throw new AddressError(`netip.ParsePrefix(${quoted(text)}): ${why}`);
  };
  const slash = text.lastIndexOf('/');
  if (slash === -1) return fail("no '/'");
  const address = tryAddress(text.slice(0, slash), fail);
  if (address.zone !== undefined) return fail('IPv6 zones cannot be present in a prefix');
  const digits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(digits)) return fail(`bad bits after slash: ${quoted(digits)}`);
  const length = Number(digits);
  if (length > (address.family === 4 ? 32 : 128)) return fail('prefix length out of range');
  return { address, length };
}

function tryAddress(text: string, fail: (why: string) => never): ReturnType<typeof parseAddress> {
  try {
    return parseAddress(text);
  } catch (error) {
    if (error instanceof AddressError) return fail(error.message);
    throw error;
  }
}

/** The address with only the bits of the network. */
export function maskedBits({ address, length }: Prefix): bigint {
  const rest = BigInt((address.family === 4 ? 32 : 128) - length);
  return (address.bits >> rest) << rest;
}

/** Whether it is an IPv4 address in the disguise of an IPv6 one. */
export const isMapped = ({ family, bits }: Address): boolean => family === 6 && bits >> 32n === 0xffffn;
