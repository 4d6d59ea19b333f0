import { readFile } from 'node:fs/promises';
import type { InterfaceCounter } from './agentReport.ts';

export type Counters = Readonly<Record<InterfaceCounter, number>>;

/** The columns of /proc/net/dev, behind the name of the device; the rest of them is not told. */
const COLUMNS: Readonly<Record<InterfaceCounter, number>> = {
  'rx.bytes': 0,
  'rx.pkts': 1,
  'rx.errs': 2,
  'rx.drop': 3,
  'tx.bytes': 8,
  'tx.pkts': 9,
  'tx.errs': 10,
  'tx.drop': 11,
};

/** What each device of the host has received and sent, by /proc/net/dev. */
export function parseCounters(text: string): ReadonlyMap<string, Counters> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const [, device, rest = ''] = /^\s*([^\s|]+):\s*(.*)$/.exec(line) ?? [];
      const numbers = rest.split(/\s+/).map(Number);
      if (device === undefined || numbers.length < 16) return [];
      const counters = Object.entries(COLUMNS).map(([name, column]) => [name, numbers[column]]);
      return [[device, Object.fromEntries(counters) as Counters] as const];
    }),
  );
}

export const readCounters = async (): Promise<ReadonlyMap<string, Counters>> =>
  parseCounters(await readFile('/proc/net/dev', 'utf8'));

/** The same from the other side: what the host sends to a tap, its guest receives. */
export const fromOtherSide = (counters: Counters): Counters => ({
  'rx.bytes': counters['tx.bytes'],
  'rx.pkts': counters['tx.pkts'],
  'rx.errs': counters['tx.errs'],
  'rx.drop': counters['tx.drop'],
  'tx.bytes': counters['rx.bytes'],
  'tx.pkts': counters['rx.pkts'],
  'tx.errs': counters['rx.errs'],
  'tx.drop': counters['rx.drop'],
});
