import { isIPv6 } from 'node:net';
import { canonical6, canonicalRange6, contains6, nthAddress6, parseRange6, toAddress6, toBigInt } from '../ranges6.ts';
import { ConfigError, type FieldReader } from './fields.ts';

/** IPv6 addresses that cards of a network may have, as they are usually written. */
export interface AddressRange6 {
  /** `fd77::/64` */
  readonly subnet: string;
  readonly first: string;
  readonly last: string;
  readonly gateway?: string;
  /** Ranges that nobody gets. */
  readonly exclude?: readonly string[];
}

const isAddress6 = (text: string): boolean => isIPv6(text) && !text.includes('%');

/** Whether a text is an IPv6 range. */
export const isCidr6 = (text: string): boolean => {
  const [address = '', length = '', ...rest] = text.split('/');
  return rest.length === 0 && isAddress6(address) && /^\d{1,3}$/.test(length) && Number(length) <= 128;
};

/** An IPv6 address of a configuration, as it is usually written. */
export function address6At(fields: FieldReader, name: string): string | undefined {
  const text = fields.textOf(name, isAddress6, 'an IPv6 address');
  return text === undefined ? undefined : canonical6(text);
}

/** One address of `static`. */
export function staticAddress6(each: FieldReader, given: string): AddressRange6 {
  const gateway = address6At(each, 'gateway');
  const address = canonical6(given.split('/')[0] ?? '');
  return { subnet: canonicalRange6(given), first: address, last: address, ...(gateway && { gateway }) };
}

/** One range of `host-local`. Its first address is that of all routers of the network, the next one the gateway's. */
export function hostLocalRange6(range: FieldReader, given: string): AddressRange6 {
  const subnet = canonicalRange6(given);
  const { first: start, size } = parseRange6(subnet);
  if (size < 4n) throw new ConfigError(`${range.at('subnet')} ${given} is too small: it has no addresses for guests`);
  const inSubnet = (name: string): string | undefined => {
    const text = range.textOf(name, (each) => isAddress6(each) && contains6(subnet, each), `an address of ${subnet}`);
    return text === undefined ? undefined : canonical6(text);
  };
  const [rangeStart, rangeEnd] = [inSubnet('rangeStart'), inSubnet('rangeEnd')];
  const first = rangeStart ?? toAddress6(start + 1n);
  const last = rangeEnd ?? toAddress6(start + size - 1n);
  if (toBigInt(first) > toBigInt(last))
    throw new ConfigError(`${range.at('rangeStart')} ${rangeStart} comes after rangeEnd ${rangeEnd}`);
  const exclude = range.texts('exclude').map((text, index) => {
    const cidr = isAddress6(text) ? `${text}/128` : text;
    if (!isCidr6(cidr))
      throw new ConfigError(`${range.at(`exclude[${index}]`)} is ${JSON.stringify(text)}, but must be an IPv6 range`);
    return canonicalRange6(cidr);
  });
  const gateway = address6At(range, 'gateway') ?? nthAddress6(subnet, 1);
  return { subnet, first, last, gateway, ...(exclude.length > 0 && { exclude }) };
}
