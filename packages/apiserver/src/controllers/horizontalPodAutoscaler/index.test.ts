import {
  APIService,
  conditionOf,
  Event,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerV1,
  type MetricSpec,
  Node,
  type Persisted,
  Pod,
  ReplicaSet,
} from '@vireo/api';
import { objectResponse } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const NAMESPACE = 'default';
const at = { namespace: NAMESPACE };
/** Millicores that every pod uses, by its label `app`. */
const load = new Map<string, number>();
const used = new Map<string, number>();
let server: TestServer;

const of = () => ({
  autoscalers: server.client.of(HorizontalPodAutoscaler),
  sets: server.client.of(ReplicaSet),
  pods: server.client.of(Pod),
});

/** What a node would report: counters that grow with the load, by a clock of their own. */
let seconds = 1_000;
async function resourceMetrics(): Promise<string> {
  seconds += 10;
  const { items } = await of().pods.list(at);
  const lines = items.flatMap(({ metadata }) => {
    const app = metadata.labels?.app ?? '';
    if (!load.has(app)) return [];
    const cpu = (used.get(metadata.name) ?? 0) + ((load.get(app) ?? 0) / 1000) * 10;
    used.set(metadata.name, cpu);
    const labels = `{container="compute",namespace="${NAMESPACE}",pod="${metadata.name}"}`;
    const stamp = Date.now() + seconds * 1000;
    return [
      `container_cpu_usage_seconds_total${labels} ${cpu} ${stamp}`,
      `container_memory_working_set_bytes${labels} 1048576 ${stamp}`,
    ];
  });
  return lines.join('\n');
}

beforeAll(async () => {
  server = await startTestServer(undefined, { metricResolutionMs: 1, autoscalerSyncPeriodMs: 50 });
  server.server.api.nodes.set('n1', { podLog: () => Promise.reject(new Error('no logs')), resourceMetrics });
  await server.client.of(Node).create({ metadata: { name: 'n1' } });
});
afterAll(() => server.close());

/** A set whose pods run and are ready for long: nothing makes them but this. */
async function target(app: string, replicas: number): Promise<void> {
  const labels = { app };
  const spec = { containers: [{ name: 'compute', image: 'none', resources: { requests: { cpu: '100m' } } }] };
  const template = { metadata: { labels }, spec };
  const draft = { metadata: { name: app, ...at }, spec: { replicas, selector: { matchLabels: labels }, template } };
  const set = await of().sets.create(draft);
  await of().sets.patchStatus(app, { status: { replicas } }, { ...at, type: 'merge' });
  for (let index = 0; index < replicas; index++) {
    const name = `${set.metadata.name}-${index}`;
    await of().pods.create({ metadata: { name, ...at, labels }, spec: { ...spec, nodeName: 'n1' } });
    const lastTransitionTime = '2020-01-01T00:00:00Z';
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime }];
    const status = { phase: 'Running', startTime: lastTransitionTime, conditions };
    await of().pods.patchStatus(name, { status }, { ...at, type: 'merge' });
  }
}

type Spec = Partial<HorizontalPodAutoscaler['spec']>;

const autoscale = (name: string, { scaleTargetRef, ...spec }: Spec) =>
  of().autoscalers.create({
    metadata: { name, ...at },
    spec: {
      scaleTargetRef: scaleTargetRef ?? { apiVersion: 'apps/v1', kind: 'ReplicaSet', name },
      maxReplicas: 10,
      ...spec,
    },
  });

const replicas = async (name: string): Promise<number | undefined> => (await of().sets.get(name, at)).spec?.replicas;

/** The condition once its reason is the expected one. */
async function condition(name: string, type: string, reason: string): Promise<Persisted<HorizontalPodAutoscaler>> {
  return vi.waitFor(
    async () => {
      const autoscaler = await of().autoscalers.get(name, at);
      expect(conditionOf(autoscaler, type)).toMatchObject({ reason });
      return autoscaler;
    },
    { timeout: 10_000, interval: 20 },
  );
}

