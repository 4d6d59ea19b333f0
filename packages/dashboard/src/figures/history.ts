import type { Figures, MachineSample, Samples } from './fields.ts';
import { changeBetween } from './rates.ts';
import { type Columns, Tier, type TierOptions } from './tier.ts';

export const RANGES = ['live', 'hour', 'day'] as const;
export type Range = (typeof RANGES)[number];

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How far each range reaches back. */
export const RANGE_MS: Readonly<Record<Range, number>> = { live: 5 * MINUTE, hour: HOUR, day: 24 * HOUR };

/** Every sample of 5 min, 15 s of an hour, 5 min of a day. Lists sample every 15 s, which no gap must be made of. */
const TIERS: Readonly<Record<Range, TierOptions>> = {
  live: { spanMs: 1, keepMs: RANGE_MS.live, gapMs: 40 * SECOND, capacity: 128 },
  hour: { spanMs: 15 * SECOND, keepMs: RANGE_MS.hour, gapMs: 40 * SECOND, capacity: 241 },
  day: { spanMs: 5 * MINUTE, keepMs: RANGE_MS.day, gapMs: 12.5 * MINUTE, capacity: 289 },
};

/** A server remembers what it counted for up to a second, so that closer samples show no or too much change. */
const LEAST_MS = 2 * SECOND;
const MOST_RESTARTS = 100;
/** How many points a sparkline has. */
const SPARK_MS = 5 * MINUTE;

class MachineHistory {
  readonly tiers: Readonly<Record<Range, Tier>> = {
    live: new Tier(TIERS.live),
    hour: new Tier(TIERS.hour),
    day: new Tier(TIERS.day),
  };
  before: MachineSample | undefined;
  latest: Figures = {};
  restartsMs: number[] = [];

  record(sample: MachineSample): void {
    const { before } = this;
    if (before && sample.atMs - before.atMs < LEAST_MS) return;
    const { figures, isRestart } = changeBetween(before, sample);
    if (isRestart) this.restartsMs = [...this.restartsMs.slice(1 - MOST_RESTARTS), sample.atMs];
    this.before = sample;
    this.latest = figures;
    for (const tier of Object.values(this.tiers)) tier.add(sample.atMs, figures);
  }
}

/** What the list shows of a machine. */
export interface Usage {
  readonly key: string;
  readonly figures: Figures;
  /** Cores used in the last minutes. */
  readonly spark: readonly (number | null)[];
}

/** What is remembered of machines: an hour at 15 s and a day at 5 min. */
export class History {
  readonly #machines = new Map<string, MachineHistory>();

  record(samples: Samples): void {
    for (const [key, sample] of samples) {
      const known = this.#machines.get(key) ?? new MachineHistory();
      this.#machines.set(key, known);
      known.record(sample);
    }
  }

  columns(key: string, range: Range, nowMs: number): Columns {
    return this.#machines.get(key)?.tiers[range].columns(nowMs) ?? { timesMs: [], values: {} };
  }

  restartsMs(key: string, range: Range, nowMs: number): number[] {
    const fromMs = nowMs - RANGE_MS[range];
    return (this.#machines.get(key)?.restartsMs ?? []).filter((atMs) => atMs >= fromMs);
  }

  usage(key: string, nowMs: number): Usage {
    const machine = this.#machines.get(key);
    const { timesMs = [], values } = machine?.tiers.hour.columns(nowMs, ['cpuCores']) ?? {};
    const recent = timesMs.filter((atMs) => atMs >= nowMs - SPARK_MS).length;
    const spark = recent === 0 ? [] : (values?.cpuCores ?? []).slice(-recent);
    return { key, figures: machine?.latest ?? {}, spark };
  }

  /** Forgets machines that have not been seen for as long as anything is kept. */
  forget(nowMs: number): void {
    for (const [key, { before }] of this.#machines)
      if ((before?.atMs ?? 0) < nowMs - RANGE_MS.day) this.#machines.delete(key);
  }
}
