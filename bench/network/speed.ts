import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TaskProcess, withCpu } from '../processes.ts';
import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import type { Bench } from './bench.ts';
import { guestPid } from './cpuShare.ts';
import type { Guest } from './guest.ts';
import type { Guests } from './guests.ts';
import type { OutsideTasks } from './outside.ts';
import { PORTS } from './places.ts';
import { pingMs, receive, send, type Transfer } from './transfers.ts';

type OutsideFlow = 'toOutside' | 'fromOutside';
type Flow = OutsideFlow | 'toHost' | 'fromHost' | 'toGuest';
/** Rates in Mbit/s, and the CPU time of the guests' processes in ms per MB. */
type Flows<F extends Flow> = Readonly<Record<F | `${F}Cpu`, number>>;
/** And round-trip times in ms. */
type OutsideFigures = Flows<OutsideFlow> & { readonly outsideMs: number };
type Figures = Flows<Flow> & OutsideFigures & { readonly hostMs: number; readonly guestMs: number };

/** How fast data flows between guests, their host and a host outside, on each network. */
export async function speed(bench: Bench, guests: Guests): Promise<Result[]> {
  const { plan, outside, vireo, beside, onProgress } = bench;
  const ours = ({ domain }: Guest): Promise<number> => guestPid(vireo.layout.libvirt, domain);
  const theirs = (guest: Guest): Promise<number> => beside.pidOf(guest);
  const routed = await pairOf(outside, guests.routed, plan.roundTrips, ours);
  const libvirt = await pairOf(outside, guests.libvirt, plan.roundTrips, theirs);
  const userPid = await theirs(guests.user);
  const user = (seconds: number): Promise<OutsideFigures> =>
    outsideFigures(outside, guests.user, userPid, seconds, plan.roundTrips);
  onProgress('speed: warming up');
  for (const each of [routed, libvirt, user]) await each(plan.secondsEach / 4);
  let round = 0;
  const contestants = {
    routed: () => {
      onProgress(`speed: round ${++round}`);
      return routed(plan.secondsEach);
    },
    libvirt: () => libvirt(plan.secondsEach),
    user: () => user(plan.secondsEach),
  };
  const budgetMs = plan.budgetSeconds * 1000;
  const measured = await rounds(plan.speedRounds, contestants, { warmUp: false, budgetMs });
  return resultsOf(measured, rows);
}

const FLOWS: readonly (readonly [Flow, string])[] = [
  ['toGuest', 'guest to guest'],
  ['toHost', 'guest to host'],
  ['fromHost', 'host to guest'],
  ['toOutside', 'guest to outside'],
  ['fromOutside', 'outside to guest'],
];

function rows({ routed, libvirt, user }: { routed: Figures; libvirt: Figures; user: OutsideFigures }): Result[] {
  const aim = { of: 'ratio', bound: 1 } as const;
  const rate = (what: string, against: string, value: number, baseline: number): Result => ({
    metric: `${what}, vs ${against}`,
    value,
    baseline,
    unit: 'Mbit/s',
    better: 'more',
    aim,
  });
  const time = (what: string, against: string, value: number, baseline: number): Result => ({
    metric: `${what}, vs ${against}`,
    value,
    baseline,
    unit: 'ms',
    better: 'less',
    aim,
  });
  const cpu = (what: string, against: string, value: number, baseline: number): Result => ({
    metric: `${what}, CPU time of QEMU, vs ${against}`,
    value,
    baseline,
    unit: 'ms/MB',
    better: 'less',
  });
  const [network, userNetwork] = ['libvirt network', 'user networking'];
  return [
    ...FLOWS.map(([flow, what]) => rate(what, network, routed[flow], libvirt[flow])),
    rate('guest to outside', userNetwork, routed.toOutside, user.toOutside),
    rate('outside to guest', userNetwork, routed.fromOutside, user.fromOutside),
    ...FLOWS.map(([flow, what]) => cpu(what, network, routed[`${flow}Cpu`], libvirt[`${flow}Cpu`])),
    cpu('guest to outside', userNetwork, routed.toOutsideCpu, user.toOutsideCpu),
    cpu('outside to guest', userNetwork, routed.fromOutsideCpu, user.fromOutsideCpu),
    time('ping, guest to guest', network, routed.guestMs, libvirt.guestMs),
    time('ping, guest to host', network, routed.hostMs, libvirt.hostMs),
    time('round trip of a byte over TCP, outside to guest', network, routed.outsideMs, libvirt.outsideMs),
    time('round trip of a byte over TCP, outside to guest', userNetwork, routed.outsideMs, user.outsideMs),
  ];
}

