import type { HorizontalPodAutoscaler, LabelSelector, MetricSpec, MetricStatus, MetricTarget, Pod } from '@vireo/api';
import { formatQuantity, toMilli } from '@vireo/api/quantity.ts';
import type { MetricsClient } from './metricsClient.ts';
import { groupPods, noPods, podRequests, readyPodCount } from './pods.ts';
import {
  byAverage,
  byUtilization,
  MetricError,
  type PodSample,
  replicasForPods,
  replicasForShare,
  replicasForValue,
  type Tolerance,
} from './replicaCount.ts';

/** The target of an autoscaler, as metrics need to know it. */
export interface Target {
  readonly namespace: string;
  readonly selector: string;
  readonly pods: readonly Pod[];
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly tolerance: Tolerance;
  readonly nowMs: number;
}

/** What one metric asks for. */
export interface MetricProposal {
  readonly replicas: number;
  /** What the metric is called in conditions and events. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** Why a metric asks for nothing. */
export class FailedMetric extends Error {
  /** Of the condition and the event. */
  readonly reason: string;
  /** The same with what was asked for, as the sum of all failures says it. */
  readonly explanation: string;

  constructor(reason: string, message: string, explanation = message) {
    super(message);
    this.reason = reason;
    this.explanation = explanation;
  }
}

const milli = (quantity: string | number | undefined): number => Number(toMilli(quantity ?? 0));

/** In the form in which Kubernetes writes what it has computed. */
const amount = (thousandths: number): string =>
  formatQuantity({ nano: BigInt(Math.round(thousandths)) * 1_000_000n, form: 'decimal' });

/** How far the load may be off, as `behavior` says; 10 % otherwise. */
export function toleranceOf({ spec }: HorizontalPodAutoscaler): Tolerance {
  const { scaleUp, scaleDown } = spec.behavior ?? {};
  const of = (value: string | number | undefined): number => (value === undefined ? 0.1 : milli(value) / 1000);
  return { up: of(scaleUp?.tolerance), down: of(scaleDown?.tolerance) };
}

/** Asks for a metric, and reckons how many replicas it takes. Throws FailedMetric. */
export async function propose(metric: MetricSpec, target: Target, metrics: MetricsClient): Promise<MetricProposal> {
  const { resource, containerResource, pods, object, external } = metric;
  switch (metric.type) {
    case 'Resource':
      if (!resource) break;
      return failingWith(
        'FailedGetResourceMetric',
        `failed to get ${resource.name} resource metric value`,
        async () => {
          const found = await proposeResource(resource, undefined, target, metrics);
          const { name } = resource;
          return { ...found, status: { type: 'Resource', resource: { name, current: found.current } } };
        },
      );
    case 'ContainerResource':
      if (!containerResource) break;
      return failingWith(
        'FailedGetContainerResourceMetric',
        `failed to get ${containerResource.name} container metric value`,
        async () => {
          const { name, container } = containerResource;
          const found = await proposeResource(containerResource, container, target, metrics);
          const current = { name, container, current: found.current };
          return { ...found, status: { type: 'ContainerResource', containerResource: current } };
        },
      );
    case 'Pods':
      if (!pods) break;
      return failingWith('FailedGetPodsMetric', 'failed to get pods metric value', async () => {
        const { name } = pods.metric;
        const samples = await explained(`unable to get metric ${name}`, () =>
          metrics.pods(pods.metric, target.namespace, target.selector),
        );
        const { replicas, averageMilli } = fromAverage(samples, pods.target, '', target);
        const current = { averageValue: amount(averageMilli) };
        return {
          replicas,
          name: `pods metric ${name}`,
          status: { type: 'Pods', pods: { metric: pods.metric, current } },
        };
      });
    case 'Object':
      if (!object) break;
      return failingWith('FailedGetObjectMetric', 'failed to get object metric value', async () => {
        const { describedObject, metric: identifier } = object;
        const { kind, name } = describedObject;
        // The words come in this order in Kubernetes.
        const used = await explained(
          `unable to get metric ${identifier.name}: ${kind} on ${target.namespace} ${name}/`,
          () => metrics.object(identifier, target.namespace, describedObject),
        );
        const shared = `external metric ${identifier.name}(${selectorText(identifier.selector)})`;
        const found = fromShared(used, object.target, 'object', target);
        return {
          replicas: found.replicas,
          name: found.isShare ? shared : `${kind} metric ${identifier.name}`,
          status: { type: 'Object', object: { describedObject, metric: identifier, current: found.current } },
        };
      });
    case 'External':
      if (!external) break;
      return failingWith(
        'FailedGetExternalMetric',
        `failed to get ${external.metric.name} external metric value: failed to get ${external.metric.name} external metric`,
        async () => {
          const { metric: identifier } = external;
          const text = selectorText(identifier.selector);
          const used = await explained(
            `unable to get external metric ${target.namespace}/${identifier.name}/${text}`,
            () => metrics.external(identifier, target.namespace),
          );
          const found = fromShared(used, external.target, 'external', target);
          return {
            replicas: found.replicas,
            name: `external metric ${identifier.name}(${text})`,
            status: { type: 'External', external: { metric: identifier, current: found.current } },
          };
        },
      );
  }
  throw new FailedMetric('InvalidMetricSourceType', `unknown metric source type "${metric.type}"`);
}

async function failingWith(reason: string, what: string, read: () => Promise<MetricProposal>): Promise<MetricProposal> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof MetricError)) throw error;
    throw new FailedMetric(reason, error.message, `${what}: ${error.message}`);
  }
}

