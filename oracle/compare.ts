import type { Answer, Case } from './case.ts';

/** Something that the two servers did not answer alike. */
export interface Difference {
  readonly step: number;
  /** Where in the answer: `answer` as a whole, `warnings/0`, `body/message`, `body/details/causes`. */
  readonly at: string;
  /** Undefined: the answer has nothing there. */
  readonly real: unknown;
  readonly ours: unknown;
}

/** A case with what was found in it. */
export interface Finding {
  readonly case: Case;
  readonly differences: readonly Difference[];
}

type Place = Omit<Difference, 'step'>;

/** What differs between the normalised answers to a case; of one step, all places. */
export function compareAnswers(real: readonly Answer[], ours: readonly Answer[]): Difference[] {
  return real.flatMap((answer, step) => comparePair(answer, ours[step]).map((place) => ({ step, ...place })));
}

function comparePair(real: Answer, ours: Answer | undefined): Place[] {
  // Where one accepts what the other refuses, every other place differs as well, and says nothing more.
  if (!ours || real.code !== ours.code) return [{ at: 'answer', real: outcome(real), ours: ours && outcome(ours) }];
  const [realCauses, realRest] = withoutCauses(real);
  const [ourCauses, ourRest] = withoutCauses(ours);
  const found: Place[] = [];
  diff(realRest, ourRest, '', found);
  const missing = without(realCauses, ourCauses);
  const extra = without(ourCauses, realCauses);
  if (missing.length + extra.length > 0) found.push({ at: 'body/details/causes', real: missing, ours: extra });
  return found;
}

interface Status {
  readonly kind?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly Cause[] };
}
interface Cause {
  readonly field?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A code and, for a refusal, why. */
function outcome({ code, body }: Answer): string {
  const { kind, message } = (body ?? {}) as Status;
  const [causes] = withoutCauses({ code, body, warnings: [] });
  return kind === 'Status' ? [`${code} ${message}`, ...causes].join('; ') : String(code);
}

/** The causes of a refusal as lines, and the answer without them. */
function withoutCauses(answer: Answer): [string[], unknown] {
  const { details, ...status } = (answer.body ?? {}) as Status;
  if (!Array.isArray(details?.causes)) return [[], answer];
  const { causes, ...others } = details;
  const lines = causes.map(({ field, reason, message }: Cause) => `${field} (${reason}): ${message}`);
  return [lines, { ...answer, body: { ...status, details: others } }];
}

/** Those of `lines` that `others` lacks; the original says some things two or three times. */
const without = (lines: readonly string[], others: readonly string[]): string[] =>
  [...new Set(lines)].filter((line) => !others.includes(line));

function diff(real: unknown, ours: unknown, at: string, found: Place[]): void {
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
