/** What a VMI's pods say. */
import {
  type ConditionDraft,
  conditionOf,
  findCondition,
  hasEnded,
  isDeleting,
  type Persisted,
  type Pod,
} from '@vireo/api';
import { isMigrationTarget } from '@vireo/api/kinds/kubevirt/migration.ts';
import { isHandedOver, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

/** What a container waits for as long as nothing has failed; a message says what takes time. */
const PROGRESSING_REASONS = ['ContainerCreating', 'PodInitializing'];

/** Whether a launcher that waits for this reason only needs time. */
export const isProgressing = (reason: string): boolean => PROGRESSING_REASONS.includes(reason);

export const isDownOrGoing = (pod: Persisted<Pod>): boolean => hasEnded(pod) || isDeleting(pod);

/** Whether the node has all that the guest needs, so that it can be started. */
export function isPrepared(pod: Persisted<Pod>): boolean {
  const { phase, conditions, containerStatuses = [] } = pod.status ?? {};
  if (phase !== 'Running' || isDeleting(pod)) return false;
  const areAllReady = containerStatuses.length > 0 && containerStatuses.every(({ ready }) => ready);
  return areAllReady || findCondition(conditions, 'ContainersReady')?.status === 'True';
}

/**
 * The launcher of a VMI's guest. A migration makes a second one, which is the guest's once the VMI says that the guest is
 * on its node; the first one stays for a while and is not the guest's any more.
 */
export function currentLauncher(vmi: Vmi, pods: readonly Persisted<Pod>[]): Persisted<Pod> | undefined {
  const { nodeName } = vmi.status ?? {};
  if (!isHandedOver(vmi) || !nodeName) return youngestPod(pods);
  const here = pods.filter(({ spec }) => spec?.nodeName === nodeName);
  return youngestPod(
    here.length > 0 ? here : pods.filter((pod) => !isMigrationTarget(pod, vmi) && !isLeftBehind(pod, vmi)),
  );
}

/** Whether the guest has left the pod for another by a migration. */
export const isLeftBehind = ({ metadata, spec }: Persisted<Pod>, { status }: Vmi): boolean => {
  const { completed, failed, sourcePod } = status?.migrationState ?? {};
  return completed === true && !failed && sourcePod === metadata.name && spec?.nodeName !== status?.nodeName;
};

/** One that lives before one that has ended, then the youngest. */
function youngestPod(pods: readonly Persisted<Pod>[]): Persisted<Pod> | undefined {
  const age = ({ metadata }: Persisted<Pod>) => metadata.creationTimestamp;
  return [...pods].sort((a, b) => Number(hasEnded(a)) - Number(hasEnded(b)) || age(b).localeCompare(age(a)))[0];
}

/** What is to be said of a launcher whose node lacks something: an image, a secret. */
export function waitingFailure({ status }: Persisted<Pod>): ConditionDraft | undefined {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  for (const { state, name } of containers) {
    const { reason = '', message } = state?.waiting ?? {};
    if (reason === '' || (isProgressing(reason) && !message)) continue;
    return { type: 'Synchronized', status: 'False', reason, message: message ?? `${reason} in container ${name}` };
  }
  return undefined;
}

/** What is to be said of a pod that no node takes. */
export function schedulingFailure(pod: Persisted<Pod>): ConditionDraft | undefined {
  const condition = conditionOf(pod, 'PodScheduled');
  if (condition?.status !== 'False') return undefined;
  const { reason, message } = condition;
  return { type: 'PodScheduled', status: 'False', reason, message };
}

/** When the launcher's container ended, in milliseconds since the epoch. */
export function endedAtMs({ status }: Persisted<Pod>): number | undefined {
  const times = (status?.containerStatuses ?? []).map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  const known = times.filter((time) => !Number.isNaN(time));
  return known.length > 0 ? Math.max(...known) : undefined;
}