const event = (name: string, reason: string): Promise<string | undefined> =>
  vi.waitFor(
    async () => {
      const { items } = await server.client.of(Event).list(at);
      const found = items.find(({ involvedObject, reason: own }) => involvedObject.name === name && own === reason);
      expect(found).toBeDefined();
      return found?.message;
    },
    { timeout: 10_000, interval: 20 },
  );

const soon = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 20 });

const cpu = (averageUtilization: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

describe('bounds', () => {
  test('a target below the minimum is scaled without any metrics', async () => {
    await target('few', 1);
    await autoscale('few', { minReplicas: 3, maxReplicas: 3 });
    await soon(async () => expect(await replicas('few')).toBe(3));
    expect(await event('few', 'SuccessfulRescale')).toBe(
      'New size: 3; reason: Current number of replicas below Spec.MinReplicas',
    );
    await soon(async () => expect((await of().autoscalers.get('few', at)).status?.lastScaleTime).toBeDefined());
  });

  test('a target above the maximum comes down to it, and one at zero is left alone', async () => {
    await target('many', 4);
    await autoscale('many', { maxReplicas: 2 });
    await soon(async () => expect(await replicas('many')).toBe(2));
    await target('none', 0);
    await autoscale('none', {});
    const found = await condition('none', 'ScalingActive', 'ScalingDisabled');
    expect(conditionOf(found, 'ScalingActive')).toMatchObject({
      status: 'False',
      message: 'scaling is disabled since the replica count of the target is zero',
    });
  });
});

describe('the CPU', () => {
  test('makes a target grow, and shrink when the behavior lets it', async () => {
    await target('web', 2);
    load.set('web', 100);
    const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
    await autoscale('web', { metrics: [cpu(50)], behavior });
    await soon(async () => expect(await replicas('web')).toBe(4));
    expect(await event('web', 'SuccessfulRescale')).toBe(
      'New size: 4; reason: cpu resource utilization (percentage of request) above target',
    );
    load.set('web', 10);
    await soon(async () => expect(await replicas('web')).toBe(1));
    await soon(async () => {
      const found = await of().autoscalers.get('web', at);
      expect(conditionOf(found, 'ScalingActive')).toMatchObject({
        status: 'True',
        reason: 'ValidMetricFound',
        message:
          'the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)',
      });
      expect(found.status?.currentMetrics).toEqual([
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 10, averageValue: '10m' } } },
      ]);
    });
    const v1 = await server.client.of(HorizontalPodAutoscalerV1).get('web', at);
    expect(v1.status?.currentCPUUtilizationPercentage).toBe(10);
    await of().autoscalers.delete('web', at);
  });

  test('of one container counts by itself', async () => {
    await target('part', 1);
    load.set('part', 200);
    const target100 = { type: 'Utilization', averageUtilization: 100 };
    const containerResource = { name: 'cpu', container: 'compute', target: target100 };
    await autoscale('part', { metrics: [{ type: 'ContainerResource', containerResource }] });
    await soon(async () => expect(await replicas('part')).toBe(2));
    await of().autoscalers.delete('part', at);
  });
});

