import type { Case, Step } from './case.ts';

const MAX_TRIES = 60;

/**
 * The smallest case found that still differs: whole steps are left out first, then parts of bodies.
 *
 * @param differs plays a case and says whether it still shows the same
 */
export async function shrink(original: Case, differs: (smaller: Case) => Promise<boolean>): Promise<Case> {
  let smallest = original;
  let tries = 0;
  for (let found = true; found; ) {
    found = false;
    for (const smaller of reductions(smallest)) {
      if (++tries > MAX_TRIES) return smallest;
      if (!(await differs(smaller))) continue;
      smallest = smaller;
      found = true;
      break;
    }
  }
  return smallest;
}

/** The case with one thing less, big things first. */
export function* reductions({ steps, ...rest }: Case): Generator<Case> {
  for (let index = steps.length - 1; index > 0; index--) yield { ...rest, steps: steps.toSpliced(index, 1) };
  for (const [index, step] of steps.entries()) {
    for (const smaller of smallerSteps(step)) yield { ...rest, steps: steps.with(index, smaller) };
  }
}

function* smallerSteps(step: Step): Generator<Step> {
  for (const name of ['body', 'edit'] as const) {
    const value = step[name];
    if (typeof value !== 'object' || value === null) continue;
    for (const smaller of smallerValues(value, 0)) yield { ...step, [name]: smaller } as Step;
  }
}

/** Without what makes an object an object, a request is another one. */
const KEPT = new Set([
  'apiVersion',
  'kind',
  'metadata',
  'name',
  'group',
  'scope',
  'names',
  'versions',
  'served',
  'storage',
  'schema',
  'openAPIV3Schema',
  'type',
]);

function* smallerValues(value: unknown, depth: number): Generator<unknown> {
  if (typeof value !== 'object' || value === null || depth > 12) return;
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.toSpliced(index, 1);
    for (const [index, item] of value.entries()) {
      for (const smaller of smallerValues(item, depth + 1)) yield value.with(index, smaller);
    }
    return;
  }
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    if (KEPT.has(name)) continue;
    const { [name]: _, ...others } = members;
    yield others;
  }
  for (const [name, member] of Object.entries(members)) {
    for (const smaller of smallerValues(member, depth + 1)) yield { ...members, [name]: smaller };
  }
}
