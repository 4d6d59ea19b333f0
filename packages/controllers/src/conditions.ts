import { timestamp } from '@vireo/api';

/** A condition as KubeVirt's kinds have it. */
export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
}

/** What is to be said; the times follow from what was said before. */
export type Statement = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

export const findCondition = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);

export const hasStatus = (conditions: readonly Condition[] | undefined, type: string, status: string): boolean =>
  findCondition(conditions, type)?.status === status;

/**
 * The condition for a statement. What says the same as before stays as it was, times included, so that nothing is
 * written for it.
 */
export function stated(before: readonly Condition[] | undefined, statement: Statement, now: Date): Condition {
  const old = findCondition(before, statement.type);
  const isSame =
    old?.status === statement.status && old.reason === statement.reason && old.message === statement.message;
  if (old && isSame) return old;
  const lastTransitionTime = old?.status === statement.status ? old.lastTransitionTime : undefined;
  return { lastProbeTime: null, lastTransitionTime: lastTransitionTime ?? timestamp(now), ...defined(statement) };
}

/** The conditions with these said and those of the `removed` types gone. Order is kept, new ones come last. */
export function restated(
  before: readonly Condition[] | undefined,
  statements: readonly Statement[],
  removed: readonly string[],
  now: Date,
): Condition[] {
  const kept = (before ?? []).filter(({ type }) => !removed.includes(type));
  const changed = kept.map((old) => {
    const statement = statements.find(({ type }) => type === old.type);
    return statement ? stated(before, statement, now) : old;
  });
  const added = statements.filter(({ type }) => !findCondition(kept, type)).map((each) => stated(before, each, now));
  return [...changed, ...added];
}

/** JSON has no undefined, and comparisons with what the server holds should not either. */
const defined = (statement: Statement): Statement =>
  Object.fromEntries(Object.entries(statement).filter(([, value]) => value !== undefined)) as unknown as Statement;
