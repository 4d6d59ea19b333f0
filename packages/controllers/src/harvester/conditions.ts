import { type ConditionDraft, mergeConditions, timestamp } from '@vireo/api';
import type { HarvesterCondition } from '@vireo/api/kinds/harvester/harvesterParts.ts';

/** Conditions as Harvester's kinds have them: what is empty is left out, and a change of any kind has a time. */
export const harvesterConditions = (
  before: readonly HarvesterCondition[] | undefined,
  drafts: readonly ConditionDraft[],
  now: Date,
): HarvesterCondition[] =>
  mergeConditions(
    before,
    drafts.map(({ reason, message, ...rest }) => ({
      ...rest,
      ...(reason && { reason }),
      ...(message && { message }),
    })),
    now,
    { stamp: { lastUpdateTime: timestamp(now) } },
  );
