import { conditionOf, hasEnded, transitionTime } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import type { PodCondition } from '@vireo/api/kinds/core/podStatus.ts';
import { isSameMessage } from './messages.ts';

const SCHEDULER_NAME = 'default-scheduler';

/** What the scheduler has to do with a pod. */
export function roleOf(pod: Pod): 'place' | 'gated' | 'none' {
  const { spec, metadata } = pod;
  if (!spec || spec.nodeName || hasEnded(pod) || metadata.deletionTimestamp) return 'none';
  if ((spec.schedulerName || SCHEDULER_NAME) !== SCHEDULER_NAME) return 'none';
  return spec.schedulingGates?.length ? 'gated' : 'place';
}

/** Whether a change of the pod may change where it fits; its status never does. */
export const schedulingFieldsDiffer = (a: Pod, b: Pod): boolean =>
  !deepEqual(a.spec, b.spec) || !deepEqual(a.metadata.labels, b.metadata.labels);

/** The message that the pod already has where only what is free has changed, so that its event is counted, not repeated. */
export function recordedMessage(pod: Pod, message: string): string {
  const reported = conditionOf(pod, 'PodScheduled')?.message ?? '';
  return isSameMessage(reported, message) ? reported : message;
}

/** The condition to write so that the pod says why it waits; undefined where it already does. */
export function scheduledCondition(
  pod: Pod,
  reason: 'Unschedulable' | 'SchedulingGated' | 'SchedulerError',
  message: string,
  now: Date,
): PodCondition | undefined {
  const current = conditionOf(pod, 'PodScheduled');
  if (current?.status === 'False' && current.reason === reason && isSameMessage(current.message ?? '', message))
    return undefined;
  return {
    type: 'PodScheduled',
    status: 'False',
    reason,
    message,
    lastTransitionTime: transitionTime(current, 'False', now),
  };
}
