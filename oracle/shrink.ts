import type { Case, Step } from './case.ts';

const MAX_TRIES = 50;

/**
 * The smallest case found that still differs: whole steps are left out first, then parts of bodies.
 *
 * @param at the step that differs
 * @param differs plays a case and says at which step it still shows the same; undefined where it does not
 */
export async function shrink(
  original: Case,
  at: number,
  differs: (smaller: Case) => Promise<number | undefined>,
): Promise<Case> {
  let smallest = original;
  let step = at;
  let tries = 0;
  for (let found = true; found; ) {
    found = false;
    for (const smaller of reductions(smallest, step)) {
      if (++tries > MAX_TRIES) return smallest;
      const still = await differs(smaller);
      if (still === undefined) continue;
      smallest = smaller;
      step = still;
      found = true;
      break;
    }
  }
  return smallest;
}

/** The case with less in it, the smallest that may do first. */
export function* reductions({ steps, ...rest }: Case, at: number): Generator<Case> {
  const differing = steps[at];
  if (differing === undefined) return;
  const withSteps = (fewer: readonly Step[]): Case => ({ ...rest, steps: fewer });
  // Most cases are a definition and steps that do not depend on each other.
  if (steps.length > 1) yield withSteps([differing]);
  if (steps.length > 2 && at > 0) yield withSteps([steps[0] as Step, differing]);
  if (at < steps.length - 1) yield withSteps(steps.slice(0, at + 1));
  for (let index = at - 1; index > 0; index--) yield withSteps(steps.toSpliced(index, 1));
  for (const [index, step] of steps.entries()) {
    for (const smaller of smallerSteps(step)) yield withSteps(steps.with(index, smaller));
  }
}

function* smallerSteps(step: Step): Generator<Step> {
  for (const name of ['body', 'edit'] as const) {
    const value = step[name];
    if (typeof value !== 'object' || value === null) continue;
    for (const smaller of smallerValues(value)) yield { ...step, [name]: smaller } as Step;
  }
}

/** Without what makes an object an object, a request is another one. */
const KEPT = new Set([
  ...['apiVersion', 'kind', 'metadata', 'name', 'group', 'scope', 'names', 'plural', 'versions', 'served', 'storage'],
  ...['schema', 'openAPIV3Schema', 'type', 'op', 'path', 'value'],
]);

/** The value with one part less, parts near the root first: they are the biggest. */
function* smallerValues(root: unknown): Generator<unknown> {
  type Place = { readonly value: unknown; readonly replaced: (by: unknown) => unknown };
  const queue: Place[] = [{ value: root, replaced: (by) => by }];
  for (let place = queue.shift(); place; place = queue.shift()) {
    const { value, replaced } = place;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        yield replaced(value.toSpliced(index, 1));
        queue.push({ value: item, replaced: (by) => replaced(value.with(index, by)) });
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        const { [name]: _, ...others } = value as Record<string, unknown>;
        if (!KEPT.has(name)) yield replaced(others);
        queue.push({ value: member, replaced: (by) => replaced({ ...value, [name]: by }) });
      }
    }
  }
}
