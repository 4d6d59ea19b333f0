import { type Persisted, Pod, timestamp, transitionTime } from '@vireo/api';
import { conditionOf } from '@vireo/api/conditions.ts';
import {
  BACKUP_WORK_CONTAINER,
  BACKUP_WORK_PROGRESS,
  type BackupWorkResult,
} from '@vireo/api/kinds/harvester/backupWork.ts';
import { type Client, ignoreNotFoundOrConflict } from '@vireo/kube';

type Status = NonNullable<Pod['status']>;
type Container = NonNullable<Status['containerStatuses']>[number];

/** How a worker pod is while its work goes on. `problem`: what is in the way, where something is. */
export function runningStatus(pod: Persisted<Pod>, percent: number, now: Date, problem?: string): Status {
  const startedAt = startOf(pod) ?? timestamp(now);
  return {
    phase: 'Running',
    startTime: startedAt,
    message: problem ?? null,
    conditions: [progressCondition(pod, percent, now)],
    containerStatuses: [container(pod, { running: { startedAt } }, true)],
  } as unknown as Status;
}

/** How a worker pod is when its work has ended. */
export function endedStatus(pod: Persisted<Pod>, result: BackupWorkResult, now: Date): Status {
  const isGood = !('error' in result);
  const terminated = {
    exitCode: isGood ? 0 : 1,
    reason: isGood ? 'Completed' : 'Error',
    message: JSON.stringify(result),
    startedAt: startOf(pod) ?? timestamp(now),
    finishedAt: timestamp(now),
  };
  return {
    phase: isGood ? 'Succeeded' : 'Failed',
    startTime: terminated.startedAt,
    message: null,
    ...(isGood && { conditions: [progressCondition(pod, 100, now)] }),
    containerStatuses: [container(pod, { terminated }, false)],
  } as unknown as Status;
}

/** Writes how a pod is. One that has gone needs to hear nothing: its work is cancelled. */
export async function reportPod(kubelet: Client, pod: Persisted<Pod>, status: Status): Promise<void> {
  const { name, namespace = '', uid } = pod.metadata;
  await kubelet
    .of(Pod)
    .patchStatus(name, { metadata: { uid }, status }, { namespace, type: 'strategic' })
    .catch(ignoreNotFoundOrConflict);
}

const startOf = (pod: Pod): string | undefined => pod.status?.startTime ?? undefined;

const progressCondition = (pod: Pod, percent: number, now: Date) => ({
  type: BACKUP_WORK_PROGRESS,
  status: 'True',
  message: String(percent),
  lastTransitionTime: transitionTime(conditionOf(pod, BACKUP_WORK_PROGRESS), 'True', now),
});

const container = (pod: Pod, state: Container['state'], ready: boolean): Container => ({
  name: BACKUP_WORK_CONTAINER,
  image: pod.spec?.containers[0]?.image ?? '',
  imageID: '',
  ready,
  restartCount: 0,
  state,
});
