import { ApiError, type CrossVersionObjectReference, isReason, type LabelSelector, type PodMetrics } from '@vireo/api';
import { parseDuration } from '@vireo/api/duration.ts';
import { selectorFromObject } from '@vireo/api/labelSelector.ts';
import { toMilli } from '@vireo/api/quantity.ts';
import type { Client } from '@vireo/kube';
import { MetricError, type PodSample } from './replicaCount.ts';

/** A value of custom.metrics.k8s.io or external.metrics.k8s.io. */
interface MetricValue {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: string;
  readonly windowSeconds?: number;
  readonly window?: number;
  readonly value?: string | number;
}

interface MetricIdentifier {
  readonly name: string;
  readonly selector?: LabelSelector;
}

/** Where kinds that a metric describes are in the API: the name of the resource, such as `services`. */
export type FindResource = (reference: CrossVersionObjectReference) => { readonly plural: string } | undefined;

const CUSTOM = 'custom.metrics.k8s.io';
const EXTERNAL = 'external.metrics.k8s.io';
/** As Kubernetes takes it where a metric does not say. */
const DEFAULT_WINDOW_MS = 60_000;

/** Reads metrics as any client does, from whoever serves them. Throws MetricError in the words of Kubernetes' client. */
export class MetricsClient {
  readonly #client: Client;
  readonly #findResource: FindResource;

  constructor(client: Client, findResource: FindResource) {
    this.#client = client;
    this.#findResource = findResource;
  }

  /** What pods use of a resource, by their names; of one container only where one is named. */
  async resource(
    resource: string,
    namespace: string,
    labelSelector: string,
    container?: string,
  ): Promise<Map<string, PodSample>> {
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`;
    const items = await this.#items<PodMetrics>('resource', path, 'pods.metrics.k8s.io', { labelSelector });
    const samples = new Map<string, PodSample>();
    for (const pod of items) {
      const milli = container === undefined ? podMilli(pod, resource) : containerMilli(pod, resource, container);
      if (milli === undefined) continue;
      const windowMs = parseDuration(pod.window) ?? DEFAULT_WINDOW_MS;
      samples.set(pod.metadata.name ?? '', { milli, atMs: Date.parse(pod.timestamp), windowMs });
    }
    return samples;
  }

  /** A metric of pods, by their names. */
  async pods(metric: MetricIdentifier, namespace: string, labelSelector: string): Promise<Map<string, PodSample>> {
    const values = await this.#custom(['namespaces', namespace, 'pods', '*', metric.name], metric, { labelSelector });
    return new Map(values.map((value) => [value.describedObject?.name ?? '', sampleOf(value)]));
  }

  /** A metric of one object. */
  async object(metric: MetricIdentifier, namespace: string, object: CrossVersionObjectReference): Promise<number> {
    const place =
      object.kind === 'Namespace'
        ? ['namespaces', object.name, 'metrics']
        : ['namespaces', namespace, this.#resourceOf(object), object.name];
    const [value] = await this.#custom([...place, metric.name], metric, {});
    return milliOf(value?.value);
  }

  /** The sum of a metric from outside. */
  async external({ name, selector }: MetricIdentifier, namespace: string): Promise<number> {
    const path = `/apis/${EXTERNAL}/v1beta1/${['namespaces', namespace, name].map(encodeURIComponent).join('/')}`;
    const labelSelector = selector ? String(selectorFromObject(selector)) : '';
    const values = await this.#items<MetricValue>('external', path, `${name}.${EXTERNAL}`, {
      ...(labelSelector && { labelSelector }),
    });
    return values.reduce((sum, { value }) => sum + milliOf(value), 0);
  }

  #resourceOf(object: CrossVersionObjectReference): string {
    const found = this.#findResource(object);
    if (!found) throw new MetricError(`no matches for kind "${object.kind}"`);
    return found.plural;
  }

  async #custom(
    segments: readonly string[],
    { selector }: MetricIdentifier,
    query: Record<string, string>,
  ): Promise<MetricValue[]> {
    const metricLabelSelector = selector ? String(selectorFromObject(selector)) : '';
    const path = segments.map((segment) => (segment === '*' ? segment : encodeURIComponent(segment))).join('/');
    const all = { ...query, ...(metricLabelSelector && { metricLabelSelector }) };
    for (const version of ['v1beta2', 'v1beta1'] as const) {
      const values = await this.#itemsIfServed<MetricValue>('custom', `/apis/${CUSTOM}/${version}/${path}`, all);
      if (values) return values;
    }
    throw unreadable('custom', `no custom metrics API (${CUSTOM}) registered`);
  }

  async #items<T>(api: string, path: string, what: string, query: Record<string, string>): Promise<T[]> {
    const items = await this.#itemsIfServed<T>(api, path, query);
    // As client-go puts it for whom nobody serves the group.
    if (!items) throw unreadable(api, `the server could not find the requested resource (get ${what})`);
    return items;
  }

  /** Undefined: nobody serves the API. */
  async #itemsIfServed<T>(api: string, path: string, query: Record<string, string>): Promise<T[] | undefined> {
    let items: T[] | undefined;
    try {
      ({ items } = (await this.#client.call({ method: 'GET', path, query })) as { items?: T[] });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (isReason(error, 'NotFound') && !error.status.details?.name) return undefined;
      throw unreadable(api, error.message);
    }
    if (!items?.length) throw new MetricError(`no metrics returned from ${api} metrics API`);
    return items;
  }
}

const unreadable = (api: string, why: string): MetricError =>
  new MetricError(`unable to fetch metrics from ${api} metrics API: ${why}`);

const milliOf = (value: string | number | undefined): number => Number(toMilli(value ?? 0));

const sampleOf = ({ value, timestamp, windowSeconds, window }: MetricValue): PodSample => ({
  milli: milliOf(value),
  atMs: timestamp ? Date.parse(timestamp) : 0,
  windowMs: (windowSeconds ?? window ?? DEFAULT_WINDOW_MS / 1000) * 1000,
});

/** The sum over its containers; undefined where one of them does not say. */
function podMilli({ containers }: PodMetrics, resource: string): number | undefined {
  if (containers.some(({ usage }) => usage[resource] === undefined)) return undefined;
  return containers.reduce((sum, { usage }) => sum + milliOf(usage[resource]), 0);
}

function containerMilli({ metadata, containers }: PodMetrics, resource: string, container: string): number {
  const usage = containers.find(({ name }) => name === container)?.usage[resource];
  if (usage === undefined)
    throw new MetricError(
      `failed to get container metrics: container ${container} not present in metrics for pod ${metadata.namespace}/${metadata.name}`,
    );
  return milliOf(usage);
}
