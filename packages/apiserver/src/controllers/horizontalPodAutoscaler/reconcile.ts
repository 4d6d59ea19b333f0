import { HorizontalPodAutoscaler, type MetricStatus, type Persisted, Pod, type Scale } from '@vireo/api';
import { parseLabelSelector } from '@vireo/api/labelSelector.ts';
import { type Client, keyOf, type Recorder } from '@vireo/kube';
import type { ServedKinds } from '../servedKinds.ts';
import type { Histories } from './history.ts';
import type { MetricsClient } from './metricsClient.ts';
import { normalize } from './normalize.ts';
import { FailedMetric, type MetricProposal, propose, type Target, toleranceOf } from './proposals.ts';
import { StatusDraft } from './status.ts';
import { getScale } from './target.ts';

/** What a pass over an autoscaler works with. */
export interface AutoscalerParts {
  readonly client: Client;
  readonly served: ServedKinds;
  readonly metrics: MetricsClient;
  readonly histories: Histories;
  readonly recorder: Recorder;
  readonly nowMs: () => number;
}

/** How many replicas there should be, and why. */
interface Decision {
  readonly replicas: number;
  readonly reason: string;
  readonly metrics?: readonly MetricStatus[];
}

const ZERO = {
  reason: 'ScalingDisabled',
  message: 'scaling is disabled since the replica count of the target is zero',
};

/** In the place of a metric that could not be read. */
const UNREAD: MetricStatus = { type: '' };

/** No metric can be used; the status says why. */
class NoReplicaCount extends Error {
  readonly metrics: readonly MetricStatus[] | undefined;

  constructor(message: string, metrics?: readonly MetricStatus[]) {
    super(message);
    this.metrics = metrics;
  }
}

