/** What one measurement gave, by name. */
export type Figures = Readonly<Record<string, number>>;

type Contestants = Readonly<Record<string, (() => Promise<Figures>) | undefined>>;

/** The medians of each contestant; of one that may be missing, perhaps none. */
type Medians<C extends Contestants> = { [Name in keyof C]: Awaited<ReturnType<NonNullable<C[Name]>>> };

/**
 * Measures all contestants in turn, again and again, so that a noisy neighbour hits each of them; medians count.
 * `warmUp`: a round before the first warms everybody up and is forgotten. `budgetMs`: after the first, no round
 * begins that would not be over by then, if it took as long as the longest before.
 */
export async function rounds<C extends Contestants>(
  count: number,
  contestants: C,
  { warmUp = true, budgetMs = Number.POSITIVE_INFINITY }: { warmUp?: boolean; budgetMs?: number } = {},
): Promise<Medians<C>> {
  const measured = new Map<string, Figures[]>();
  const startedAt = performance.now();
  let longestMs = 0;
  for (let round = warmUp ? 0 : 1; round <= count; round++) {
    const beganAt = performance.now();
    if (round > 1 && beganAt - startedAt + longestMs > budgetMs) break;
    for (const [name, measure] of Object.entries(contestants)) {
      if (!measure) continue;
      const figures = await measure();
      if (round > 0) measured.set(name, [...(measured.get(name) ?? []), figures]);
    }
    longestMs = Math.max(longestMs, performance.now() - beganAt);
  }
  return Object.fromEntries([...measured].map(([name, all]) => [name, medians(all)])) as Medians<C>;
}

function medians(measured: readonly Figures[]): Figures {
  const names = Object.keys(measured[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, median(measured.map((figures) => figures[name]!))]));
}

export const median = (values: readonly number[]): number => percentile(values, 50);

/** The nearest-rank percentile. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}
