import { deepEqual } from './json.ts';
import { timestamp } from './time.ts';

/** What conditions of every kind have in common. */
export interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string | null;
}

/** A condition before it is set; its times follow from what it said before. */
export interface ConditionDraft {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

interface WithConditions<C> {
  readonly status?: { readonly conditions?: readonly C[] | undefined } | undefined;
}

export const findCondition = <C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined => conditions?.find((condition) => condition.type === type);

/** The condition of that type that an object has, whatever it says. */
export const conditionOf = <C extends { readonly type: string }>(
  object: WithConditions<C> | undefined,
  type: string,
): C | undefined => findCondition(object?.status?.conditions, type);

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
  const before = findCondition(conditions, condition.type);
  const next = { ...condition, lastTransitionTime: transitionTime(before, condition.status, now) };
  if (!before) return [...(conditions ?? []), next];
  return (conditions ?? []).map((each) => (each === before ? next : each));
}

/**
 * The conditions as `drafts` say, and without those of the `managed` types that have no draft. A condition that says
 * the same as before stays as it was, times included, so that nothing is written for it; any other gets the fields of
 * `stamp`.
 */
export function mergeConditions<C extends ConditionLike & ConditionDraft>(
  conditions: readonly C[] | undefined,
  drafts: readonly ConditionDraft[],
  now: Date,
  { managed = [], stamp = {} }: { readonly managed?: readonly string[]; readonly stamp?: Partial<C> } = {},
): C[] {
  const kept = (conditions ?? []).filter(
    ({ type }) => !managed.includes(type) || drafts.some((draft) => draft.type === type),
  );
  return drafts.reduce((merged, draft) => {
    const before = findCondition(merged, draft.type);
    return before && saysSame(before, draft)
      ? merged
      : withCondition(merged, { ...stamp, ...withoutUndefined(draft) } as C, now);
  }, kept);
}

const saysSame = (a: ConditionDraft, b: ConditionDraft): boolean =>
  a.status === b.status && (a.reason ?? '') === (b.reason ?? '') && (a.message ?? '') === (b.message ?? '');

/** JSON has no undefined, and comparisons with what the server holds should not either. */
const withoutUndefined = ({ type, status, reason, message }: ConditionDraft): ConditionDraft => ({
  type,
  status,
  ...(reason !== undefined && { reason }),
  ...(message !== undefined && { message }),
});

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
    const old = findCondition(before, condition.type);
    if (old && deepEqual(old, condition)) return [];
    const gone = Object.keys(old ?? {}).filter((field) => !Object.hasOwn(condition, field));
    return [{ ...condition, ...Object.fromEntries(gone.map((field) => [field, null])) }];
  });
}