/** One look at an autoscaler's target, its load, and what follows from it. */
export async function reconcileAutoscaler(
  autoscaler: Persisted<HorizontalPodAutoscaler>,
  parts: AutoscalerParts,
): Promise<void> {
  const { client, recorder, histories } = parts;
  const nowMs = parts.nowMs();
  const { namespace = '' } = autoscaler.metadata;
  const key = keyOf(autoscaler);
  const draft = new StatusDraft(autoscaler, new Date(nowMs));
  const write = (change: Parameters<StatusDraft['finish']>[0]) =>
    client.of(HorizontalPodAutoscaler).writeStatus(autoscaler, draft.finish(change));
  const warn = (reason: string, message: string): void => recorder.event(autoscaler, 'Warning', reason, message);

  let found: Awaited<ReturnType<typeof getScale>>;
  try {
    found = await getScale(client, parts.served, autoscaler.spec.scaleTargetRef, namespace);
  } catch (error) {
    const why = (error as Error).message;
    warn('FailedGetScale', why);
    draft.set('AbleToScale', false, {
      reason: 'FailedGetScale',
      message: `the HPA controller was unable to get the target's current scale: ${why}`,
    });
    await write({ metrics: autoscaler.status?.currentMetrics });
    return;
  }
  draft.set('AbleToScale', true, {
    reason: 'SucceededGetScale',
    message: "the HPA controller was able to get the target's current scale",
  });
  const { kind, scale } = found;
  const currentReplicas = scale.spec?.replicas ?? 0;
  if (histories.of(key).recommendations.length === 0) histories.recommend(key, currentReplicas, nowMs);

  let decision: Decision;
  try {
    decision = await decide(autoscaler, scale, draft, warn, parts, nowMs);
  } catch (error) {
    if (!(error instanceof NoReplicaCount)) throw error;
    warn('FailedComputeMetricsReplicas', error.message);
    await write({ currentReplicas, metrics: error.metrics });
    return;
  }
  const { replicas, reason, metrics } = decision;
  if (replicas === currentReplicas) {
    await write({ currentReplicas, desiredReplicas: currentReplicas, metrics });
    return;
  }
  try {
    await client.of(kind).updateScale({ ...scale, spec: { ...scale.spec, replicas } });
  } catch (error) {
    const why = (error as Error).message;
    warn('FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${why}`);
    draft.set('AbleToScale', false, {
      reason: 'FailedUpdateScale',
      message: `the HPA controller was unable to update the target scale: ${why}`,
    });
    await write({ currentReplicas, metrics });
    return;
  }
  draft.set('AbleToScale', true, {
    reason: 'SucceededRescale',
    message: `the HPA controller was able to update the target scale to ${replicas}`,
  });
  recorder.event(autoscaler, 'Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`);
  if (autoscaler.spec.behavior) histories.scaled(key, currentReplicas, replicas, nowMs);
  await write({ currentReplicas, desiredReplicas: replicas, metrics, isRescaled: true });
}

type Warn = (reason: string, message: string) => void;

async function decide(
  autoscaler: Persisted<HorizontalPodAutoscaler>,
  scale: Scale,
  draft: StatusDraft,
  warn: Warn,
  parts: AutoscalerParts,
  nowMs: number,
): Promise<Decision> {
  const { minReplicas = 1, maxReplicas, behavior } = autoscaler.spec;
  const currentReplicas = scale.spec?.replicas ?? 0;
  if (currentReplicas === 0 && minReplicas !== 0) {
    draft.set('ScalingActive', false, ZERO);
    return { replicas: 0, reason: '' };
  }
  if (currentReplicas > maxReplicas)
    return { replicas: maxReplicas, reason: 'Current number of replicas above Spec.MaxReplicas' };
  if (currentReplicas < minReplicas)
    return { replicas: minReplicas, reason: 'Current number of replicas below Spec.MinReplicas' };
  const { replicas: desired, name, metrics } = await fromMetrics(autoscaler, scale, draft, warn, parts, nowMs);
  const key = keyOf(autoscaler);
  const { recommendations, scaleUps, scaleDowns } = parts.histories.of(key);
  const { replicas, ableToScale, limited } = normalize(desired, {
    minReplicas,
    maxReplicas,
    currentReplicas,
    ...(behavior && { behavior }),
    recommendations,
    scaleUps,
    scaleDowns,
    nowMs,
  });
  parts.histories.recommend(key, desired, nowMs);
  draft.set('AbleToScale', true, ableToScale);
  draft.set('ScalingLimited', limited.isLimited, limited);
  return { replicas, reason: desired > currentReplicas ? `${name} above target` : 'All metrics below target', metrics };
}

/** The largest of what the metrics ask for. Where one cannot be read, there may be more replicas but not fewer. */
async function fromMetrics(
  autoscaler: Persisted<HorizontalPodAutoscaler>,
  scale: Scale,
  draft: StatusDraft,
  warn: Warn,
  parts: AutoscalerParts,
  nowMs: number,
): Promise<{ replicas: number; name: string; metrics: MetricStatus[] }> {
  const target = await targetOf(autoscaler, scale, draft, warn, parts, nowMs);
  const specs = autoscaler.spec.metrics ?? [];
  const proposals: MetricProposal[] = [];
  const failures: FailedMetric[] = [];
  const metrics: MetricStatus[] = [];
  for (const spec of specs)
    try {
      const proposal = await propose(spec, target, parts.metrics);
      proposals.push(proposal);
      metrics.push(proposal.status);
    } catch (error) {
      if (!(error instanceof FailedMetric)) throw error;
      warn(error.reason, error.message);
      failures.push(error);
      metrics.push(UNREAD);
    }
  const [first] = failures;
  const best = proposals.reduce<MetricProposal | undefined>(
    (most, each) => (!most || each.replicas > most.replicas ? each : most),
    undefined,
  );
  if (first && (!best || best.replicas < target.specReplicas)) {
    draft.set('ScalingActive', false, {
      reason: first.reason,
      message: `the HPA was unable to compute the replica count: ${first.message}`,
    });
    throw new NoReplicaCount(
      `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: ${first.explanation}`,
      metrics,
    );
  }
  const { replicas, name } = best as MetricProposal;
  draft.set('ScalingActive', true, {
    reason: 'ValidMetricFound',
    message: `the HPA was able to successfully calculate a replica count from ${name}`,
  });
  return { replicas, name, metrics };
}

async function targetOf(
  autoscaler: Persisted<HorizontalPodAutoscaler>,
  scale: Scale,
  draft: StatusDraft,
  warn: Warn,
  parts: AutoscalerParts,
  nowMs: number,
): Promise<Target> {
  const refuse = (event: string, message: string, reason = event, condition = message): never => {
    warn(event, message);
    draft.set('ScalingActive', false, { reason, message: condition });
    throw new NoReplicaCount(message);
  };
  const { namespace = '' } = autoscaler.metadata;
  const selector = scale.status?.selector ?? '';
  if (selector === '')
    refuse(
      'SelectorRequired',
      'selector is required',
      'InvalidSelector',
      "the HPA target's scale is missing a selector",
    );
  try {
    parseLabelSelector(selector);
  } catch (error) {
    const why = (error as Error).message;
    refuse('InvalidSelector', `couldn't convert selector into a corresponding internal selector object: ${why}`);
  }
  parts.histories.selects(keyOf(autoscaler), selector);
  const { items: pods } = await parts.client.of(Pod).list({ namespace, labelSelector: selector });
  const owners = autoscalersOf(pods, namespace, parts.histories);
  if (owners.length > 1)
    refuse('AmbiguousSelector', `pods by selector ${selector} are controlled by multiple HPAs: [${owners.join(' ')}]`);
  const { spec, status } = scale;
  return {
    namespace,
    selector,
    pods,
    specReplicas: spec?.replicas ?? 0,
    statusReplicas: status?.replicas ?? 0,
    tolerance: toleranceOf(autoscaler),
    nowMs,
  };
}

/** Whose targets have these pods, by name. */
export function autoscalersOf(pods: readonly Pod[], namespace: string, histories: Histories): string[] {
  const owners: string[] = [];
  for (const [key, selector] of histories.selectorsIn(namespace)) {
    const { matches } = parseLabelSelector(selector);
    if (pods.some(({ metadata }) => matches(metadata.labels ?? {}))) owners.push(key);
  }
  return owners.sort();
}
