import { isIPv4, isIPv6 } from 'node:net';
import { nthAddress, parseRange, prefixLength, toAddress, toNumber } from '../ranges.ts';
import { canonicalRange6 } from '../ranges6.ts';
import { ConfigError, FieldReader, type Fields, isFields } from './fields.ts';
import { type AddressRange6, address6At, hostLocalRange6, isCidr6, staticAddress6 } from './ipam6.ts';

/** Addresses that cards of a network may have. */
export interface AddressRange {
  /** `10.77.0.0/24` */
  readonly subnet: string;
  /** The first and the last, as numbers. */
  readonly first: number;
  readonly last: number;
  readonly gateway?: string;
  /** Ranges that nobody gets. */
  readonly exclude?: readonly string[];
}

/** A way to a network; by the range's gateway where it names none. */
export interface Route {
  readonly destination: string;
  readonly gateway?: string;
}

export interface NameServers {
  readonly nameservers: readonly string[];
  /** Those with IPv6 addresses. */
  readonly nameservers6?: readonly string[];
  readonly domain?: string;
  readonly search: readonly string[];
}

/** How cards of a network get addresses. */
export interface Ipam {
  readonly type: 'host-local' | 'static';
  readonly ranges: readonly AddressRange[];
  readonly ranges6?: readonly AddressRange6[];
  readonly routes: readonly Route[];
  readonly routes6?: readonly Route[];
  readonly dns: NameServers;
}

const isCidr4 = (text: string): boolean => {
  const [address = '', length = '', ...rest] = text.split('/');
  return rest.length === 0 && isIPv4(address) && /^\d{1,2}$/.test(length) && Number(length) <= 32;
};
const isCidr = (text: string): boolean => isCidr4(text) || isCidr6(text);
/** What the options of DHCP take: labels of at most 63 bytes. */
const isDomain = (text: string): boolean =>
  text.length < 254 &&
  text
    .replace(/\.$/, '')
    .split('.')
    .every((label) => /^[\w-]{1,63}$/.test(label));

/**
 * Reads the `ipam` of a CNI configuration; undefined where guests find their addresses themselves. `warn`: told of what
 * cannot be had.
 */
export function parseIpam(config: FieldReader, warn: (message: string) => void): Ipam | undefined {
  const ipam = config.object('ipam');
  const type = ipam?.text('type');
  // `dhcp` leaves addresses to a server on the network, which guests ask themselves.
  if (!ipam || type === undefined || type === 'dhcp') return undefined;
  if (type !== 'host-local' && type !== 'static')
    throw new ConfigError(
      `${ipam.at('type')} is ${JSON.stringify(type)}; host-local, static and dhcp are supported, or leave ipam out`,
    );
  const all = type === 'static' ? staticAddresses(ipam, warn) : hostLocalRanges(ipam, warn);
  if (all.length === 0)
    throw new ConfigError(`${ipam.at(type === 'static' ? 'addresses' : 'ranges')} has no address to give out`);
  const [ranges, ranges6] = [all.filter((each) => !isRange6(each)), all.filter(isRange6)];
  const given = ipam.list('routes').map((route) => parseRoute(route, warn));
  const [routes, routes6] = [given.filter((each) => !isRoute6(each)), given.filter(isRoute6)];
  const dns = parseDns(ipam.object('dns') ?? config.object('dns'));
  if (type === 'host-local') for (const name of ['dataDir', 'resolvConf', 'name']) ipam.raw(name);
  for (const field of ipam.unknown()) warn(`${field} is not supported and is ignored`);
  return {
    type,
    ranges: ranges as AddressRange[],
    ...(ranges6.length > 0 && { ranges6 }),
    routes,
    ...(routes6.length > 0 && { routes6 }),
    dns,
  };
}

type AnyRange = AddressRange | AddressRange6;
const isRange6 = (range: AnyRange): range is AddressRange6 => range.subnet.includes(':');
const isRoute6 = ({ destination }: Route): boolean => destination.includes(':');

/** The first of each family; `extra` is told of the others. */
function firstOfEach<T extends object>(all: readonly T[], isSix: (each: T) => boolean, extra: (each: T) => void): T[] {
  const chosen = [all.find((each) => !isSix(each)), all.find(isSix)].filter((each) => each !== undefined);
  for (const each of all) if (!chosen.includes(each)) extra(each);
  return chosen;
}

function staticAddresses(ipam: FieldReader, warn: (message: string) => void): AnyRange[] {
  const all = ipam.list('addresses').map((each): AnyRange => {
    const address = each.textOf('address', isCidr, 'an address with the length of its prefix, such as 10.77.0.5/24');
    if (address === undefined) throw new ConfigError(`${each.at('address')} is missing`);
    if (isCidr6(address)) return staticAddress6(each, address);
    const gateway = each.textOf('gateway', isIPv4, 'an IPv4 address');
    const value = toNumber(address.split('/')[0] ?? '');
    return { subnet: subnetOf(address), first: value, last: value, ...(gateway && { gateway }) };
  });
  return firstOfEach(all, isRange6, ({ first }) =>
    warn(
      `${ipam.at('addresses')}: ${typeof first === 'number' ? toAddress(first) : first} is ignored: a card gets one of each family`,
    ),
  );
}

