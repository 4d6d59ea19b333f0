import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findNetwork, readTaps, run, toNumber } from '@vireo/network';
import { networkOwner } from '@vireo/node/network/owner.ts';
import { attempt } from '../actions.ts';
import type { Ledger } from '../ledger.ts';
import type { FaultInjection } from '../plan.ts';
import type { TestBed } from '../testBed.ts';
import { burst } from './objects.ts';
import { parseTable } from './table.ts';

/** Breaks something of a network by a dice, and says what. */
type Damage = (network: string, dice: number) => Promise<string>;

const FAMILIES = [['inet'], ['arp'], ['inet', 'arp']] as const;
const STRAY = 'vtstray';

const pick = <T>(list: readonly T[], dice: number): T | undefined => list[Math.floor(dice * list.length)];
/** Another number of the same dice. */
const again = (dice: number): number => (dice * 7919) % 1;

const loseTables: Damage = async (network, dice) => {
  const families = pick(FAMILIES, dice) ?? [];
  for (const family of families) await run('nft', ['delete', 'table', family, network]);
  return `tables ${families.join(' and ')} are deleted`;
};

/** Flushes a set, map or chain, or takes one element out of it. */
const loseRules: Damage = async (network, dice) => {
  const family = dice < 0.8 ? 'inet' : 'arp';
  const json = await run('nft', ['-j', 'list', 'table', family, network]);
  const { chains, sets } = parseTable(json);
  const isMap = (name: string): boolean => json.includes(`{"map": {"family": "${family}", "name": "${name}"`);
  const things = [
    ...[...chains].filter(([, { rules }]) => rules.length > 0).map(([name]) => ({ kind: 'chain', name, element: '' })),
    ...[...sets].flatMap(([name, elements]) =>
      [...elements.keys()].map((element) => ({ kind: isMap(name) ? 'map' : 'set', name, element })),
    ),
  ];
  const { kind, name, element } = pick(things, again(dice)) ?? { kind: 'chain', name: 'input', element: '' };
  if (kind === 'chain' || dice < 0.3) {
    await run('nft', ['flush', kind, family, network, name]);
    return `${kind} ${family} ${name} is flushed`;
  }
  // Names of devices are texts to nft.
  const key = element.replace(/^vt\w+/, '"$&"');
  await run('nft', ['-f', '-'], `delete element ${family} ${network} ${name} { ${key} }\n`);
  return `${element} is gone from ${kind} ${family} ${name}`;
};

/** Adds what is not ours: a rule that lets everything pass, or an address that others would be let in from. */
const addRules: Damage = async (network, dice) => {
  const [words, command] =
    dice < 0.5
      ? ['a rule is added to inet sources', `insert rule inet ${network} sources accept`]
      : ['an element is added to inet underlays', `add element inet ${network} underlays { 192.0.2.66 }`];
  await run('nft', ['-f', '-'], `${command}\n`);
  return words;
};

/** Deletes a chain that packets come to first. */
const loseChain: Damage = async (network, dice) => {
  const { chains } = parseTable(await run('nft', ['-j', 'list', 'table', 'inet', network]));
  const hooked = [...chains].filter(([, { hook }]) => hook).map(([name]) => name);
  const name = pick(hooked, dice) ?? 'forward';
  await run('nft', ['-f', '-'], `flush chain inet ${network} ${name}\ndelete chain inet ${network} ${name}\n`);
  return `chain inet ${name} is deleted`;
};

const settings = (device: string, name: string): string => `/proc/sys/net/ipv4/conf/${device}/${name}`;
const ip = (words: string): Promise<string> => run('ip', words.split(' '));

const CARD_DAMAGES: Readonly<Record<string, (tap: string) => Promise<unknown>>> = {
  'is set down': (tap) => ip(`link set ${tap} down`),
  'loses its routes': (tap) => ip(`route flush dev ${tap}`),
  'loses what it has of IPv6': (tap) => ip(`-6 addr flush dev ${tap}`).then(() => ip(`-6 route flush dev ${tap}`)),
  'loses its neighbours': (tap) => ip(`neigh flush dev ${tap} nud permanent`),
  'gets another MTU': (tap) => ip(`link set ${tap} mtu 1280`),
  'does not answer for others': (tap) => writeFile(settings(tap, 'proxy_arp'), '0'),
  'does not forward': (tap) => writeFile(settings(tap, 'forwarding'), '0'),
};

/** The card of a guest is changed behind its back. A tap that is deleted cannot be brought back: QEMU has it open. */
const breakCard: Damage = async (network, dice) => {
  const tap = pick(await readTaps(network), dice);
  const [words, damage] = pick(Object.entries(CARD_DAMAGES), again(dice)) ?? [];
  if (!tap || !damage) return 'there is no card';
  await damage(tap);
  return `${tap} ${words}`;
};

const DEVICE_DAMAGES: Readonly<Record<string, string>> = {
  'is set down': 'link set DEVICE down',
  'loses its routes': 'route flush dev DEVICE',
  'loses its addresses': 'addr flush dev DEVICE',
  'is deleted': 'link del DEVICE',
};