async function explained<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof MetricError)) throw error;
    throw new MetricError(`${what}${what.endsWith('/') ? '' : ': '}${error.message}`);
  }
}

async function proposeResource(
  { name, target }: { readonly name: string; readonly target: MetricTarget },
  container: string | undefined,
  of: Target,
  metrics: MetricsClient,
) {
  const isAverage = target.averageValue !== undefined;
  const { averageUtilization } = target;
  return explained(`failed to get ${name} ${isAverage ? 'usage' : 'utilization'}`, async () => {
    const samples = await explained(`unable to get metrics for resource ${name}`, () =>
      metrics.resource(name, of.namespace, of.selector, container),
    );
    if (isAverage) {
      const { replicas, averageMilli } = fromAverage(samples, target, name, of);
      return { replicas, name: `${name} resource`, current: { averageValue: amount(averageMilli) } };
    }
    if (averageUtilization === undefined)
      throw new MetricError('invalid resource metric source: neither a utilization target nor a value target was set');
    if (of.pods.length === 0) throw noPods();
    const groups = groupPods(of.pods, samples, name, of.nowMs);
    const yardstick = byUtilization(averageUtilization, podRequests(of.pods, name, container));
    const found = replicasForPods(samples, groups, of.specReplicas, yardstick, of.tolerance);
    const scope = container === undefined ? '' : 'container ';
    return {
      replicas: found.replicas,
      name: `${name} ${scope}resource utilization (percentage of request)`,
      current: {
        averageValue: amount(found.averageMilli),
        ...(found.utilization !== undefined && { averageUtilization: found.utilization }),
      },
    };
  });
}

function fromAverage(samples: ReadonlyMap<string, PodSample>, target: MetricTarget, resource: string, of: Target) {
  if (of.pods.length === 0) throw noPods();
  const groups = groupPods(of.pods, samples, resource, of.nowMs);
  return replicasForPods(samples, groups, of.specReplicas, byAverage(milli(target.averageValue)), of.tolerance);
}

/** Of a value that all replicas share. */
function fromShared(usedMilli: number, target: MetricTarget, kind: 'object' | 'external', of: Target) {
  if (target.averageValue !== undefined) {
    const found = replicasForShare(usedMilli, milli(target.averageValue), of.statusReplicas, of.tolerance);
    return { replicas: found.replicas, isShare: true, current: { averageValue: amount(found.averageMilli) } };
  }
  if (target.value === undefined)
    throw new MetricError(`invalid ${kind} metric source: neither a value target nor an average value target was set`);
  const ready = (): number => readyPodCount(of.pods);
  const replicas = replicasForValue(usedMilli, milli(target.value), of.specReplicas, ready, of.tolerance);
  return { replicas, isShare: false, current: { value: amount(usedMilli) } };
}

/** As Go prints a selector. */
function selectorText(selector: LabelSelector | undefined): string {
  if (!selector) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
