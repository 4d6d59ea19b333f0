import { isConditionTrue } from '../../conditions.ts';
import type { Column } from '../../kind.ts';
import { age, ageColumn } from '../columns.ts';
import type { ContainerStatus } from './containerStatus.ts';
import type { Pod } from './pod.ts';

/** What `kubectl get pods` tells of a pod in its first columns. */
export interface PodSummary {
  ready: number;
  total: number;
  status: string;
  restarts: number;
  lastRestart?: string;
}

/**
 * Sums a pod up. The status starts as the phase and is overruled by whoever knows better: an init container that is not
 * done, then the last container that waits or ended, then the deletion.
 */
export function summarizePod(pod: Pod): PodSummary {
  const { spec, status = {}, metadata } = pod;
  const sidecars = new Set(spec?.initContainers?.filter(isSidecar).map(({ name }) => name));
  const init = summarizeInit(pod, sidecars);
  const total = (spec?.containers?.length ?? 0) + sidecars.size;
  let summary: PodSummary = { ...init, total, status: init.reason ?? initialStatus(pod) };
  const isInitialized = init.reason === undefined || isConditionTrue(pod, 'Initialized');
  if (isInitialized) summary = summarizeContainers(pod, summary, sidecars, init.ready);
  if (metadata.deletionTimestamp) {
    if (status.reason === 'NodeLost') summary.status = 'Unknown';
    else if (status.phase !== 'Succeeded' && status.phase !== 'Failed') summary.status = 'Terminating';
  }
  return summary;
}

const isSidecar = ({ restartPolicy }: { restartPolicy?: string }): boolean => restartPolicy === 'Always';

function initialStatus({ status }: Pod): string {
  const isGated = status?.conditions?.some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  return isGated ? 'SchedulingGated' : status?.reason || status?.phase || '';
}

/** Restarts and ready sidecars so far, and `reason` while an init container holds the pod up. */
function summarizeInit({ spec, status }: Pod, sidecars: ReadonlySet<string>) {
  const statuses = status?.initContainerStatuses ?? [];
  const seen: ContainerStatus[] = [];
  let ready = 0;
  let reason: string | undefined;
  for (const [index, container] of statuses.entries()) {
    seen.push(container);
    if (container.state?.terminated?.exitCode === 0) continue;
    if (sidecars.has(container.name) && container.started) {
      if (container.ready) ready++;
      continue;
    }
    reason = `Init:${initReason(container) ?? `${index}/${spec?.initContainers?.length ?? 0}`}`;
    break;
  }
  return { ready, reason, ...countRestarts(seen) };
}

function initReason({ state }: ContainerStatus): string | undefined {
  if (state?.terminated) return endReason(state.terminated);
  const waiting = state?.waiting?.reason;
  return waiting && waiting !== 'PodInitializing' ? waiting : undefined;
}

const endReason = ({ reason, signal, exitCode }: { reason?: string; signal?: number; exitCode: number }): string =>
  reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);

/** From here on only sidecars and proper containers count. */
function summarizeContainers(
  pod: Pod,
  before: PodSummary,
  sidecars: ReadonlySet<string>,
  readySidecars: number,
): PodSummary {
  const containers = pod.status?.containerStatuses ?? [];
  const running = containers.filter(isReadyAndRunning);
  const reasons = containers.map(containerReason).filter((reason) => reason !== undefined);
  let status = reasons[0] ?? before.status;
  if (status === 'Completed' && running.length > 0) status = isConditionTrue(pod, 'Ready') ? 'Running' : 'NotReady';
  const restartable = pod.status?.initContainerStatuses?.filter(({ name }) => sidecars.has(name)) ?? [];
  return {
    ready: readySidecars + running.length,
    total: before.total,
    status,
    ...countRestarts([...restartable, ...containers]),
  };
}

const isReadyAndRunning = (container: ContainerStatus): boolean =>
  container.ready && container.state?.running !== undefined && containerReason(container) === undefined;

function containerReason({ state }: ContainerStatus): string | undefined {
  if (state?.waiting?.reason) return state.waiting.reason;
  return state?.terminated ? endReason(state.terminated) : undefined;
}

function countRestarts(containers: readonly ContainerStatus[]): { restarts: number; lastRestart?: string } {
  const ends = containers.map(({ lastState }) => lastState?.terminated?.finishedAt).filter((end) => end !== undefined);
  return {
    restarts: containers.reduce((sum, { restartCount }) => sum + restartCount, 0),
    lastRestart: ends.sort((a, b) => Date.parse(a) - Date.parse(b)).at(-1),
  };
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const met = gates.filter(({ conditionType }) => isConditionTrue({ status }, conditionType));
  return `${met.length}/${gates.length}`;
}

function formatRestarts(pod: Pod, now: Date): string {
  const { restarts, lastRestart } = summarizePod(pod);
  return restarts > 0 && lastRestart ? `${restarts} (${age(lastRestart, now)} ago)` : String(restarts);
}

export const podColumns: readonly Column<Pod>[] = [
  {
    name: 'Ready',
    type: 'string',
    description: 'Number of ready containers and of all containers.',
    value: (pod) => {
      const { ready, total } = summarizePod(pod);
      return `${ready}/${total}`;
    },
  },
  {
    name: 'Status',
    type: 'string',
    description: "Summary of the pod's state.",
    value: (pod) => summarizePod(pod).status,
  },
  {
    name: 'Restarts',
    type: 'string',
    description: 'How often containers were restarted, and when last.',
    value: formatRestarts,
  },
  ageColumn,
  {
    name: 'IP',
    type: 'string',
    priority: 1,
    description: 'IP address of the pod.',
    value: ({ status }) => status?.podIPs?.[0]?.ip || status?.podIP || '<none>',
  },
  {
    name: 'Node',
    type: 'string',
    priority: 1,
    description: 'The node that runs the pod.',
    value: ({ spec }) => spec?.nodeName || '<none>',
  },
  {
    name: 'Nominated Node',
    type: 'string',
    priority: 1,
    description: 'Node on which room is being made for the pod.',
    value: ({ status }) => status?.nominatedNodeName || '<none>',
  },
  {
    name: 'Readiness Gates',
    type: 'string',
    priority: 1,
    description: 'Number of readiness gates that are met and of all of them.',
    value: readinessGates,
  },
];