type Outside = TaskProcess<OutsideTasks>;

/** They do not wait for each other as pings do, so more of them fit into the time. */
const BYTES_PER_PING = 20;

/** Mbit/s of a transfer, and the CPU time of the processes in ms per MB. */
async function measure<F extends Flow>(
  flow: F,
  pids: readonly number[],
  transfer: () => Promise<Transfer>,
): Promise<Flows<F>> {
  const { rate, cpu } = await withCpu(pids, async () => {
    const { bytes, seconds } = await transfer();
    return { count: bytes / 1e6, seconds };
  });
  return { [flow]: rate * 8, [`${flow}Cpu`]: cpu / 1000 } as Flows<F>;
}

async function outsideFigures(
  outside: Outside,
  { mac }: Guest,
  pid: number,
  seconds: number,
  count: number,
): Promise<OutsideFigures> {
  return {
    ...(await measure('toOutside', [pid], () => outside.call('fromGuest', { mac, seconds }))),
    ...(await measure('fromOutside', [pid], () => outside.call('toGuest', { mac, seconds }))),
    outsideMs: await outside.call('roundTrip', { mac, count: BYTES_PER_PING * count }),
  };
}

/** What `take` counts, in bytes. */
const BLOCK = 64 * 1024;
/** Enough to see how fast it is: from then on as many as fit into the time. */
const FIRST_BLOCKS = 64;

/** Measures two guests of a network that see each other, for as long as it is told each time. */
async function pairOf(
  outside: Outside,
  guests: readonly [Guest, Guest],
  count: number,
  pidOf: (guest: Guest) => Promise<number>,
): Promise<(seconds: number) => Promise<Figures>> {
  const [one, { address: other = '' }] = guests;
  const { mac, address = '' } = one;
  const pids = await Promise.all(guests.map(pidOf));
  const [pid = 0] = pids;
  const tell = (command: string): Promise<string> => outside.call('tell', { mac, command });
  const ping = async (target: string): Promise<number> => {
    const output = await tell(`ping -q -c ${count} -i 0.05 ${target}`);
    const ms = pingMs(output);
    if (ms === undefined) throw new Error(`guest ${address} got no answer of ${target}:\n${output}`);
    return ms;
  };
  let blocks = FIRST_BLOCKS;
  // The guest's own clock is not to be trusted: the host looks at its own when the guest has read everything.
  const take = async (seconds: number): Promise<Transfer> => {
    const startedAt = performance.now();
    await tell(`nc ${other} ${PORTS.source} -e take ${blocks}`);
    const taken = { bytes: blocks * BLOCK, seconds: (performance.now() - startedAt) / 1000 };
    blocks = Math.max(1, Math.round((blocks / taken.seconds) * seconds));
    return taken;
  };
  return async (seconds) => ({
    ...(await outsideFigures(outside, one, pid, seconds, count)),
    ...(await measure('toHost', [pid], async () => receive(await connected(address, PORTS.source), seconds))),
    ...(await measure('fromHost', [pid], async () => send(await connected(address, PORTS.sink), seconds))),
    ...(await measure('toGuest', pids, () => take(seconds))),
    hostMs: await ping("$(ip route | sed -n 's/^default via \\([^ ]*\\).*/\\1/p')"),
    guestMs: await ping(other),
  });
}

async function connected(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port });
  await once(socket, 'connect');
  return socket;
}
