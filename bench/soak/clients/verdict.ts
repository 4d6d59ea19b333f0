import type { ClientSoakReport } from './clientSoak.ts';

const MB = 1_000_000;

/**
 * What may be more at the end than after the warm-up: the server keeps the last ten thousand writes, which differ in
 * size, and one collection of garbage differs from the next.
 */
const MAY_GROW = { usedBytes: 25 * MB, residentBytes: 150 * MB, descriptors: 10 } as const;

/** Everything that is wrong, in words; nothing where nothing is. */
export function findings({ counts, problems, events, before, after }: ClientSoakReport): string[] {
  const idle = counts.size === 0 || events === 0 ? ['nothing was done'] : [];
  const left = (Object.keys(MAY_GROW) as (keyof typeof MAY_GROW)[])
    .filter((name) => after[name] - before[name] > MAY_GROW[name])
    .map((name) => `${name}: ${before[name]} before, ${after[name]} after`);
  return [...idle, ...problems, ...left];
}
