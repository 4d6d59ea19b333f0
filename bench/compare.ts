import { readFileSync } from 'node:fs';
import { columns } from './columns.ts';
import { figure, type JsonReport, type Range, type Result, ratioOf } from './report.ts';

/** Below this, two runs on one host differ by themselves. */
const NOISE = 0.1;

/** What `--json` wrote in another run. */
export function readReport(file: string): JsonReport {
  const report: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isReport(report)) throw new Error(`${file} is not what --json writes: it has no name and results`);
  return report;
}

const isReport = (value: unknown): value is JsonReport =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  'results' in value &&
  Array.isArray(value.results) &&
  value.results.every((each) => typeof each?.metric === 'string' && typeof each.value === 'number');

/**
 * A table of this run beside another. Where there are baselines the ratios to them are compared: a host that is
 * slower today is so for both.
 */
export function comparison(results: readonly Result[], before: JsonReport): string {
  const earlier = new Map(before.results.map((each) => [each.metric, each]));
  const rows = results.map((result) => {
    const { metric, unit, better, value } = result;
    const then = earlier.get(metric);
    if (!then) return [metric, '–', '–', '', 'new'];
    const ratio = ratioOf(result);
    const byRatio = ratio !== null && then.ratio !== null;
    const [was, is] = byRatio ? [then.ratio!, ratio] : [then.value, value];
    const text = (each: number): string => (byRatio ? each.toFixed(2) : `${figure(each)} ${unit}`);
    const word = byRatio && overlap(then.spread?.ratio, result.spread?.ratio) ? 'same' : verdict(was, is, better);
    return [metric, text(was), text(is), percent(was, is), word];
  });
  const gone = before.results.filter(({ metric }) => !results.some((each) => each.metric === metric));
  return [
    columns(['metric', 'before', 'now', 'change', ''], rows, [1, 2, 3]),
    ...(gone.length > 0 ? ['', `Not measured in this run: ${gone.map(({ metric }) => metric).join('; ')}`] : []),
    '',
    `Numbers without a unit are ratios to the baseline of the same run. Ignore changes below ${NOISE * 100} %, and changes within the spread of both runs.`,
  ].join('\n');
}

/** Whether the middle halves of two runs have something in common: then their difference is none. */
const overlap = (before: Range | null | undefined, now: Range | null | undefined): boolean =>
  Boolean(before && now && before[0] <= now[1] && now[0] <= before[1]);

const percent = (was: number, is: number): string => {
  if (was === 0) return '';
  const change = Math.round((is / was - 1) * 100);
  return `${change >= 0 ? '+' : '−'}${Math.abs(change)} %`;
};

function verdict(was: number, is: number, better: Result['better']): string {
  if (was === 0 || Math.abs(is / was - 1) < NOISE) return 'same';
  return is > was === (better === 'more') ? 'better' : 'worse';
}
