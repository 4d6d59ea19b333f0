import { Resolver } from 'node:dns/promises';
import { readdir, readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { findNetwork, run, toNumber } from '@vireo/network';
import { networkOwner } from '@vireo/node/network/owner.ts';
import { parseTable, type Table } from './table.ts';

/** The network of a home, as the kernel has it. */
export interface KernelNetwork {
  /** The name of its device and of its tables. */
  readonly name: string;
  readonly isUp: boolean;
  /** Of both families, without link-local ones. */
  readonly addresses: readonly string[];
  /** Where the routes of the device lead, without those that addresses bring along. */
  readonly routes: readonly string[];
  /** Whether the host forwards packets at all. */
  readonly isForwarding: boolean;
  readonly taps: readonly Tap[];
  /** What the agent has noted of cards. */
  readonly cards: readonly NotedCard[];
  /** Missing where somebody has deleted it. */
  readonly tables: { readonly inet?: Table; readonly arp?: Table };
  /** The addresses of names that were asked for, or the error. */
  readonly names: Readonly<Record<string, string>>;
  readonly hasDhcp: boolean;
}

/** A device that its alias tells to be a card of the network. */
export interface Tap {
  readonly device: string;
  readonly isUp: boolean;
  /** Whether a QEMU has it open. */
  readonly hasCarrier: boolean;
  readonly mtu: number;
  /** Its link-local addresses. */
  readonly addresses: readonly string[];
  readonly routes: readonly string[];
  /** Its permanent neighbours: `10.244.0.7 02:…`. */
  readonly neighbours: readonly string[];
  /** Those of its settings that are not as they should be. */
  readonly wrongSettings: readonly string[];
}

/** A file of the agent. */
export interface NotedCard {
  readonly uid: string;
  readonly device: string;
  readonly address: string;
  readonly address6?: string;
  readonly mtu: number;
}

interface Route {
  readonly dst: string;
  readonly dev: string;
  readonly protocol?: string;
}

interface Neighbour {
  readonly dst: string;
  readonly dev: string;
  readonly lladdr: string;
}

interface Link {
  readonly ifname: string;
  readonly flags: readonly string[];
  readonly mtu: number;
  readonly ifalias?: string;
  readonly addr_info?: readonly { local: string; scope: string }[];
}

const TAP_SETTINGS = { 'conf/TAP/proxy_arp': '1', 'conf/TAP/forwarding': '1', 'neigh/TAP/proxy_delay': '0' };

/** Reads the network of a home; undefined where it has none. `names` are asked for at its DNS server. */
export async function readKernel(home: string, names: readonly string[]): Promise<KernelNetwork | undefined> {
  const name = await findNetwork(networkOwner(home)).catch(() => undefined);
  if (name === undefined) return undefined;
  const [links, routes, neighbours, inet, arp, cards] = await Promise.all([
    ip<Link>('-d', 'addr', 'show'),
    ofBoth<Route>('route', 'show', 'table', 'main'),
    ofBoth<Neighbour>('neigh', 'show', 'nud', 'permanent'),
    readTable('inet', name),
    readTable('arp', name),
    readCards(join(home, 'network/cards')),
  ]);
  const own = links.find(({ ifname }) => ifname === name);
  const addressesOf = ({ addr_info = [] }: Link, wanted: 'global' | 'link'): string[] =>
    addr_info.filter(({ scope }) => scope === wanted).map(({ local }) => local);
  const addresses = own ? addressesOf(own, 'global') : [];
  const routesOf = (device: string): string[] =>
    routes.filter(({ dev, protocol }) => dev === device && protocol !== 'kernel').map(({ dst }) => dst);
  const taps = links
    .filter(({ ifalias }) => ifalias?.replace(/^.*: /, '') === `card of ${name}`)
    .map(async (link) => {
      const { ifname, flags, mtu } = link;
      return {
        device: ifname,
        isUp: flags.includes('UP'),
        hasCarrier: flags.includes('LOWER_UP'),
        mtu,
        addresses: addressesOf(link, 'link'),
        routes: routesOf(ifname),
        neighbours: neighbours.filter(({ dev }) => dev === ifname).map(({ dst, lladdr }) => `${dst} ${lladdr}`),
        wrongSettings: await wrongSettings(ifname),
      };
    });
  return {
    name,
    isUp: own?.flags.includes('UP') ?? false,
    addresses,
    routes: routesOf(name),
    isForwarding: (await setting('ip_forward')) === '1',
    taps: await Promise.all(taps),
    cards,
    tables: { ...(inet && { inet }), ...(arp && { arp }) },
    names: await lookUp(names, addresses),
    hasDhcp: await hasSocket(addresses, 67),
  };
}

const ip = async <T>(...words: string[]): Promise<T[]> =>
  JSON.parse((await run('ip', ['-j', ...words])) || '[]') as T[];

/** Of IPv4 and IPv6; a host without IPv6 has nothing of it. */
const ofBoth = async <T>(...words: string[]): Promise<T[]> =>
  (await Promise.all([ip<T>('-4', ...words), ip<T>('-6', ...words).catch(() => [])])).flat();

const readTable = (family: string, name: string): Promise<Table | undefined> =>
  run('nft', ['-j', 'list', 'table', family, name]).then(parseTable, () => undefined);

const setting = (path: string): Promise<string | undefined> =>
  readFile(`/proc/sys/net/ipv4/${path}`, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );

async function wrongSettings(device: string): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(TAP_SETTINGS).map(async ([path, wanted]) => {
      const value = await setting(path.replace('TAP', device));
      return value === wanted ? [] : [`${path.split('/')[2]} ${value}`];
    }),
  );
  return found.flat();
}

async function readCards(directory: string): Promise<NotedCard[]> {
  const files = await readdir(directory).catch(() => []);
  const cards = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(directory, file), 'utf8').catch(() => undefined);
      if (text === undefined) return [];
      try {
        return [JSON.parse(text) as NotedCard];
      } catch {
        return [{ uid: file, device: '', address: '', mtu: 0 }];
      }
    }),
  );
  return cards.flat();
}

/** Asks the DNS server of guests, which is at the lowest of the addresses. */
async function lookUp(names: readonly string[], addresses: readonly string[]): Promise<Record<string, string>> {
  const [server] = addresses.filter(isIPv4).sort((a, b) => toNumber(a) - toNumber(b));
  if (server === undefined) return {};
  const resolver = new Resolver({ timeout: 1000, tries: 1 });
  resolver.setServers([server]);
  const answers = names.map(async (name) => {
    const answer = await resolver.resolve4(name).then(
      (found) => found.sort().join(', '),
      (error: NodeJS.ErrnoException) => error.code ?? error.message,
    );
    return [name, answer] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

/** Whether somebody on this host takes datagrams at a port of one of the addresses. */
async function hasSocket(addresses: readonly string[], port: number): Promise<boolean> {
  const text = await readFile('/proc/net/udp', 'utf8');
  return addresses.filter(isIPv4).some((address) => {
    const octets = address.split('.').map((octet) => Number(octet).toString(16).padStart(2, '0'));
    return text.includes(`${octets.reverse().join('')}:${port.toString(16).padStart(4, '0')} `.toUpperCase());
  });
}
