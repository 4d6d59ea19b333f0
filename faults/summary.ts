import { columns } from '../bench/columns.ts';
import type { Outcome } from './ledger.ts';
import type { Report } from './storm.ts';

/** How many requests of a round ended in which way. */
export function totals({ outcomes }: Pick<Report, 'outcomes'>): Record<Outcome, number> {
  const sum = (of: Outcome): number => Object.values(outcomes).reduce((all, each) => all + each[of], 0);
  return { acknowledged: sum('acknowledged'), refused: sum('refused'), unknown: sum('unknown') };
}

/** What a storm was made of, by action and by fault, and how long it took to come to rest. */
export function summary(reports: readonly Report[]): string {
  const actions = [...new Set(reports.flatMap(({ outcomes }) => Object.keys(outcomes)))].sort();
  const rows = actions.map((action) => {
    const all = totals({
      outcomes: Object.fromEntries(
        reports.flatMap(({ outcomes }, index) => (outcomes[action] ? [[String(index), outcomes[action]]] : [])),
      ),
    });
    return [action, String(all.acknowledged), String(all.refused), String(all.unknown)];
  });
  const faults = new Map<string, number>();
  for (const { fault } of reports.flatMap(({ round }) => round.injections))
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
  const injections = [...faults].sort().map(([fault, count]) => `${fault} ${count}×`);
  const slowest = Math.max(0, ...reports.map(({ restMs }) => restMs));
  const { events = 0, resumed = 0, relisted = 0 } = reports.at(-1)?.watches ?? {};
  return [
    columns(['action', 'acknowledged', 'rejected', 'unknown'], rows, [1, 2, 3]),
    '',
    `faults: ${injections.join(', ') || 'none'}`,
    `longest time to settle: ${(slowest / 1000).toFixed(1)} s`,
    `watches: ${events} events, resumed ${resumed} times, ${relisted} of them with a new list`,
  ].join('\n');
}