function hostLocalRanges(ipam: FieldReader, warn: (message: string) => void): AnyRange[] {
  // The form of CNI 0.2: one range, without a list.
  const flat = ipam.raw('subnet') === undefined ? [] : [[ipam]];
  const sets = ipam.raw('ranges') ?? [];
  const isSets = Array.isArray(sets) && sets.every((set) => Array.isArray(set) && set.every(isFields));
  if (!isSets) throw new ConfigError(`${ipam.at('ranges')} must be a list of lists of ranges`);
  const listed = (sets as Fields[][]).map((set, index) =>
    set.map((range, place) => new FieldReader(range, ipam.at(`ranges[${index}][${place}]`))),
  );
  const all = [...flat, ...listed].map((set) => set.map(parseHostLocalRange)).filter((set) => set.length > 0);
  for (const set of all)
    if (set.some(isRange6) && !set.every(isRange6))
      throw new ConfigError(`${ipam.at('ranges')}: ${set.map(({ subnet }) => subnet).join(', ')} are of two families`);
  const chosen = firstOfEach(
    all,
    (set) => set.every(isRange6),
    ([range]) => warn(`${ipam.at('ranges')}: ${range?.subnet} is ignored: a card gets one address of each family`),
  );
  return chosen.flat();
}

function parseHostLocalRange(range: FieldReader): AnyRange {
  const given = range.textOf('subnet', isCidr, 'a range such as 10.77.0.0/24');
  if (given === undefined) throw new ConfigError(`${range.at('subnet')} is missing`);
  if (isCidr6(given)) return hostLocalRange6(range, given);
  const subnet = subnetOf(given);
  const { first: start, size } = parseRange(subnet);
  if (size < 4) throw new ConfigError(`${range.at('subnet')} ${given} is too small: it has no addresses for guests`);
  const inSubnet = (name: string): string | undefined =>
    range.textOf(
      name,
      (text) => isIPv4(text) && toNumber(text) >= start && toNumber(text) < start + size,
      `an address of ${subnet}`,
    );
  const [rangeStart, rangeEnd] = [inSubnet('rangeStart'), inSubnet('rangeEnd')];
  const first = Math.max(start + 1, rangeStart === undefined ? 0 : toNumber(rangeStart));
  const last = Math.min(start + size - 2, rangeEnd === undefined ? Number.POSITIVE_INFINITY : toNumber(rangeEnd));
  if (first > last) throw new ConfigError(`${range.at('rangeStart')} ${rangeStart} comes after rangeEnd ${rangeEnd}`);
  const exclude = range.texts('exclude').map((text, index) => {
    const cidr = isIPv4(text) ? `${text}/32` : text;
    if (!isCidr4(cidr))
      throw new ConfigError(`${range.at(`exclude[${index}]`)} is ${JSON.stringify(text)}, but must be an IPv4 range`);
    return cidr;
  });
  const gateway = range.textOf('gateway', isIPv4, 'an IPv4 address') ?? nthAddress(subnet, 1);
  return { subnet, first, last, gateway, ...(exclude.length > 0 && { exclude }) };
}

function parseRoute(route: FieldReader, warn: (message: string) => void): Route {
  const destination = route.textOf('dst', isCidr, 'a range such as 0.0.0.0/0');
  if (destination === undefined) throw new ConfigError(`${route.at('dst')} is missing`);
  const isSix = isCidr6(destination);
  const gateway = isSix ? address6At(route, 'gw') : route.textOf('gw', isIPv4, 'an IPv4 address');
  for (const field of route.unknown()) warn(`${field} is not supported and is ignored`);
  return {
    destination: isSix ? canonicalRange6(destination) : subnetOf(destination),
    ...(gateway && { gateway }),
  };
}

function parseDns(dns: FieldReader | undefined): NameServers {
  if (!dns) return { nameservers: [], search: [] };
  const servers = dns.texts('nameservers').map((server) => {
    if (isIPv4(server) || (isIPv6(server) && !server.includes('%'))) return server;
    throw new ConfigError(`${dns.at('nameservers')} has ${JSON.stringify(server)}, which is not an address`);
  });
  const domain = dns.textOf('domain', isDomain, 'a domain');
  const search = dns.texts('search').map((each) => {
    if (!isDomain(each))
      throw new ConfigError(`${dns.at('search')} has ${JSON.stringify(each)}, which is not a domain`);
    return each.replace(/\.$/, '');
  });
  const [nameservers, nameservers6] = [servers.filter(isIPv4), servers.filter(isIPv6)];
  return { nameservers, ...(nameservers6.length > 0 && { nameservers6 }), search, ...(domain && { domain }) };
}

const subnetOf = (cidr: string): string => `${toAddress(parseRange(cidr).first)}/${prefixLength(cidr)}`;
