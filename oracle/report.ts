import type { Tally } from './differ.ts';
import { formatStep } from './transcript.ts';

/** What a run found, for people: how much was compared, what differs for known reasons, and what differs. */
export function formatReport({ cases, requests, known, findings }: Tally): string {
  const lines = [`${cases} cases with ${requests} requests were compared.`];
  for (const [{ name, reason }, count] of known) lines.push(`known: ${name}, in ${count} cases: ${reason}`);
  const all = [...findings.values()].sort((a, b) => b.count - a.count);
  for (const [index, { finding, count }] of all.entries()) {
    lines.push(
      '',
      `difference ${index + 1}, met ${count} ${count === 1 ? 'time' : 'times'} (${finding.case.area}; ${finding.case.name})`,
    );
    for (const step of finding.case.steps) lines.push(`  → ${formatStep(step)}`);
    for (const { step, at, real, ours } of finding.differences.slice(0, 3)) {
      lines.push(`  request ${step + 1}, ${at}:`, `    real: ${show(real)}`, `    ours: ${show(ours)}`);
    }
  }
  lines.push(
    '',
    all.length === 0 ? 'Nothing else differs.' : `${all.length} kinds of difference that are not explained.`,
  );
  return lines.join('\n');
}

const show = (value: unknown): string => (value === undefined ? '(nothing)' : JSON.stringify(value)).slice(0, 2000);