describe('what is wrong', () => {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'gone' };
  test.each<[string, Spec, string]>([
    ['gone', { scaleTargetRef }, 'replicasets.apps "gone" not found'],
    [
      'odd',
      { scaleTargetRef: { apiVersion: 'example.com/v1', kind: 'Thing', name: 'x' } },
      'no matches for kind "Thing" in group "example.com"',
    ],
  ])('the target: %s', async (name, spec, why) => {
    await autoscale(name, spec);
    const found = await condition(name, 'AbleToScale', 'FailedGetScale');
    expect(conditionOf(found, 'AbleToScale')).toMatchObject({
      status: 'False',
      message: `the HPA controller was unable to get the target's current scale: ${why}`,
    });
    expect(await event(name, 'FailedGetScale')).toBe(why);
  });

  const metric = { name: 'queue' };
  const describedObject = { apiVersion: 'v1', kind: 'Service', name: 'main' };
  const value = { type: 'Value', value: '5' };
  const average = { type: 'AverageValue', averageValue: '5' };
  test.each<[string, MetricSpec, string, string]>([
    [
      'pods',
      { type: 'Pods', pods: { metric, target: average } },
      'FailedGetPodsMetric',
      'unable to get metric queue: unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
    ],
    [
      'object',
      { type: 'Object', object: { metric, describedObject, target: value } },
      'FailedGetObjectMetric',
      'unable to get metric queue: Service on default main/unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered',
    ],
    [
      'external',
      { type: 'External', external: { metric, target: value } },
      'FailedGetExternalMetric',
      'unable to get external metric default/queue/nil: unable to fetch metrics from external metrics API: the server could not find the requested resource (get queue.external.metrics.k8s.io)',
    ],
    [
      'resource',
      cpu(50),
      'FailedGetResourceMetric',
      'failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API',
    ],
  ])('a metric that nobody serves: %s', async (name, spec, reason, why) => {
    await target(`blind-${name}`, 1);
    await autoscale(`blind-${name}`, { metrics: [spec] });
    const found = await condition(`blind-${name}`, 'ScalingActive', reason);
    expect(conditionOf(found, 'ScalingActive')).toMatchObject({
      status: 'False',
      message: `the HPA was unable to compute the replica count: ${why}`,
    });
    expect(await event(`blind-${name}`, reason)).toBe(why);
    expect(await event(`blind-${name}`, 'FailedComputeMetricsReplicas')).toMatch(
      /^invalid metrics \(1 invalid out of 1\), first error is: failed to get .* metric value: /,
    );
  });

  test('two autoscalers of the same pods', async () => {
    await target('both', 1);
    for (const name of ['both', 'both-too'])
      await autoscale(name, { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'both' } });
    const found = await condition('both', 'ScalingActive', 'AmbiguousSelector');
    expect(conditionOf(found, 'ScalingActive')?.message).toBe(
      'pods by selector app=both are controlled by multiple HPAs: [default/both default/both-too]',
    );
  });
});

test('other metrics come from whoever serves them', async () => {
  const asked: string[] = [];
  const { services } = server.server.api;
  services.register('default', 'adapter', async ({ path, query }) => {
    asked.push(`${path}?${query}`);
    const item = { describedObject: { name: 'queued-0' }, metricName: 'queue', value: '30' };
    return objectResponse({ kind: 'MetricValueList', items: [item] });
  });
  for (const group of ['custom.metrics.k8s.io', 'external.metrics.k8s.io'])
    await server.client.of(APIService).create({
      metadata: { name: `v1beta1.${group}` },
      spec: {
        group,
        version: 'v1beta1',
        service: { namespace: 'default', name: 'adapter' },
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    });
  await target('queued', 1);
  const selector = { matchLabels: { topic: 'mail' } };
  await autoscale('queued', {
    metrics: [
      {
        type: 'Pods',
        pods: { metric: { name: 'queue', selector }, target: { type: 'AverageValue', averageValue: '10' } },
      },
      {
        type: 'External',
        external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '20' } },
      },
      {
        type: 'Object',
        object: {
          metric: { name: 'queue' },
          describedObject: { apiVersion: 'v1', kind: 'Service', name: 'main' },
          target: { type: 'Value', value: '15' },
        },
      },
    ],
  });
  await soon(async () => expect(await replicas('queued')).toBe(3));
  expect(await event('queued', 'SuccessfulRescale')).toBe('New size: 3; reason: pods metric queue above target');
  await soon(async () => {
    const { status } = await of().autoscalers.get('queued', at);
    const current = status?.currentMetrics?.map(({ pods, external, object }) => (pods ?? external ?? object)?.current);
    expect(current).toEqual([{ averageValue: '30' }, { averageValue: '30' }, { value: '30' }]);
  });
  expect(asked).toContain(
    '/apis/custom.metrics.k8s.io/v1beta1/namespaces/default/pods/*/queue?labelSelector=app%3Dqueued&metricLabelSelector=topic%3Dmail',
  );
  expect(asked).toContain('/apis/custom.metrics.k8s.io/v1beta1/namespaces/default/services/main/queue?');
  expect(asked).toContain('/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue?');
});
