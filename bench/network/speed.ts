import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TaskProcess } from '../processes.ts';
import type { Result } from '../report.ts';
import { resultsOf, rounds } from '../rounds.ts';
import type { Bench } from './bench.ts';
import type { Guest } from './guest.ts';
import type { Guests } from './guests.ts';
import type { OutsideTasks } from './outside.ts';
import { PORTS } from './places.ts';
import { pingMs, receiveRate, sendRate } from './transfers.ts';

/** Rates in Mbit/s; round-trip times in milliseconds. */
interface OutsideFigures extends Readonly<Record<string, number>> {
  readonly toOutside: number;
  readonly fromOutside: number;
  readonly outsideMs: number;
}

interface Figures extends OutsideFigures {
  readonly toHost: number;
  readonly fromHost: number;
  readonly hostMs: number;
  readonly toGuest: number;
  readonly guestMs: number;
}

/** What `take` counts, in bytes. */
const BLOCK = 64 * 1024;
/** Enough to see how fast it is: from then on as many as fit into the time. */
const FIRST_BLOCKS = 64;

/** How fast data flows between guests, their host and a host outside, on each network. */
export async function speed({ plan, outside, onProgress }: Bench, guests: Guests): Promise<Result[]> {
  const measure = pairOf(outside, plan.roundTrips);
  const [routed, libvirt] = [measure(guests.routed), measure(guests.libvirt)];
  const user = (seconds: number): Promise<OutsideFigures> => outsideOf(outside, guests.user, seconds, plan.roundTrips);
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

function rows({ routed, libvirt, user }: { routed: Figures; libvirt: Figures; user: OutsideFigures }): Result[] {
  const [besideLibvirt, besideUser] = ['libvirt network', 'user networking'];
  const rate = (what: string, against: string, value: number, baseline: number): Result => ({
    metric: `${what}, vs ${against}`,
    value,
    baseline,
    unit: 'Mbit/s',
    better: 'more',
    aim: { of: 'ratio', bound: 1 },
  });
  const time = (what: string, against: string, value: number, baseline: number): Result => ({
    metric: `${what}, vs ${against}`,
    value,
    baseline,
    unit: 'ms',
    better: 'less',
    aim: { of: 'ratio', bound: 1 },
  });
  return [
    rate('guest to guest', besideLibvirt, routed.toGuest, libvirt.toGuest),
    rate('guest to host', besideLibvirt, routed.toHost, libvirt.toHost),
    rate('host to guest', besideLibvirt, routed.fromHost, libvirt.fromHost),
    rate('guest to outside', besideLibvirt, routed.toOutside, libvirt.toOutside),
    rate('outside to guest', besideLibvirt, routed.fromOutside, libvirt.fromOutside),
    rate('guest to outside', besideUser, routed.toOutside, user.toOutside),
    rate('outside to guest', besideUser, routed.fromOutside, user.fromOutside),
    time('ping, guest to guest', besideLibvirt, routed.guestMs, libvirt.guestMs),
    time('ping, guest to host', besideLibvirt, routed.hostMs, libvirt.hostMs),
    time('round trip of a byte over TCP, outside to guest', besideLibvirt, routed.outsideMs, libvirt.outsideMs),
    time('round trip of a byte over TCP, outside to guest', besideUser, routed.outsideMs, user.outsideMs),
  ];
}

type Outside = TaskProcess<OutsideTasks>;

async function outsideOf(outside: Outside, { mac }: Guest, seconds: number, count: number): Promise<OutsideFigures> {
  return {
    toOutside: await outside.call('fromGuest', { mac, seconds }),
    fromOutside: await outside.call('toGuest', { mac, seconds }),
    outsideMs: await outside.call('roundTrip', { mac, count: 5 * count }),
  };
}

/** Measures two guests of a network that see each other. */
const pairOf = (outside: Outside, count: number) => (guests: readonly [Guest, Guest]) => {
  const [one, { address: other = '' }] = guests;
  const { mac, address = '' } = one;
  const tell = (command: string): Promise<string> => outside.call('tell', { mac, command });
  const ping = async (target: string): Promise<number> => {
    const output = await tell(`ping -q -c ${count} -i 0.05 ${target}`);
    const ms = pingMs(output);
    if (ms === undefined) throw new Error(`guest ${address} got no answer of ${target}:\n${output}`);
    return ms;
  };
  let blocks = FIRST_BLOCKS;
  // The guest's own clock is not to be trusted: the host looks at its own when the guest has read everything.
  const takeRate = async (seconds: number): Promise<number> => {
    const startedAt = performance.now();
    await tell(`nc ${other} ${PORTS.source} -e take ${blocks}`);
    const blocksPerSecond = blocks / ((performance.now() - startedAt) / 1000);
    blocks = Math.max(1, Math.round(blocksPerSecond * seconds));
    return (blocksPerSecond * BLOCK * 8) / 1e6;
  };
  return async (seconds: number): Promise<Figures> => ({
    ...(await outsideOf(outside, one, seconds, count)),
    toHost: await receiveRate(await connected(address, PORTS.source), seconds),
    fromHost: await sendRate(await connected(address, PORTS.sink), seconds),
    hostMs: await ping("$(ip route | sed -n 's/^default via \\([^ ]*\\).*/\\1/p')"),
    toGuest: await takeRate(seconds),
    guestMs: await ping(other),
  });
};

async function connected(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port });
  await once(socket, 'connect');
  return socket;
}
