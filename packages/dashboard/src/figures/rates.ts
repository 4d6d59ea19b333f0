import type { Field, Figures, MachineSample } from './fields.ts';

/** An average over more than this says nothing about a moment in it: nobody looked in between. */
const LONGEST_MS = 60_000;

/** What a machine did between two samples. */
export interface Change {
  readonly figures: Figures;
  /** A machine's CPU time only falls when it is another run of it. */
  readonly isRestart: boolean;
}

/** Compares a sample with the one before. Where a counter began anew there is no rate: a gap, not a spike. */
export function changeBetween(before: MachineSample | undefined, after: MachineSample): Change {
  const seconds = before ? (after.atMs - before.atMs) / 1000 : 0;
  const rates = new Map<Field, number>();
  const reset = new Set<Field>();
  for (const [key, value] of after.counters) {
    const field = key.slice(0, key.indexOf('|')) as Field;
    const earlier = before?.counters.get(key);
    // A device that was plugged in just now has nothing to compare with; the others still count.
    if (earlier === undefined) continue;
    if (value < earlier) reset.add(field);
    else if (seconds > 0) rates.set(field, (rates.get(field) ?? 0) + (value - earlier) / seconds);
  }
  const isRestart = reset.has('cpuCores');
  const isTooLong = seconds * 1000 > LONGEST_MS;
  if (isRestart || isTooLong) rates.clear();
  for (const field of reset) rates.delete(field);
  return { figures: { ...after.gauges, ...Object.fromEntries(rates) }, isRestart };
}
