import { type ConditionDraft, timestamp } from '@vireo/api';
import { setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import type { Clone, CloneStatus } from './kinds.ts';

const conditions = (
  clone: Clone,
  progressing: ConditionDraft,
  ready: ConditionDraft,
  now: Date,
): CloneStatus['conditions'] => setConditions(clone.status?.conditions, [progressing, ready], now);

const progressing = (status: 'True' | 'False', reason: string): ConditionDraft => ({
  type: 'Progressing',
  status,
  reason,
});
const ready = (status: 'True' | 'False', reason: string, message?: string): ConditionDraft => ({
  type: 'Ready',
  status,
  reason,
  message,
});

/** On its way through a phase. */
export const inProgressStatus = (clone: Clone, phase: string, now: Date): CloneStatus => ({
  ...clone.status,
  phase,
  conditions: conditions(clone, progressing('True', 'Still processing'), ready('False', 'Still processing'), now),
});

/** Not begun: something has to be there first. */
export const pendingStatus = (clone: Clone, message: string, now: Date): CloneStatus => ({
  ...clone.status,
  conditions: conditions(clone, progressing('False', 'Pending'), ready('False', message), now),
});

/** Given up for good. */
export const failedStatus = (clone: Clone, message: string, now: Date): CloneStatus => ({
  ...clone.status,
  phase: 'Failed',
  conditions: conditions(clone, progressing('False', 'Failed'), ready('False', message), now),
});

export const succeededStatus = (clone: Clone, targetName: string, now: Date): CloneStatus => ({
  ...clone.status,
  phase: 'Succeeded',
  targetName,
  creationTime: clone.status?.creationTime ?? timestamp(now),
  conditions: conditions(clone, progressing('False', 'Ready'), ready('True', 'Ready'), now),
});