const breakDevice: Damage = async (network, dice) => {
  const [words = '', command = ''] = pick(Object.entries(DEVICE_DAMAGES), dice) ?? [];
  await ip(command.replace('DEVICE', network));
  return `${network} ${words}`;
};

/** A network that another start would have left: a tap, and what an agent has noted of cards. */
const leaveStrays = async (network: string, home: string): Promise<string> => {
  const device = `${STRAY}${network.replace(/\D/g, '')}`;
  await ip(`tuntap add dev ${device} mode tap`);
  await run('ip', ['link', 'set', device, 'alias', `card of ${network}`]);
  const card = { uid: 'stale', namespace: 'storm', name: 'stale', iface: 'default', device, hostname: 'stale' };
  const noted = { ...card, mac: '02:00:00:00:00:01', address: '192.0.2.200', mtu: 1450 };
  await writeFile(join(home, 'network/cards/stale.json'), JSON.stringify(noted));
  await writeFile(join(home, 'network/cards/torn.json'), JSON.stringify(noted).slice(0, 40));
  return `${device}, a card of nobody and a torn one are left over`;
};

type Break = (network: string, injection: FaultInjection, testBed: TestBed) => Promise<string>;

/** Damage that the agent notices while it runs. */
const repairedWhileRunning =
  (damage: Break) =>
  async (testBed: TestBed, injection: FaultInjection, ledger: Ledger): Promise<void> => {
    const network = await findNetwork(networkOwner(testBed.home));
    if (network === undefined) return ledger.write('there is no network to break');
    // Another fault may have been faster.
    const words = await damage(network, injection, testBed).catch((error: Error) => error.message);
    ledger.write(`${injection.fault}: ${words}`);
  };

/** Damage that a start of the agent repairs: it is started again after a while. */
const repairedByStart =
  (damage: Break) =>
  async (testBed: TestBed, injection: FaultInjection, ledger: Ledger): Promise<void> => {
    await repairedWhileRunning(damage)(testBed, injection, ledger);
    const brokenAtMs = Date.now();
    await delay(injection.forMs);
    await testBed.ensure();
    // Another fault may have had it started again since.
    if (testBed.startedAtMs > brokenAtMs) return;
    await testBed.kill();
    await testBed.ensure();
  };

/** What goes wrong in the network of guests. Only devices and tables of the home are touched. */
export const NETWORK_FAULTS = {
  loseTables: repairedWhileRunning((network, { dice }) => loseTables(network, dice)),
  loseRules: repairedWhileRunning((network, { dice }) => loseRules(network, dice)),
  loseChain: repairedWhileRunning((network, { dice }) => loseChain(network, dice)),
  addRules: repairedWhileRunning((network, { dice }) => addRules(network, dice)),
  breakCard: repairedWhileRunning((network, { dice }) => breakCard(network, dice)),
  breakDevice: repairedWhileRunning((network, { dice }) => breakDevice(network, dice)),
  leaveStrays: repairedByStart((network, _, { home }) => leaveStrays(network, home)),
  /** Another program has the ports of the guests' servers while the agent starts, and lets go of them later. */
  takePorts: async (testBed: TestBed, { dice, forMs }: FaultInjection, ledger: Ledger) => {
    const network = await findNetwork(networkOwner(testBed.home));
    const gateway = network && (await gatewayOf(network));
    if (!gateway) return ledger.write('there is no network to break');
    await testBed.kill();
    const port = dice < 0.5 ? 53 : 67;
    await using _ = await hold(gateway, port);
    ledger.write(`takePorts: ${gateway}:${port} is taken`);
    await testBed.ensure();
    await delay(forMs);
  },
  /** Our process dies in the middle of many changes. */
  killAmidChanges: async (testBed: TestBed, { dice, forMs }: FaultInjection, ledger: Ledger) => {
    await testBed.ensure();
    const changes = burst((name) => ledger.get(name).exists === true);
    const sent = changes.map((change) => attempt(change, testBed, ledger, new AbortController().signal));
    await delay(dice * 400);
    await testBed.kill();
    await delay(forMs);
    await testBed.ensure();
    await Promise.all(sent);
  },
} as const;

async function gatewayOf(network: string): Promise<string | undefined> {
  const found = (await ip(`-4 -o addr show dev ${network}`)).matchAll(/inet ([\d.]+)/g);
  const [gateway] = [...found].map(([, address = '']) => address).sort((a, b) => toNumber(a) - toNumber(b));
  return gateway;
}

/** Takes a port from whoever comes next, until it is disposed of. */
async function hold(host: string, port: number): Promise<AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const datagrams = createSocket('udp4');
  const listening = once(datagrams, 'listening');
  datagrams.bind({ port, address: host, exclusive: true });
  stack.defer(() => new Promise<void>((resolve) => datagrams.close(() => resolve())));
  await listening.catch(() => {});
  const server = createServer().on('error', () => {});
  await new Promise<void>((resolve) => server.once('error', () => resolve()).listen(port, host, resolve));
  stack.defer(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return stack;
}
