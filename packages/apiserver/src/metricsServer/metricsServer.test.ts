import { APIService, ClusterRoleBinding, Node, Pod } from '@vireo/api';
import type { Clock } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';
import { Collector } from './collector.ts';

describe('the collector', () => {
  const setUp = (resolutionMs = 10_000) => {
    let now = 1_000_000;
    let asked = 0;
    // Time passes only when somebody waits.
    const clock: Clock = {
      now: () => now,
      after: (ms, run) => {
        now += ms;
        queueMicrotask(run);
        return () => {};
      },
    };
    const log = memoryLog();
    const read = async (): Promise<string> => {
      asked++;
      return `node_cpu_usage_seconds_total ${now / 2000} ${now}\nnode_memory_working_set_bytes 1 ${now}\n`;
    };
    const broken = async (): Promise<string> => {
      throw new Error('no answer');
    };
    const nodes = () => new Map(Object.entries({ n1: read, n2: broken })).entries();
    const collector = new Collector({ nodes, log, resolutionMs, clock });
    return { collector, log, asked: () => asked, later: (ms: number) => (now += ms) };
  };

  it('samples twice where there is nothing to compare with, and not at all while its answer is fresh', async () => {
    const { collector, asked, later } = setUp();
    const [first, same] = await Promise.all([collector.read(), collector.read()]);
    expect(first.node('n1')).toMatchObject({ cores: 0.5, windowMs: 1_000 });
    expect(same).toBe(first);
    later(9_999);
    expect(await collector.read()).toBe(first);
    expect(asked()).toBe(2);
    later(1);
    expect((await collector.read()).node('n1')).toMatchObject({ cores: 0.5, windowMs: 10_000 });
    expect(asked()).toBe(3);
  });

  it('does not compare with what was long ago', async () => {
    const { collector, later } = setUp();
    await collector.read();
    later(3_600_000);
    expect((await collector.read()).node('n1')?.windowMs).toBe(1_000);
  });

  it('measures the others when a node does not answer', async () => {
    const { collector, log } = setUp();
    const usage = await collector.read();
    expect(usage.node('n1')).toBeDefined();
    expect(usage.node('n2')).toBeUndefined();
    expect(log.entries[0]).toMatchObject({ level: 'warn', about: { kind: 'Node', name: 'n2' } });
  });
});

