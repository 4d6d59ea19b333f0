import {
  type ConditionDraft,
  conditionOf,
  findCondition,
  hasEnded,
  isDeleting,
  type Persisted,
  type Pod,
  timestamp,
} from '@vireo/api';
import { type Condition, setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import { GUEST_MAY_HAVE_MOVED } from '@vireo/api/kinds/kubevirt/fencing.ts';
import { MEMORY_OVERHEAD_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import {
  gracePeriodSecondsOf,
  isFinal,
  isHandedOver,
  isPaused,
  type Vmi,
  type VmiStatus,
} from '@vireo/api/kinds/kubevirt/vmi.ts';
import { movingText } from '../node/moving.ts';
import { schedulingFailure, waitingFailure } from './launcher.ts';
import { nextPhase, phaseTimes } from './phase.ts';

/** The status that a VMI should have, as far as it is ours to say. */
export function vmiStatus(
  vmi: Vmi,
  pod: Persisted<Pod> | undefined,
  failure: ConditionDraft | undefined,
  now: Date,
  pods: readonly Persisted<Pod>[] = pod ? [pod] : [],
): VmiStatus {
  const before = vmi.status ?? {};
  const phase = nextPhase(vmi, pod, now.getTime());
  const isEndedByUs = phase === 'Failed' && before.phase !== 'Failed';
  return {
    ...before,
    phase,
    phaseTransitionTimestamps: phaseTimes(before, phase, now),
    conditions: conditions(vmi, phase, pod, failure, now),
    ...(isEndedByUs && pod?.status?.reason && { reason: pod.status.reason }),
    ...(pod && !isHandedOver(vmi) && launcherFacts(before, phase, pod)),
    ...(isHandedOver(vmi) && before.activePods && { activePods: activePods(before.activePods, pods) }),
  };
}

/** The launchers that live: two during a migration, and another one where the first was lost. The last one stays. */
function activePods(
  before: NonNullable<VmiStatus['activePods']>,
  pods: readonly Persisted<Pod>[],
): NonNullable<VmiStatus['activePods']> {
  const active = pods.filter((pod) => !hasEnded(pod) && pod.spec?.nodeName);
  if (active.length === 0) return before;
  return Object.fromEntries(active.map(({ metadata, spec }) => [metadata.uid, spec?.nodeName ?? '']));
}

function launcherFacts(before: VmiStatus, phase: string, pod: Persisted<Pod>): VmiStatus {
  const overhead = pod.metadata.annotations?.[MEMORY_OVERHEAD_ANNOTATION];
  const qosClass = pod.status?.qosClass as VmiStatus['qosClass'];
  return {
    activePods: { ...before.activePods, [pod.metadata.uid]: pod.spec?.nodeName ?? '' },
    launcherContainerImageVersion: pod.spec?.containers[0]?.image ?? '',
    ...(qosClass && { qosClass }),
    ...(overhead !== undefined && { memory: { ...before.memory, memoryOverhead: overhead } }),
    ...(phase === 'Scheduled' && { nodeName: pod.spec?.nodeName ?? '' }),
  };
}

function conditions(
  vmi: Vmi,
  phase: string,
  pod: Persisted<Pod> | undefined,
  failure: ConditionDraft | undefined,
  now: Date,
): Condition[] {
  // Whether a guest that a node has is in sync, only that node can tell.
  const sync = isHandedOver(vmi) ? undefined : (failure ?? (pod && waitingFailure(pod)));
  const drafts = [readiness(vmi, phase, pod), pod && schedulingFailure(pod), sync].filter((each) => each !== undefined);
  const managed = isHandedOver(vmi)
    ? ['PodScheduled', 'DataVolumesReady']
    : ['PodScheduled', 'DataVolumesReady', 'Synchronized'];
  return setConditions(vmi.status?.conditions, drafts, now, managed);
}

const notReady = (reason: string, message: string): ConditionDraft => ({
  type: 'Ready',
  status: 'False',
  reason,
  message,
});

/** Until when a guest that is told to shut down may take: whoever waits for it wants to know. */
function shutdownDeadlineText(vmi: Vmi, phase: string): string {
  const { deletionTimestamp } = vmi.metadata;
  const graceSeconds = gracePeriodSecondsOf(vmi);
  if (phase !== 'Running' || !deletionTimestamp || graceSeconds <= 0) return '';
  const until = timestamp(new Date(Date.parse(deletionTimestamp) + graceSeconds * 1000));
  return `: the guest has until ${until} to shut down before it is powered off; to power it off now: kubectl delete --grace-period=0 --force`;
}

/** What is said of a VMI whose node is unreachable: what was asked of it, and what ends the wait. */
function unknownReadiness(vmi: Vmi): ConditionDraft {
  const { nodeName = '', reason = 'NodeUnresponsive' } = vmi.status ?? {};
  if (reason === GUEST_MAY_HAVE_MOVED)
    return { type: 'Ready', status: 'Unknown', reason, message: movingText(nodeName, vmi) };
  const why = reason === 'NodeRemoved' ? 'no longer exists' : 'is unreachable';
  const wait = isDeleting(vmi) ? 'the VMI is deleted' : 'this is known';
  const message =
    `node ${nodeName} ${why}, so it is unknown whether the guest is running: ${wait} when the node reports again; ` +
    `if the host is powered off: vireo node fence ${nodeName}`;
  return { type: 'Ready', status: 'Unknown', reason, message };
}

/** Whether the VM can be used, from its launcher's point of view. */
function readiness(vmi: Vmi, phase: string, pod: Persisted<Pod> | undefined): ConditionDraft {
  if (phase === 'Unknown') return unknownReadiness(vmi);
  if (!pod && isHandedOver(vmi) && !isFinal(vmi))
    return notReady('PodNotExists', 'the virt-launcher pod is gone; it is created anew, and the guest is not affected');
  if (!pod) return notReady('PodNotExists', 'virt-launcher pod has not yet been scheduled');
  if (isDeleting(pod))
    return notReady('PodTerminating', `virt-launcher pod is terminating${shutdownDeadlineText(vmi, phase)}`);
  if (phase !== 'Running') return notReady('GuestNotRunning', 'Guest VM is not reported as running');
  const ready = conditionOf(pod, 'Ready');
  if (!ready) return notReady('PodConditionMissing', 'virt-launcher pod is missing the Ready condition');
  const { status, reason, message } = ready;
  return { type: 'Ready', status, reason, message };
}

/**
 * Whether a change can wait for a moment: that a launcher exists and all is well with it. It is mostly ready before
 * anybody could have read that, and then one write says all.
 */
export function canWait({ status: before = {} }: Vmi, after: VmiStatus): boolean {
  const isFirstWord = ['', 'Pending'].includes(before.phase ?? '') && after.phase === 'Scheduling';
  const complaints = ({ conditions }: VmiStatus) =>
    ['PodScheduled', 'Synchronized'].filter((type) => findCondition(conditions, type)?.status === 'False').join();
  return isFirstWord && complaints(before) === '' && complaints(after) === '';
}

/** What the launcher's readiness gate should say; undefined where it says so. */
export function unpausedStatus(vmi: Vmi, pod: Persisted<Pod>, gate: string): 'True' | 'False' | undefined {
  const hasGate = pod.spec?.readinessGates?.some(({ conditionType }) => conditionType === gate);
  if (!hasGate || vmi.status?.phase !== 'Running' || isDeleting(pod)) return undefined;
  const wanted = isPaused(vmi) ? 'False' : 'True';
  return conditionOf(pod, gate)?.status === wanted ? undefined : wanted;
}
