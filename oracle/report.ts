import type { Finding } from './compare.ts';
import type { Tally } from './differ.ts';
import { formatStep } from './transcript.ts';

const SHOWN_DIFFERENCES = 3;
const SHOWN_CHARACTERS = 2000;

/** A difference, with the requests that show it. */
export function formatFinding({ case: played, differences }: Finding): string {
  return [
    `difference (${played.area}; ${played.name})`,
    ...played.steps.map((step, index) => `  ${index + 1} → ${formatStep(step)}`),
    ...differences
      .slice(0, SHOWN_DIFFERENCES)
      .flatMap(({ step, at, real, ours }) => [
        `  request ${step + 1}, ${at}:`,
        `    real: ${show(real)}`,
        `    ours: ${show(ours)}`,
      ]),
    '',
  ].join('\n');
}

/** What a run found: how much was compared, what differs for known reasons, and how often what else differs. */
export function formatSummary({ cases, requests, known, findings }: Tally): string {
  const all = [...findings.values()].sort((a, b) => b.count - a.count);
  return [
    `${cases} cases with ${requests} requests were compared.`,
    ...[...known].map(([{ name, reason }, count]) => `known, in ${count} cases: ${name} (${reason})`),
    ...all.map(({ finding, count }) => `differs, in ${count} cases: ${summary(finding)}`),
    all.length === 0 ? 'Nothing else differs.' : `${all.length} kinds of difference are not explained.`,
  ].join('\n');
}

function summary({ case: { name }, differences: [first] }: Finding): string {
  return first ? `${first.at} (${name}): ${show(first.real).slice(0, 100)} / ${show(first.ours).slice(0, 100)}` : name;
}

const show = (value: unknown): string =>
  (value === undefined ? '(nothing)' : JSON.stringify(value)).slice(0, SHOWN_CHARACTERS);
