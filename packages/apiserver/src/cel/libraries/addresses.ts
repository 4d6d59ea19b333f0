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

type Fail = (why: string, at?: string) => never;

/** Reads an address; throws an AddressError. */
export function parseAddress(text: string): Address & { readonly zone?: string } {
  const fail: Fail = (why, at) => {
    throw new AddressError(`ParseAddr(${quoted(text)}): ${why}${at ? ` (at ${quoted(at)})` : ''}`);
  };
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === '.') return { family: 4, bits: parseV4(text, fail) };
  if (mark === ':') return parseV6(text, fail);
  return fail(mark === '%' ? 'missing IPv6 address' : 'unable to parse IP');
}

function parseV4(text: string, fail: Fail): bigint {
  const fields: number[] = [];
  let field = '';
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string;
    if (character >= '0' && character <= '9') {
      if (field === '0') fail('IPv4 field has octet with leading zero');
      field += character;
      if (Number(field) > 255) fail('IPv4 field has value >255');
    } else if (character === '.') {
      if (field === '' || i === text.length - 1) fail('IPv4 field must have at least one digit', text.slice(i));
      if (fields.length === 3) fail('IPv4 address too long');
      fields.push(Number(field));
      field = '';
    } else fail('unexpected character', text.slice(i));
  }
  if (fields.length < 3) fail('IPv4 address too short');
  return [...fields, Number(field)].reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function parseV6(text: string, fail: Fail): Address & { zone?: string } {
  const percent = text.indexOf('%');
  const zone = percent === -1 ? undefined : text.slice(percent + 1);
  if (zone === '') fail('zone must be a non-empty string');
  const { groups, gap } = groupsOf(percent === -1 ? text : text.slice(0, percent), fail);
  if (groups.length < 8 && gap === undefined) fail('address string too short');
  if (groups.length === 8 && gap !== undefined) fail('the :: must expand to at least one field of zeros');
  if (gap !== undefined) groups.splice(gap, 0, ...Array<bigint>(8 - groups.length).fill(0n));
  const bits = groups.reduce((sum, group) => (sum << 16n) | group, 0n);
  return { family: 6, bits, ...(zone !== undefined && { zone }) };
}

/** The groups between colons, and before which of them there are two colons. */
function groupsOf(text: string, fail: Fail): { groups: bigint[]; gap: number | undefined } {
  const groups: bigint[] = [];
  let rest = text;
  let gap: number | undefined;
  if (rest.startsWith('::')) {
    gap = 0;
    rest = rest.slice(2);
  }
  while (groups.length < 8 && rest !== '') {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] as string;
    if (digits.length > 4) fail('each group must have 4 or less digits', rest);
    if (digits === '') fail('each colon-separated field must have at least one digit', rest);
    if (rest[digits.length] === '.') {
      if (gap === undefined && groups.length !== 6)
        fail('embedded IPv4 address must replace the final 2 fields of the address', rest);
      if (groups.length > 6) fail('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      const bits = parseV4(rest, fail);
      groups.push(bits >> 16n, bits & 0xffffn);
      return { groups, gap };
    }
    groups.push(BigInt(`0x${digits}`));
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) fail('unexpected character, want colon', rest);
    if (rest === ':') fail('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (!rest.startsWith(':')) continue;
    if (gap !== undefined) fail('multiple :: in address', rest);
    gap = groups.length;
    rest = rest.slice(1);
  }
  if (rest !== '') fail('trailing garbage after address', rest);
  return { groups, gap };
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
