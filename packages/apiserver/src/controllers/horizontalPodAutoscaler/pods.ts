import { conditionOf, type Pod } from '@vireo/api';
import { toMilli } from '@vireo/api/quantity.ts';
import { MetricError, type PodGroups, type PodSample } from './replicaCount.ts';

/** After its start a pod may need the CPU for other things than work, for so long. */
const CPU_INITIALIZATION_MS = 5 * 60_000;
/** A pod that became unready this soon after its start was never ready. */
const INITIAL_READINESS_DELAY_MS = 30_000;

const timeOf = (text: string | null | undefined): number | undefined => (text ? Date.parse(text) : undefined);

/** Which pods count, and of which too little is known. */
export function groupPods(
  pods: readonly Pod[],
  samples: ReadonlyMap<string, PodSample>,
  resource: string,
  nowMs: number,
): PodGroups {
  const [unready, missing, ignored] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let readyCount = 0;
  for (const pod of pods) {
    const name = pod.metadata.name ?? '';
    const sample = samples.get(name);
    if (pod.metadata.deletionTimestamp || pod.status?.phase === 'Failed') ignored.add(name);
    else if (pod.status?.phase === 'Pending') unready.add(name);
    else if (!sample) missing.add(name);
    else if (resource === 'cpu' && isCpuUnready(pod, sample, nowMs)) unready.add(name);
    else readyCount++;
  }
  return { readyCount, unready, missing, ignored };
}

/** Whether the CPU of a pod says something about its start rather than about its load. */
function isCpuUnready(pod: Pod, sample: PodSample, nowMs: number): boolean {
  const condition = conditionOf(pod, 'Ready');
  const startMs = timeOf(pod.status?.startTime);
  if (!condition || startMs === undefined) return true;
  const transitionMs = timeOf(condition.lastTransitionTime) ?? 0;
  const isUnready = condition.status === 'False';
  if (startMs + CPU_INITIALIZATION_MS > nowMs) return isUnready || sample.atMs < transitionMs + sample.windowMs;
  return isUnready && startMs + INITIAL_READINESS_DELAY_MS > transitionMs;
}

/** What each pod requests of a resource, in thousandths; of one container only where one is named. */
export function podRequests(pods: readonly Pod[], resource: string, container?: string): Map<string, number> {
  return new Map(pods.map((pod) => [pod.metadata.name ?? '', requestOf(pod, resource, container)]));
}

function requestOf({ metadata, spec }: Pod, resource: string, container: string | undefined): number {
  const whole = container === undefined ? spec?.resources?.requests?.[resource] : undefined;
  if (whole !== undefined) return Number(toMilli(whole));
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  let sum = 0;
  for (const { name, resources } of [...(spec?.containers ?? []), ...sidecars]) {
    if (container !== undefined && name !== container) continue;
    const request = resources?.requests?.[resource];
    if (request === undefined)
      throw new MetricError(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`);
    sum += Number(toMilli(request));
  }
  return sum;
}

/** How many pods run and are ready. */
export function readyPodCount(pods: readonly Pod[]): number {
  if (pods.length === 0) throw noPods();
  return pods.filter((pod) => pod.status?.phase === 'Running' && conditionOf(pod, 'Ready')?.status === 'True').length;
}

/** The selector of the target matches no pods. */
export const noPods = (): MetricError =>
  new MetricError('no pods returned by selector while calculating replica count');
