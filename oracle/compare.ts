import type { Answer, Case } from './case.ts';

/** Something that the two servers did not answer alike. */
export interface Difference {
  readonly step: number;
  /** Where in the answer: `code`, `warnings/0`, `body/message`. */
  readonly at: string;
  /** Undefined: the answer has nothing there. */
  readonly real: unknown;
  readonly ours: unknown;
}

/** What differs between the normalised answers to a case; of one step, all places. */
export function compareAnswers(real: readonly Answer[], ours: readonly Answer[]): Difference[] {
  return real.flatMap((answer, step) => {
    const found: Omit<Difference, 'step'>[] = [];
    diff(answer, ours[step], '', found);
    return found.map((difference) => ({ step, ...difference }));
  });
}

function diff(real: unknown, ours: unknown, at: string, found: Omit<Difference, 'step'>[]): void {
  if (Object.is(real, ours)) return;
  const left = members(real);
  const right = members(ours);
  if (!left || !right || Array.isArray(real) !== Array.isArray(ours)) {
    found.push({ at, real, ours });
    return;
  }
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    diff(left[name], right[name], at ? `${at}/${name}` : name, found);
  }
}

const members = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;

/** A case with what was found in it. */
export interface Finding {
  readonly case: Case;
  readonly differences: readonly Difference[];
}
