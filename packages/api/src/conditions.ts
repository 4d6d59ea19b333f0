import { deepEqual } from './json.ts';
import { timestamp } from './time.ts';

/** What conditions of every kind have in common. */
export interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

interface WithConditions<C> {
  readonly status?: { readonly conditions?: readonly C[] | undefined } | undefined;
}

/** What an object says under that type, whichever way. */
export const conditionOf = <C extends { readonly type: string }>(
  object: WithConditions<C> | undefined,
  type: string,
): C | undefined => object?.status?.conditions?.find((condition) => condition.type === type);

export const isConditionTrue = (
  object: WithConditions<{ readonly type: string; readonly status: string }> | undefined,
  type: string,
): boolean => conditionOf(object, type)?.status === 'True';

/**
 * The conditions with one of them set: in its old place, or at the end. Its time changes only when its status does.
 *
 * @example
 * withCondition(pod.status?.conditions, { type: 'Ready', status: 'True' }, new Date())
 */
export function withCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  condition: C,
  now: Date,
): C[] {
  const before = conditions?.find(({ type }) => type === condition.type);
  const next = { ...condition, lastTransitionTime: transitionTime(before, condition.status, now) };
  if (!before) return [...(conditions ?? []), next];
  return (conditions ?? []).map((each) => (each === before ? next : each));
}

/** Since when a condition has its status: the old time while the status stays. */
export const transitionTime = (before: ConditionLike | undefined, status: string, now: Date): string =>
  before?.status === status && before.lastTransitionTime ? before.lastTransitionTime : timestamp(now);

/**
 * The conditions that changed, for a strategic merge patch. That merges each with the one of its type on the server, so
 * what a condition no longer says (a reason, a message) has to be taken away by name.
 */
export function conditionsPatch<C extends ConditionLike>(
  before: readonly C[] | undefined,
  after: readonly C[],
): Record<string, unknown>[] {
  return after.flatMap((condition) => {
    const old = before?.find(({ type }) => type === condition.type);
    if (old && deepEqual(old, condition)) return [];
    const gone = Object.keys(old ?? {}).filter((field) => !Object.hasOwn(condition, field));
    return [{ ...condition, ...Object.fromEntries(gone.map((field) => [field, null])) }];
  });
}
