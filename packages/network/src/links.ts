import { readFile, writeFile } from 'node:fs/promises';
import { forwardIpv6, hasIpv6 } from './forwarding6.ts';
import { removeProcessRules } from './guestProcesses.ts';
import { CommandError, isMissingProgram, run } from './run.ts';
import type { NetworkPlan, Plan6 } from './skeleton.ts';
import { ROUTER_ADDRESS } from './skeleton6.ts';
import { cidr4, cidr6, device, hostDevice, ipv4, ipv6, mac, word } from './text.ts';

/** Runs commands of `ip`, one a line, until one fails. */
export const batch = (lines: readonly string[]): Promise<string> => run('ip', ['-batch', '-'], `${lines.join('\n')}\n`);

interface Link {
  readonly ifname: string;
  readonly mtu?: number;
  /** Says whose device it is. */
  readonly ifalias?: string;
  /** `LOWER_UP` while somebody is at the other end: QEMU, for a tap. */
  readonly flags?: readonly string[];
}

/** The devices of this network namespace. */
export const readLinks = async (): Promise<Link[]> =>
  JSON.parse((await run('ip', ['-j', 'link', 'show'])) || '[]') as Link[];

/** The number of a device, which no later device of this namespace has; undefined if it is not there. */
export async function readLinkNumber(name: string): Promise<number | undefined> {
  const text = await readFile(`/sys/class/net/${device(name)}/ifindex`, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number(text);
}

/** The destinations of this namespace's routes, except those that lead to the devices that are named. */
export async function readRoutes(except: readonly string[] = []): Promise<string[]> {
  const routes = JSON.parse((await run('ip', ['-j', '-4', 'route', 'show', 'table', 'all'])) || '[]') as {
    dst?: string;
    dev?: string;
  }[];
  return routes.flatMap(({ dst, dev }) => (dst && dst !== 'default' && !except.includes(dev ?? '') ? [dst] : []));
}

/** The hardware address of the node's end of every card, on every node: a guest that moves still finds its gateway. */
export const GATEWAY_MAC = '02:56:00:00:00:01';
const SETTINGS = '/proc/sys/net/ipv4';

/** The name of the network that an owner has on this host. `owner`: what tells it from others, such as a hash of its directory. */
export const findNetwork = async (owner: string): Promise<string | undefined> =>
  (await readLinks()).find(({ ifalias }) => ifalias === aliasOf(owner))?.ifname;

/**
 * The name of the network of an owner: the one that it has already, else the first that is free, with its device made. It is
 * a bridge without ports: every kernel has it.
 */
export async function claimNetwork(owner: string): Promise<string> {
  const alias = aliasOf(word(owner));
  const links = await readLinks();
  const own = links.find(({ ifalias }) => ifalias === alias);
  if (own) return own.ifname;
  const taken = new Set(links.map(({ ifname }) => ifname));
  for (let number = 0; ; number++) {
    const name = `vireo${number}`;
    if (taken.has(name)) continue;
    try {
      await batch([`link add ${name} type bridge`, `link set ${name} alias "${alias}"`]);
      return name;
    } catch (error) {
      // Another owner was faster.
      if (!(error instanceof CommandError) || !/exists/i.test(error.stderr)) throw error;
    }
  }
}

const aliasOf = (owner: string): string => `vireo ${owner}`;

/** Makes the device of a network again that somebody has deleted. One that is there stays. */
export async function remakeNetwork(name: string, owner: string): Promise<void> {
  if ((await readLinks()).some(({ ifname }) => ifname === name)) return;
  await batch([`link add ${device(name)} type bridge`, `link set ${name} alias "${aliasOf(word(owner))}"`]);
}

/** Gives the device of a network the node's addresses and routes, or what is missing of them. */
export async function ensureNetwork(plan: NetworkPlan): Promise<void> {
  const name = device(plan.name);
  const wanted = new Set([plan.gateway, plan.own]);
  const former = (await readAddresses(name)).filter((address) => !wanted.has(address));
  const ranges = new Set([plan.serviceRange, plan.clusterRange]);
  const formerRoutes = (await readDeviceRoutes(name)).filter((route) => !ranges.has(route));
  await batch([
    ...(await formerLines6(name, plan.ipv6)),
    // Of ranges that the network had before.
    ...formerRoutes.map((route) => `route del ${cidr4(route)} dev ${name}`),
    ...former.map((address) => `addr del ${ipv4(address)}/32 dev ${name}`),
    `addr replace ${ipv4(plan.gateway)}/32 dev ${name}`,
    `addr replace ${ipv4(plan.own)}/32 dev ${name}`,
    `link set ${name} up`,
    // Without these routes, a host that has no default route would never get to the rules of Services, and one that has it
    // would send what is for guests that do not exist out of the house. The rules refuse what comes to them.
    `route replace ${cidr4(plan.serviceRange)} dev ${name} src ${plan.own}`,
    `route replace ${cidr4(plan.clusterRange)} dev ${name} src ${plan.own}`,
    ...(plan.ipv6 ? networkLines6(name, plan.ipv6) : []),
  ]);
  if (plan.ipv6) await forwardIpv6();
  if ((await readFile(`${SETTINGS}/ip_forward`, 'utf8')).trim() !== '1') await writeFile(`${SETTINGS}/ip_forward`, '1');
}

/** The addresses of a device. */
async function readAddresses(name: string, family: '-4' | '-6' = '-4'): Promise<string[]> {
  const text = await run('ip', ['-j', family, 'addr', 'show', 'dev', device(name), 'scope', 'global']);
  const links = JSON.parse(text || '[]') as { addr_info?: { local?: string }[] }[];
  return links.flatMap(({ addr_info = [] }) => addr_info.flatMap(({ local }) => (local ? [local] : [])));
}

/** What fits into a packet of the device that has an address; undefined if none has it. */
export async function readMtu(address: string): Promise<number | undefined> {
  const links = JSON.parse((await run('ip', ['-j', 'addr', 'show', 'to', ipv4(address)])) || '[]') as Partial<Link>[];
  return links.find(({ mtu }) => mtu !== undefined)?.mtu;
}

/** Where the IPv4 routes of a device lead; addresses are ranges of one. */
export async function readDeviceRoutes(name: string): Promise<string[]> {
  const routes = JSON.parse((await run('ip', ['-j', '-4', 'route', 'show', 'dev', device(name)])) || '[]') as {
    dst: string;
  }[];
  return routes.map(({ dst }) => (dst.includes('/') ? dst : `${dst}/32`));
}

/** The same of its IPv6 routes, without those that every device has. */
export async function readDeviceRoutes6(name: string): Promise<string[]> {
  const routes = JSON.parse((await run('ip', ['-j', '-6', 'route', 'show', 'dev', device(name)])) || '[]') as {
    dst: string;
  }[];
  return routes
    .map(({ dst }) => (dst.includes('/') ? dst : `${dst}/128`))
    .filter((range) => !range.startsWith('fe80:') && !range.startsWith('ff'));
}

/** The commands that remove what a network had by IPv6 before. */
async function formerLines6(name: string, plan: Plan6 | undefined): Promise<string[]> {
  if (!plan && !(await hasIpv6())) return [];
  const wanted = new Set(plan ? [plan.gateway, plan.own] : []);
  const ranges = new Set(
    plan ? [plan.clusterRange, plan.serviceRange, ...[...wanted].map((each) => `${each}/128`)] : [],
  );
  const routes = (await readDeviceRoutes6(name)).filter((route) => !ranges.has(route));
  const addresses = (await readAddresses(name, '-6')).filter((address) => !wanted.has(address));
  return [
    // The route to an address goes with it.
    ...addresses.map((address) => `addr del ${ipv6(address)}/128 dev ${name}`),
    ...routes
      .filter((route) => !addresses.some((address) => route === `${address}/128`))
      .map((route) => `route del ${cidr6(route)} dev ${name}`),
  ];
}

const networkLines6 = (name: string, { gateway, own, clusterRange, serviceRange }: Plan6): string[] => [
  // Nobody else is on this device who could have the same address: there is no need to ask, and to wait for a reply.
  `addr replace ${ipv6(gateway)}/128 dev ${name} nodad`,
  `addr replace ${ipv6(own)}/128 dev ${name} nodad`,
  ...[clusterRange, ...(serviceRange ? [serviceRange] : [])].map(
    (range) => `route replace ${cidr6(range)} dev ${name} src ${own}`,
  ),
];

/** Removes the network of an owner, its cards and its rules. What is not there is no error. */
export async function removeNetwork(owner: string): Promise<void> {
  await removeProcessRules(owner);
  const links = await readLinks().catch((error: unknown) => {
    // Without the program `ip` there was never a network.
    if (isMissingProgram(error)) return [];
    throw error;
  });
  const own = links.find(({ ifalias }) => ifalias === aliasOf(owner));
  if (!own) return;
  const name = own.ifname;
  const marked = links.filter(({ ifalias }) => ifalias?.endsWith(` of ${name}`)).map(({ ifname }) => ifname);
  const others = [unfinishedBridge(name), overlayName(name), wireguardName(name)];
  for (const each of [...marked, ...others]) await removeLink(each);
  const tables = ['arp', 'inet', 'ip', 'ip6', 'netdev'].flatMap((family) => [
    `add table ${family} ${name}`,
    `delete table ${family} ${name}`,
  ]);
  await run('nft', ['-f', '-'], `${tables.join('\n')}\n`);
  // Last, for it tells whose the rest is.
  await removeLink(name);
}

/** Removes the network of an owner that is gone, unless guests still use it. */
export async function removeAbandonedNetwork(owner: string): Promise<void> {
  const links = await readLinks();
  const own = links.find(({ ifalias }) => ifalias === aliasOf(owner));
  const isUsed = links.some(
    ({ ifalias, flags }) => own && ifalias?.endsWith(tapAlias(own.ifname)) && flags?.includes('LOWER_UP'),
  );
  if (!isUsed) await removeNetwork(owner);
}

/** What a bridge for guests is called until it is marked as a network's: whatever has its own name is marked. */
export const unfinishedBridge = (network: string): string => `${device(network)}-new`;

/** The device by which a network reaches other nodes in the clear. */
export const overlayName = (network: string): string => `${device(network)}-vx`;
/** The device by which a network reaches other nodes encrypted. */
export const wireguardName = (network: string): string => `${device(network)}-wg`;

/** The taps of a network. */
export const readTaps = async (network: string): Promise<string[]> =>
  (await readLinks()).filter(({ ifalias }) => isMarked(ifalias, tapAlias(network))).map(({ ifname }) => ifname);

const tapAlias = (network: string): string => `card of ${network}`;

/** The longest name of an owner that an alias holds, of 255 bytes. */
const LONGEST_OWNER = 200;

/** The mark of a device with its owner's name, for whoever reads `ip link`. What is no letter of a name becomes `_`. */
export const ownedAlias = (owner: string | undefined, mark: string): string => {
  if (owner === undefined) return mark;
  const safe = owner.replace(/[^\w./-]/g, '_');
  return `${safe.length > LONGEST_OWNER ? `${safe.slice(0, LONGEST_OWNER)}...` : safe}: ${mark}`;
};

/** Whether an alias is a mark, with the name of an owner or without. */
export const isMarked = (alias: string | undefined, mark: string): boolean =>
  alias === mark || alias?.endsWith(`: ${mark}`) === true;

/** A guest's card, as the kernel of its node sees it. */
export interface Tap {
  readonly device: string;
  /** Whose it is, for whoever looks: `default/web`. */
  readonly owner?: string;
  readonly mac: string;
  readonly address: string;
  readonly address6?: string;
  readonly mtu: number;
  /** Whether several processors may send at once. */
  readonly isMultiqueue?: boolean;
  /** The guest is on another node still: packets for it do not go here. */
  readonly isIncoming?: boolean;
}

/** Makes a tap with a route to its guest; one that is there stays, with what it lacks. Returns whether it was missing. */
export async function ensureTap(plan: Pick<NetworkPlan, 'own' | 'name' | 'ipv6'>, tap: Tap): Promise<boolean> {
  const name = device(tap.device);
  const make = `tuntap add dev ${name} mode tap vnet_hdr${tap.isMultiqueue ? ' multi_queue' : ''}`;
  const connect = connectLines(plan, tap);
  let wasMissing = true;
  try {
    await batch([make, ...connect]);
  } catch (error) {
    if (!(error instanceof CommandError) || !/busy|exists/i.test(error.stderr)) throw error;
    wasMissing = false;
    await batch(connect);
  }
  await connectTap(name);
  return wasMissing;
}

/** The commands that connect a device to its guest. It is known before the guest says anything: DHCP replies need that. */
export const connectLines = (
  { own, name: network, ipv6: plan6 }: Pick<NetworkPlan, 'own' | 'name' | 'ipv6'>,
  { device: name, owner, mac: hardware, address, address6, mtu, isIncoming }: Tap,
): string[] => [
  `link set ${device(name)} alias "${ownedAlias(owner, tapAlias(device(network)))}"`,
  // It has the one link-local address that guests know, and is to make up none of its own.
  ...(plan6 ? [`link set ${name} addrgenmode none`] : []),
  `link set ${device(name)} address ${GATEWAY_MAC} mtu ${mtu} up`,
  `neigh replace ${ipv4(address)} lladdr ${mac(hardware)} dev ${name} nud permanent`,
  ...(isIncoming ? [] : [`route replace ${address}/32 dev ${name} src ${ipv4(own)}`]),
  ...(plan6 && address6 !== undefined
    ? [
        `addr replace ${ROUTER_ADDRESS}/64 dev ${name} nodad`,
        `neigh replace ${ipv6(address6)} lladdr ${hardware} dev ${name} nud permanent`,
        // Before the routes to other nodes: as long as a guest is here, its packets stay here.
        ...(isIncoming ? [] : [`route replace ${address6}/128 dev ${name} src ${ipv6(plan6.own)} metric 1`]),
      ]
    : []),
];

/** Has the node answer for all other guests, at once: its end of the card stands for the whole network. */
export async function connectTap(name: string): Promise<void> {
  await writeFile(`${SETTINGS}/conf/${device(name)}/proxy_arp`, '1');
  await writeFile(`${SETTINGS}/neigh/${name}/proxy_delay`, '0');
  // New devices have what the host sets for new ones, which need not be what it has for itself.
  await writeFile(`${SETTINGS}/conf/${name}/forwarding`, '1');
}

/** Removes a device, its routes with it; one that is gone is no error. */
export async function removeLink(name: string): Promise<void> {
  try {
    await run('ip', ['link', 'del', hostDevice(name)]);
  } catch (error) {
    if (!(error instanceof CommandError) || !/cannot find device/i.test(error.stderr)) throw error;
  }
}
