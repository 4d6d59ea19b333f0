import { timestamp } from '@vireo/api';
import type { HarvesterCondition } from '@vireo/api/kinds/harvester/harvesterParts.ts';

/** What is to be said; the times follow from what was said before. */
export type HarvesterStatement = Pick<HarvesterCondition, 'type' | 'status' | 'reason' | 'message'>;

/**
 * Conditions as Harvester's kinds have them: these statements, and of what was said before whatever they leave out. What
 * says the same keeps its times, so that nothing is written for it.
 */
export function harvesterConditions(
  before: readonly HarvesterCondition[] = [],
  statements: readonly HarvesterStatement[],
  now: Date,
): HarvesterCondition[] {
  const kept = before.filter(({ type }) => !statements.some((statement) => statement.type === type));
  return [...kept, ...statements.map((statement) => stated(before, statement, now))];
}

function stated(
  before: readonly HarvesterCondition[],
  { type, status, reason = '', message = '' }: HarvesterStatement,
  now: Date,
): HarvesterCondition {
  const old = before.find((condition) => condition.type === type);
  const isSameStatus = old?.status === status;
  if (old && isSameStatus && (old.reason ?? '') === reason && (old.message ?? '') === message) return old;
  const time = timestamp(now);
  return {
    type,
    status,
    ...(reason && { reason }),
    ...(message && { message }),
    lastUpdateTime: time,
    lastTransitionTime: (isSameStatus && old.lastTransitionTime) || time,
  };
}
