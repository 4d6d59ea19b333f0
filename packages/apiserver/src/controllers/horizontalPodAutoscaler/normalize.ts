import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '@vireo/api';
import type { Timed } from './history.ts';

/** What an autoscaler may do, and what it has done so far. */
export interface Bounds {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly currentReplicas: number;
  readonly behavior?: HorizontalPodAutoscalerBehavior;
  /** What was wanted before, oldest first. */
  readonly recommendations: readonly Timed[];
  /** By how many replicas it grew and shrank. */
  readonly scaleUps: readonly Timed[];
  readonly scaleDowns: readonly Timed[];
  readonly nowMs: number;
}

/** A number of replicas that may be set, and why it is not the one that was asked for. */
export interface Normalized {
  readonly replicas: number;
  readonly ableToScale: Reason;
  readonly limited: Reason & { readonly isLimited: boolean };
}

/** Reason and message of a condition. */
export interface Reason {
  readonly reason: string;
  readonly message: string;
}

/** kube-controller-manager's `--horizontal-pod-autoscaler-downscale-stabilization`. */
const DOWNSCALE_STABILIZATION_SECONDS = 300;

const READY: Reason = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const DOWN_STABILIZED: Reason = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const UP_STABILIZED: Reason = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const WITHIN_RANGE: Reason = {
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
};
const TOO_FEW: Reason = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const TOO_MANY: Reason = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const UP_LIMIT: Reason = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const DOWN_LIMIT: Reason = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};

/** What may be set when `desired` is wanted: not less than what was wanted lately, within the bounds and not too fast. */
export function normalize(desired: number, bounds: Bounds): Normalized {
  const [stabilized, why] = bounds.behavior ? stabilizeBothWays(desired, bounds) : stabilizeDown(desired, bounds);
  const [replicas, limit] = bounds.behavior ? limitRate(stabilized, bounds) : limitPlainly(stabilized, bounds);
  return {
    replicas,
    ableToScale: stabilized === desired ? READY : why,
    limited: { ...limit, isLimited: replicas !== stabilized },
  };
}

const since = (all: readonly Timed[], seconds: number, nowMs: number): number[] =>
  all.filter(({ atMs }) => atMs > nowMs - seconds * 1000).map(({ value }) => value);

function stabilizeDown(desired: number, { recommendations, nowMs }: Bounds): [number, Reason] {
  return [Math.max(desired, ...since(recommendations, DOWNSCALE_STABILIZATION_SECONDS, nowMs)), DOWN_STABILIZED];
}

function stabilizeBothWays(desired: number, bounds: Bounds): [number, Reason] {
  const { behavior, recommendations, currentReplicas, nowMs } = bounds;
  const upSeconds = behavior?.scaleUp?.stabilizationWindowSeconds ?? 0;
  const downSeconds = behavior?.scaleDown?.stabilizationWindowSeconds ?? DOWNSCALE_STABILIZATION_SECONDS;
  const lowest = Math.min(desired, ...since(recommendations, upSeconds, nowMs));
  const highest = Math.max(desired, ...since(recommendations, downSeconds, nowMs));
  const stabilized = Math.min(Math.max(currentReplicas, lowest), highest);
  return [stabilized, desired >= currentReplicas ? UP_STABILIZED : DOWN_STABILIZED];
}

function limitPlainly(desired: number, { minReplicas, maxReplicas, currentReplicas }: Bounds): [number, Reason] {
  const rateLimit = Math.max(2 * currentReplicas, 4);
  const most = Math.min(maxReplicas, rateLimit);
  if (desired < minReplicas) return [minReplicas, TOO_FEW];
  if (desired > most) return [most, maxReplicas > rateLimit ? UP_LIMIT : TOO_MANY];
  return [desired, WITHIN_RANGE];
}

function limitRate(desired: number, bounds: Bounds): [number, Reason] {
  const { minReplicas, maxReplicas, currentReplicas, behavior } = bounds;
  if (desired > currentReplicas) {
    const rateLimit = Math.max(upLimit(behavior?.scaleUp ?? {}, bounds), currentReplicas);
    const most = Math.min(maxReplicas, rateLimit);
    if (desired > most) return [most, maxReplicas > rateLimit ? UP_LIMIT : TOO_MANY];
  } else if (desired < currentReplicas) {
    const rateLimit = Math.min(downLimit(behavior?.scaleDown ?? {}, bounds), currentReplicas);
    const least = Math.max(minReplicas, rateLimit);
    if (desired < least) return [least, minReplicas < rateLimit ? DOWN_LIMIT : TOO_FEW];
  }
  return [desired, WITHIN_RANGE];
}

/** How many replicas there were when a period began. */
function atPeriodStart(periodSeconds: number, { currentReplicas, scaleUps, scaleDowns, nowMs }: Bounds): number {
  const sum = (all: readonly Timed[]): number =>
    since(all, periodSeconds, nowMs).reduce((total, value) => total + value, 0);
  return currentReplicas - sum(scaleUps) + sum(scaleDowns);
}

function upLimit({ selectPolicy, policies = [] }: HPAScalingRules, bounds: Bounds): number {
  if (selectPolicy === 'Disabled') return bounds.currentReplicas;
  const proposals = policies.map(({ type, value, periodSeconds }) => {
    const start = atPeriodStart(periodSeconds, bounds);
    // Reckoned as Kubernetes does, which shows where a float is a little off.
    return type === 'Pods' ? start + value : Math.ceil(start * (1 + value / 100));
  });
  return selectPolicy === 'Min' ? Math.min(...proposals) : Math.max(...proposals);
}

function downLimit({ selectPolicy, policies = [] }: HPAScalingRules, bounds: Bounds): number {
  if (selectPolicy === 'Disabled') return bounds.currentReplicas;
  const proposals = policies.map(({ type, value, periodSeconds }) => {
    const start = atPeriodStart(periodSeconds, bounds);
    return type === 'Pods' ? start - value : Math.trunc(start * (1 - value / 100));
  });
  return selectPolicy === 'Min' ? Math.max(...proposals) : Math.min(...proposals);
}
