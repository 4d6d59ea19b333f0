import { type ConditionDraft, mergeConditions } from '../../conditions.ts';

/** A condition as KubeVirt's kinds have it. */
export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
}

/** The conditions as `drafts` say, and without those of the `managed` types that have no draft. */
export const setConditions = (
  conditions: readonly Condition[] | undefined,
  drafts: readonly ConditionDraft[],
  now: Date,
  managed: readonly string[] = [],
): Condition[] => mergeConditions(conditions, drafts, now, { managed, stamp: { lastProbeTime: null } });
