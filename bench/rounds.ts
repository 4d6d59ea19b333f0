import { type Result, ratioOf, type Spread } from './report.ts';

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
  const measured: Record<string, Figures>[] = [];
  const startedAt = performance.now();
  let longestMs = 0;
  for (let round = warmUp ? 0 : 1; round <= count; round++) {
    const beganAt = performance.now();
    if (round > 1 && beganAt - startedAt + longestMs > budgetMs) break;
    const figures: Record<string, Figures> = {};
    for (const [name, measure] of Object.entries(contestants)) if (measure) figures[name] = await measure();
    if (round > 0) measured.push(figures);
    longestMs = Math.max(longestMs, performance.now() - beganAt);
  }
  const names = Object.keys(measured[0] ?? {});
  const all = Object.fromEntries(names.map((name) => [name, medians(measured.map((figures) => figures[name]!))]));
  eachRound.set(all, measured);
  return all as Medians<C>;
}

/** The single rounds behind medians. */
const eachRound = new WeakMap<object, readonly object[]>();

/**
 * Results from what `rounds` gave, each with its spread: they are made from the medians, and once more from every round.
 *
 * @example
 * const measured = await rounds(5, { ours, theirs });
 * return resultsOf(measured, ({ ours, theirs }) => [row('gets', ours.rate, theirs.rate)]);
 */
export function resultsOf<M extends object>(measured: M, build: (figures: M) => readonly Result[]): Result[] {
  const single = (eachRound.get(measured) ?? []) as readonly M[];
  const byRound = single.map(build);
  return build(measured).map((result, index) => {
    if (byRound.length < 2) return result;
    return { ...result, spread: spreadOf(byRound.map((results) => results[index]!)) };
  });
}

/** The middle half of the rounds: a quarter of them is below it, a quarter above. */
function spreadOf(results: readonly Result[]): Spread {
  const middle = (values: readonly number[]) => [percentile(values, 25), percentile(values, 75)] as const;
  const ratios = results.flatMap((result) => ratioOf(result) ?? []);
  return {
    rounds: results.length,
    value: middle(results.map(({ value }) => value)),
    ratio: ratios.length === results.length ? middle(ratios) : null,
  };
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