describe('metrics.k8s.io', () => {
  let server: TestServer;
  const usedAt = { seconds: 0 };
  beforeAll(async () => {
    server = await startTestServer();
    server.server.api.nodes.set('n1', {
      podLog: async () => {
        throw new Error('not asked for');
      },
      // Half a core for the node, a quarter for the pod, by a clock of the test's own.
      resourceMetrics: async () => {
        usedAt.seconds += 10;
        const ms = usedAt.seconds * 1000;
        const labels = '{container="compute",namespace="default",pod="web"}';
        return [
          `node_cpu_usage_seconds_total ${usedAt.seconds / 2} ${ms}`,
          `node_memory_working_set_bytes 1048576 ${ms}`,
          `container_cpu_usage_seconds_total${labels} ${usedAt.seconds / 4} ${ms}`,
          `container_memory_working_set_bytes${labels} 2048 ${ms}`,
        ].join('\n');
      },
    });
    await server.client.of(Node).create({ metadata: { name: 'n1', labels: { zone: 'a' } } });
    const container = { name: 'compute', image: 'none' };
    for (const [name, nodeName] of [
      ['web', 'n1'],
      ['elsewhere', 'n2'],
    ] as const)
      await server.client.of(Pod).create({
        metadata: { name, namespace: 'default', labels: { app: name } },
        spec: { nodeName, containers: [container] },
      });
  });
  afterAll(() => server.close());

  const read = async (path: string, query: Record<string, string> = {}, accept = 'application/json') =>
    server.inProcess().call({ method: 'GET', path: `/apis/metrics.k8s.io/v1beta1${path}`, query, accept });

  test('a node and a pod say what they use', async () => {
    expect((await read('/nodes/n1')).body).toMatchObject({
      kind: 'NodeMetrics',
      apiVersion: 'metrics.k8s.io/v1beta1',
      metadata: { name: 'n1', labels: { zone: 'a' } },
      window: '10s',
      usage: { cpu: '500000000n', memory: '1024Ki' },
    });
    expect((await read('/namespaces/default/pods/web')).body).toMatchObject({
      kind: 'PodMetrics',
      metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
      containers: [{ name: 'compute', usage: { cpu: '250000000n', memory: '2Ki' } }],
    });
  });

  test.each<[string, Record<string, string>, string[]]>([
    ['/nodes', {}, ['n1']],
    ['/nodes', { labelSelector: 'zone=b' }, []],
    ['/pods', {}, ['web']],
    ['/namespaces/default/pods', { labelSelector: 'app in (web)' }, ['web']],
    ['/namespaces/default/pods', { labelSelector: 'app=elsewhere' }, []],
    ['/namespaces/default/pods', { fieldSelector: 'metadata.name=web' }, ['web']],
    ['/namespaces/kube-system/pods', {}, []],
  ])('a list of %s with %j has %j', async (path, query, names) => {
    const { status, body } = await read(path, query);
    expect(status).toBe(200);
    const { items, ...list } = body as { items: { metadata: { name: string }; kind?: string }[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(list).toEqual({
      kind: path === '/nodes' ? 'NodeMetricsList' : 'PodMetricsList',
      apiVersion: 'metrics.k8s.io/v1beta1',
      metadata: {},
    });
  });

  test('as a table it has the columns of metrics-server', async () => {
    const { body } = await read('/pods', {}, 'application/json;as=Table;v=v1;g=meta.k8s.io');
    const { columnDefinitions, rows } = body as { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] };
    expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'cpu', 'memory', 'Window']);
    expect(rows.map(({ cells }) => cells)).toEqual([['web', '250m', '2Ki', '10s']]);
  });

  test.each([
    ['/namespaces/default/pods/elsewhere', 404, 'podmetrics.metrics.k8s.io "default/elsewhere" not found'],
    ['/nodes/none', 404, 'nodemetrics.metrics.k8s.io "none" not found'],
    ['/services', 404, 'the server could not find the requested resource'],
    ['/pods?watch=true', 405, 'the server does not allow this method on the requested resource'],
    ['/pods?labelSelector=a==b==c', 400, undefined],
  ])('%s is answered with %d', async (target, code, message) => {
    const [path = '', query] = target.split('?');
    const { status, body } = await read(path, Object.fromEntries(new URLSearchParams(query)));
    expect(status).toBe(code);
    if (message) expect((body as { message: string }).message).toBe(message);
  });

  test('who may view may read it, others may not', async () => {
    const user = { username: 'eve', groups: ['system:authenticated'] };
    const asEve = () =>
      server.inProcess(user).call({ method: 'GET', path: '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/web' });
    expect(await asEve()).toMatchObject({
      status: 403,
      body: {
        message:
          'pods.metrics.k8s.io "web" is forbidden: User "eve" cannot get resource "pods" in API group "metrics.k8s.io" in the namespace "default"',
      },
    });
    await server.client.of(ClusterRoleBinding).create({
      metadata: { name: 'eve' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'eve' }],
    });
    await vi.waitFor(async () => expect((await asEve()).status).toBe(200));
  });

  test('discovery and OpenAPI have it, and its APIService is available', async () => {
    const get = async (path: string) => (await server.inProcess().call({ method: 'GET', path })).body;
    expect(await get('/apis/metrics.k8s.io/v1beta1')).toMatchObject({
      resources: [
        { name: 'nodes', kind: 'NodeMetrics', namespaced: false, verbs: ['get', 'list'] },
        { name: 'pods', kind: 'PodMetrics', namespaced: true, verbs: ['get', 'list'] },
      ],
    });
    const { paths } = (await get('/openapi/v3')) as { paths: Record<string, unknown> };
    expect(paths).toHaveProperty(['apis/metrics.k8s.io/v1beta1']);
    const document = (await get('/openapi/v3/apis/metrics.k8s.io/v1beta1')) as {
      components: { schemas: Record<string, unknown> };
    };
    expect(document.components.schemas).toHaveProperty(['io.k8s.metrics.pkg.apis.metrics.v1beta1.PodMetrics']);
    await vi.waitFor(async () =>
      expect((await server.client.of(APIService).get('v1beta1.metrics.k8s.io')).status?.conditions).toMatchObject([
        { type: 'Available', status: 'True' },
      ]),
    );
  });
});
