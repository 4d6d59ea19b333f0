import { conditionOf, type Pod, timestamp, withCondition } from '@vireo/api';
import { UNPAUSED_CONDITION } from '@vireo/api/kinds/kubevirt/names.ts';
import { OOM_KILLED } from '../limits/outOfMemory.ts';

type PodStatus = NonNullable<Pod['status']>;
type ContainerState = NonNullable<NonNullable<PodStatus['containerStatuses']>[number]['state']>;

const conditionsOf = (pod: Pod, wanted: Readonly<Record<string, boolean>>, now: Date): PodStatus['conditions'] => {
  let conditions = pod.status?.conditions ?? [];
  for (const [type, isTrue] of Object.entries(wanted))
    conditions = withCondition(conditions, { type, status: isTrue ? 'True' : 'False' }, now);
  return conditions;
};

/** A launcher whose VMI can be started: to the cluster its container runs from here on. */
export function preparedStatus(
  pod: Pod,
  hostAddress: string,
  now: Date,
  podAddresses: readonly string[] = [],
): PodStatus {
  const addresses = podAddresses.length > 0 ? podAddresses : [hostAddress];
  return {
    phase: 'Running',
    hostIP: hostAddress,
    hostIPs: [{ ip: hostAddress }],
    podIP: addresses[0],
    podIPs: addresses.map((ip) => ({ ip })),
    startTime: pod.status?.startTime ?? timestamp(now),
    conditions: conditionsOf(
      pod,
      { Initialized: true, ContainersReady: true, Ready: true, [UNPAUSED_CONDITION]: true },
      now,
    ),
    containerStatuses: containers(pod, { running: { startedAt: timestamp(now) } }, true),
  };
}

/** The launcher of a guest that is to come from another node: it runs, and has no address before the guest has come. */
export function waitingTargetStatus(pod: Pod, hostAddress: string, now: Date): PodStatus {
  const { podIP: _, podIPs: __, ...status } = preparedStatus(pod, hostAddress, now);
  return status;
}

/** An attachment pod: what it names can be plugged in. It has no address, for nothing runs in it. */
export const runningAttachment = (pod: Pod, now: Date): PodStatus => ({
  phase: 'Running',
  startTime: pod.status?.startTime ?? timestamp(now),
  conditions: conditionsOf(pod, { Initialized: true, ContainersReady: true, Ready: true }, now),
  containerStatuses: containers(pod, { running: { startedAt: timestamp(now) } }, true),
});

/** A launcher that waits for something, and for what. */
export const waitingStatus = (pod: Pod, reason: string, message: string, now: Date): PodStatus => ({
  phase: 'Pending',
  startTime: pod.status?.startTime ?? timestamp(now),
  conditions: conditionsOf(pod, { Initialized: true, ContainersReady: false, Ready: false }, now),
  containerStatuses: containers(pod, { waiting: { reason, message } }, false),
});

/** Whether nothing was reported of a pod but that it waits. */
export const isWaiting = ({ status }: Pod): boolean => (status?.phase ?? 'Pending') === 'Pending';

/** What a launcher waits for, if it does. */
export const waitingReason = ({ status }: Pod): string | undefined =>
  status?.containerStatuses?.[0]?.state?.waiting?.reason;

/** The readiness that follows from the gates of a launcher that runs; undefined where it says so already. */
export function gatedStatus(pod: Pod, now: Date): Partial<PodStatus> | undefined {
  const is = (wanted: string): string | undefined => conditionOf(pod, wanted)?.status;
  const closed = (pod.spec?.readinessGates ?? []).find(({ conditionType }) => is(conditionType) !== 'True');
  // Containers that have ended do not come back.
  if (is('ContainersReady') === 'False') return undefined;
  const isReady = closed === undefined;
  if (is('Ready') === (isReady ? 'True' : 'False')) return undefined;
  const condition = isReady
    ? { type: 'Ready', status: 'True' }
    : {
        type: 'Ready',
        status: 'False',
        reason: 'ReadinessGatesNotReady',
        message: closedGate(closed.conditionType, is),
      };
  return { conditions: withCondition(pod.status?.conditions, condition, now) };
}

/** The status of a launcher that runs while some of its containers have ended; undefined where it says so already. */
export function endedContainers(pod: Pod, names: readonly string[], now: Date): Partial<PodStatus> | undefined {
  const before = pod.status?.containerStatuses ?? [];
  const ended = before.filter(({ name, state }) => names.includes(name) && !state?.terminated);
  if (ended.length === 0) return undefined;
  const containerStatuses = before.map((each) => {
    if (!ended.includes(each)) return each;
    const startedAt = each.state?.running?.startedAt;
    const terminated = { exitCode: 1, reason: 'Error', ...(startedAt && { startedAt }), finishedAt: timestamp(now) };
    return { ...each, ready: false, started: false, state: { terminated } };
  });
  const unready = containerStatuses.filter(({ ready }) => !ready).map(({ name }) => name);
  const draft = {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  };
  const conditions = ['ContainersReady', 'Ready'].reduce(
    (all, type) => withCondition(all, { type, ...draft }, now),
    pod.status?.conditions ?? [],
  );
  return { containerStatuses, conditions };
}

const closedGate = (gate: string, is: (condition: string) => string | undefined): string =>
  gate === UNPAUSED_CONDITION && is(gate) === 'False'
    ? 'the guest is paused'
    : `the readiness gate "${gate}" is ${is(gate) ?? 'not set yet'}`;

/** Why a launcher fails that was made to. */
export const SIMULATED_CRASH = 'Simulated virt-launcher crash';

/** A launcher whose guest has ended. */
export const endedPodStatus = (pod: Pod, hasSucceeded: boolean, now: Date, message?: string): PodStatus =>
  terminatedStatus(
    pod,
    {
      exitCode: hasSucceeded ? 0 : 1,
      reason: hasSucceeded ? 'Completed' : 'Error',
      ...(message && { message }),
    },
    now,
  );

/** A launcher whose guest the kernel has killed for want of memory, as kubelet would report its container. */
export const outOfMemoryPodStatus = (pod: Pod, now: Date): PodStatus =>
  terminatedStatus(pod, { exitCode: SIGKILL_EXIT_CODE, reason: OOM_KILLED }, now);

const SIGKILL_EXIT_CODE = 137;

type Termination = NonNullable<ContainerState['terminated']>;

function terminatedStatus(pod: Pod, how: Termination, now: Date): PodStatus {
  const startedAt = pod.status?.containerStatuses?.[0]?.state?.running?.startedAt;
  const terminated = { ...how, ...(startedAt && { startedAt }), finishedAt: timestamp(now) };
  return {
    phase: how.exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: conditionsOf(pod, { ContainersReady: false, Ready: false }, now),
    containerStatuses: containers(pod, { terminated }, false),
  };
}

function containers(pod: Pod, state: ContainerState, isReady: boolean): PodStatus['containerStatuses'] {
  return (pod.spec?.containers ?? []).map(({ name, image = '', resources }) => ({
    ...(state.running && resources?.requests && { allocatedResources: { ...resources.requests }, resources }),
    name,
    image,
    imageID: image,
    ready: isReady,
    started: isReady,
    restartCount: 0,
    state,
  }));
}
