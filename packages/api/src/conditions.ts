import { timestamp } from './time.ts';

/** What conditions of every kind have in common. */
export interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

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
