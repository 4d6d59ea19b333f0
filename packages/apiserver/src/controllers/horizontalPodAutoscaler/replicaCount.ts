/** How many replicas a metric asks for. Everything is counted in thousandths, as Kubernetes does. */

/** What one pod was measured to use. */
export interface PodSample {
  readonly milli: number;
  readonly atMs: number;
  readonly windowMs: number;
}

/** Pods by what can be said of their load. */
export interface PodGroups {
  readonly readyCount: number;
  readonly unready: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
  readonly ignored: ReadonlySet<string>;
}

/** How far a load may be off before anything is done about it. */
export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

/** The metric cannot be used now, and why. */
export class MetricError extends Error {}

const isWithin = (ratio: number, { up, down }: Tolerance): boolean => 1 - down <= ratio && ratio <= 1 + up;

/** What a load is compared with: its share of what is wanted, and how much a pod uses. */
interface Load {
  readonly ratio: number;
  /** In percent of the requests, where that is what is wanted. */
  readonly utilization?: number;
  readonly averageMilli: number;
}

/** How to measure pods, and what stands in for one that is not known. */
interface Yardstick {
  load(samples: ReadonlyMap<string, number>): Load;
  /** What a pod without a sample is taken to use when the others use little. */
  fallbackMilli(pod: string): number;
}

/** How many replicas a metric asks for, and the load that was measured. */
export interface Proposal {
  readonly replicas: number;
  readonly utilization?: number;
  readonly averageMilli: number;
}

/** Pods are to use a share of what they request. */
export const byUtilization = (targetPercent: number, requestsMilli: ReadonlyMap<string, number>): Yardstick => ({
  load(samples) {
    let [used, requested, count] = [0, 0, 0];
    for (const [pod, milli] of samples) {
      const request = requestsMilli.get(pod);
      if (request === undefined) continue;
      used += milli;
      requested += request;
      count++;
    }
    if (requested === 0) throw new MetricError('no metrics returned matched known pods');
    const utilization = Math.floor((used * 100) / requested);
    return { ratio: utilization / targetPercent, utilization, averageMilli: Math.floor(used / count) };
  },
  fallbackMilli: (pod) => Math.floor(((requestsMilli.get(pod) ?? 0) * Math.max(100, targetPercent)) / 100),
});

/** Pods are to use an amount each. */
export const byAverage = (targetMilli: number): Yardstick => ({
  load(samples) {
    const used = [...samples.values()].reduce((sum, milli) => sum + milli, 0);
    const averageMilli = Math.floor(used / samples.size);
    return { ratio: averageMilli / targetMilli, averageMilli };
  },
  fallbackMilli: () => targetMilli,
});

/**
 * How many replicas bring the load to what is wanted. Pods of which nothing is known count against a change: as idle
 * when there would be more, and as busy when there would be fewer.
 */
export function replicasForPods(
  samples: ReadonlyMap<string, PodSample>,
  groups: PodGroups,
  currentReplicas: number,
  yardstick: Yardstick,
  tolerance: Tolerance,
): Proposal {
  const known = new Map<string, number>();
  for (const [pod, { milli }] of samples)
    if (!groups.ignored.has(pod) && !groups.unready.has(pod)) known.set(pod, milli);
  if (known.size === 0) throw new MetricError('did not receive metrics for targeted pods (pods might be unready)');
  const { ratio, ...measured } = yardstick.load(known);
  const growsDespiteUnready = groups.unready.size > 0 && ratio > 1;
  if (!growsDespiteUnready && groups.missing.size === 0) {
    const replicas = isWithin(ratio, tolerance) ? currentReplicas : Math.ceil(ratio * groups.readyCount);
    return { replicas, ...measured };
  }
  for (const pod of groups.missing) {
    if (ratio < 1) known.set(pod, yardstick.fallbackMilli(pod));
    else if (ratio > 1) known.set(pod, 0);
  }
  if (growsDespiteUnready) for (const pod of groups.unready) known.set(pod, 0);
  const { ratio: adjusted } = yardstick.load(known);
  const isReversed = (ratio < 1 && adjusted > 1) || (ratio > 1 && adjusted < 1);
  if (isWithin(adjusted, tolerance) || isReversed) return { replicas: currentReplicas, ...measured };
  const wanted = Math.ceil(adjusted * known.size);
  const isAgainst = (adjusted < 1 && wanted > currentReplicas) || (adjusted > 1 && wanted < currentReplicas);
  return { replicas: isAgainst ? currentReplicas : wanted, ...measured };
}

/** How many replicas bring one value, which all of them share, to what is wanted. */
export function replicasForValue(
  usedMilli: number,
  targetMilli: number,
  currentReplicas: number,
  readyPods: () => number,
  tolerance: Tolerance,
): number {
  const ratio = usedMilli / targetMilli;
  if (currentReplicas === 0) return Math.ceil(ratio);
  return isWithin(ratio, tolerance) ? currentReplicas : Math.ceil(ratio * readyPods());
}

/** How many replicas bring the share of each in one value to what is wanted. */
export function replicasForShare(
  usedMilli: number,
  targetMilli: number,
  statusReplicas: number,
  tolerance: Tolerance,
): Proposal {
  const ratio = usedMilli / (targetMilli * statusReplicas);
  return {
    replicas: isWithin(ratio, tolerance) ? statusReplicas : Math.ceil(usedMilli / targetMilli),
    averageMilli: Math.ceil(usedMilli / statusReplicas),
  };
}
