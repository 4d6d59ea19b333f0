import { type Statement, timestamp } from '@vireo/api';
import { setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import type { Clone, CloneStatus } from './kinds.ts';

const told = (clone: Clone, progressing: Statement, ready: Statement, now: Date): CloneStatus['conditions'] =>
  setConditions(clone.status?.conditions, [progressing, ready], now);

const progressing = (status: 'True' | 'False', reason: string): Statement => ({ type: 'Progressing', status, reason });
const ready = (status: 'True' | 'False', reason: string, message?: string): Statement => ({
  type: 'Ready',
  status,
  reason,
  message,
});

/** On its way through a phase. */
export const working = (clone: Clone, phase: string, now: Date): CloneStatus => ({
  ...clone.status,
  phase,
  conditions: told(clone, progressing('True', 'Still processing'), ready('False', 'Still processing'), now),
});

/** Not begun: something has to be there first. */
export const pending = (clone: Clone, message: string, now: Date): CloneStatus => ({
  ...clone.status,
  conditions: told(clone, progressing('False', 'Pending'), ready('False', message), now),
});

/** Given up for good. */
export const failed = (clone: Clone, message: string, now: Date): CloneStatus => ({
  ...clone.status,
  phase: 'Failed',
  conditions: told(clone, progressing('False', 'Failed'), ready('False', message), now),
});

export const succeeded = (clone: Clone, targetName: string, now: Date): CloneStatus => ({
  ...clone.status,
  phase: 'Succeeded',
  targetName,
  creationTime: clone.status?.creationTime ?? timestamp(now),
  conditions: told(clone, progressing('False', 'Ready'), ready('True', 'Ready'), now),
});
