import { mergeConditions, type Statement } from '../../conditions.ts';

/** A condition as KubeVirt's kinds have it. */
export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
}

/** The conditions with what `statements` say, and without those of the `owned` types that no statement is about. */
export const setConditions = (
  conditions: readonly Condition[] | undefined,
  statements: readonly Statement[],
  now: Date,
  owned: readonly string[] = [],
): Condition[] => mergeConditions(conditions, statements, now, { owned, stamp: { lastProbeTime: null } });
