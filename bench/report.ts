import { columns } from './columns.ts';

/** One figure of a benchmark, beside what it is measured against. */
export interface Result {
  /** What is measured, and against what. */
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  /** What `value` is compared with, in the same unit; null where there is nothing to compare with. */
  readonly baseline: number | null;
  /** Rates are better when they are larger; times and sizes when they are smaller. */
  readonly better: 'more' | 'less';
  readonly aim?: Aim;
  /** How far single rounds lay apart; missing where there was only one. */
  readonly spread?: Spread;
}

/** The middle half of the rounds: from the quarter of them that is below it to the quarter above. */
export interface Spread {
  readonly rounds: number;
  readonly value: Range;
  /** Of the ratios to the baseline of the same round; null where there is no baseline. */
  readonly ratio: Range | null;
}

export type Range = readonly [low: number, high: number];

/** What a figure should reach, on the value itself or on its ratio to the baseline. */
export interface Aim {
  readonly of: 'value' | 'ratio';
  readonly bound: number;
}

/** The form of `--json`: exactly these fields; `spread` where there were several rounds. */
export interface JsonReport {
  readonly name: string;
  readonly results: readonly {
    readonly metric: string;
    readonly value: number;
    readonly unit: string;
    readonly baseline: number | null;
    readonly ratio: number | null;
    readonly spread?: Spread;
  }[];
}

export const ratioOf = ({ value, baseline }: Pick<Result, 'value' | 'baseline'>): number | null =>
  baseline === null || baseline === 0 ? null : value / baseline;

/** The results for programs. */
export const toJson = (name: string, results: readonly Result[]): JsonReport => ({
  name,
  results: results.map((result) => {
    const { metric, value, unit, baseline, spread } = result;
    return {
      metric,
      value: round(value),
      unit,
      baseline: baseline && round(baseline),
      ratio: ratioOrNull(result),
      ...(spread && { spread: roundedSpread(spread) }),
    };
  }),
});

/** The results for people: a table, then what the ratios mean. */
export function toTable(results: readonly Result[]): string {
  const header = ['metric', 'value', 'unit', 'baseline', 'ratio', 'spread', 'better', 'goal'];
  const rows = results.map((result) => [
    result.metric,
    figure(result.value),
    result.unit,
    result.baseline === null ? '–' : figure(result.baseline),
    ratioOf(result)?.toFixed(2) ?? '–',
    spreadText(result),
    result.better,
    aimText(result),
  ]);
  return [
    columns(header, rows, [1, 3, 4, 5]),
    '',
    'ratio = value / baseline, both from this run: medians of interleaved rounds.',
    'spread: interquartile range of the ratio, or of the value if there is no ratio.',
    'better: "more" if a higher ratio is better, "less" if a lower one is.',
  ].join('\n');
}

/** Whether the result is as good as its aim. */
export function reaches({ of, bound }: Aim, result: Result): boolean {
  const reached = of === 'value' ? result.value : ratioOf(result);
  if (reached === null) return false;
  return result.better === 'more' ? reached >= bound : reached <= bound;
}

function aimText(result: Result): string {
  const { aim, better, unit } = result;
  if (!aim) return '';
  const bound = aim.of === 'value' ? `${aim.bound} ${unit}` : String(aim.bound);
  return `${better === 'more' ? '≥' : '≤'} ${bound}: ${reaches(aim, result) ? 'met' : 'missed'}`;
}

function spreadText({ spread }: Result): string {
  if (!spread) return '–';
  const [low, high] = spread.ratio?.map((ratio) => ratio.toFixed(2)) ?? spread.value.map(figure);
  return `${low} – ${high}`;
}

const roundedSpread = ({ rounds, value, ratio }: Spread): Spread => ({
  rounds,
  value: roundRange(value),
  ratio: ratio && roundRange(ratio),
});

const roundRange = ([low, high]: Range): Range => [round(low), round(high)];

function ratioOrNull(result: Result): number | null {
  const ratio = ratioOf(result);
  return ratio === null ? null : round(ratio);
}

/** Four significant digits: the rest is noise. */
const round = (value: number): number => Number(value.toPrecision(4));

/** A number for people, with as many digits as say something. */
export const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value >= 10 ? value.toFixed(1) : value.toFixed(2);
