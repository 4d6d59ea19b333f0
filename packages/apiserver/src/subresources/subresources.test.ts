import type { UnknownObject } from '@vireo/api';
import { textResponse } from '@vireo/kube';
import { beforeAll, describe, expect, it } from 'vitest';
import { serverOfFile } from '../testing/calls.ts';

const { get, post, put, patch, delete: remove, server } = serverOfFile();

const PODS = '/api/v1/namespaces/default/pods';
const SETS = '/apis/apps/v1/namespaces/default/replicasets';

async function pod(name: string, spec: object = {}, labels: object = {}): Promise<UnknownObject> {
  const containers = [{ name: 'a', image: 'a' }];
  const { body } = await post(PODS, {
    metadata: { name, labels },
    spec: { schedulerName: 'none', containers, ...spec },
  });
  return body;
}

describe('a binding', () => {
  const bind = (name: string, node: string, more: object = {}) =>
    post(`${PODS}/${name}/binding`, { metadata: { name, ...more }, target: { kind: 'Node', name: node } });

  it('places a pod once', async () => {
    await pod('bound');
    expect(await bind('bound', 'n1', { annotations: { from: 'binding' } })).toMatchObject({
      status: 201,
      body: { kind: 'Status', status: 'Success' },
    });
    expect((await get(`${PODS}/bound`)).body).toMatchObject({
      metadata: { annotations: { from: 'binding' } },
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    expect(await bind('bound', 'n2')).toMatchObject({
      status: 409,
      body: {
        message: 'Operation cannot be fulfilled on pods/binding "bound": pod bound is already assigned to node "n1"',
      },
    });
  });

  it('lets one of many schedulers win', async () => {
    await pod('contested');
    const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => bind('contested', `n${index}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(409)]);
  });

  it('is for the pod that its uid names', async () => {
    await pod('other-uid');
    expect((await bind('other-uid', 'n1', { uid: 'x' })).status).toBe(409);
  });

  it('waits for gates to open, and comes too late for a pod that ends', async () => {
    await pod('gated', { schedulingGates: [{ name: 'example.com/gate' }] });
    expect((await bind('gated', 'n1')).body.message).toContain('has non-empty .spec.schedulingGates');
    await post(PODS, {
      metadata: { name: 'ending', finalizers: ['example.com/keep'] },
      spec: { schedulerName: 'none', containers: [{ name: 'a', image: 'a' }] },
    });
    await remove(`${PODS}/ending`);
    expect((await bind('ending', 'n1')).body.message).toContain('is being deleted, cannot be assigned to a host');
  });

  it.each([
    [{ target: { kind: 'Pod', name: 'n1' } }, 422],
    [{ target: { kind: 'Node' } }, 422],
    [{ metadata: { name: 'else' }, target: { name: 'n1' } }, 400],
  ])('%j is refused', async (body, status) => {
    await pod('picky');
    expect((await post(`${PODS}/picky/binding`, body)).status).toBe(status);
  });

  it('of no pod is 404', async () => {
    expect((await bind('absent', 'n1')).status).toBe(404);
    expect((await get(`${PODS}/absent/binding`)).status).toBe(405);
  });
});

describe('an eviction', () => {
  const evict = (name: string, body: object = {}) => post(`${PODS}/${name}/eviction`, { metadata: { name }, ...body });

  it('deletes where no budget objects', async () => {
    await pod('evicted');
    expect((await evict('evicted', { deleteOptions: { dryRun: ['All'] } })).status).toBe(201);
    expect((await get(`${PODS}/evicted`)).status).toBe(200);
    expect((await evict('evicted', { deleteOptions: { dryRun: [] } })).status).toBe(201);
    expect((await get(`${PODS}/evicted`)).status).toBe(404);
  });

  it('is 429 with its cause where one does', async () => {
    await pod('guarded', { nodeName: 'n1' }, { guard: 'yes' });
    await patch(`${PODS}/guarded/status`, 'merge', {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    await post(budgets, {
      metadata: { name: 'guard' },
      spec: { minAvailable: 1, selector: { matchLabels: { guard: 'yes' } } },
    });
    const observed = async () =>
      ((await get(`${budgets}/guard`)).body as { status?: { expectedPods?: number } }).status?.expectedPods === 1;
    while (!(await observed())) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await evict('guarded')).toMatchObject({
      status: 429,
      body: {
        reason: 'TooManyRequests',
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: { causes: [{ reason: 'DisruptionBudget' }] },
      },
    });
  });

  it('is for the pod that it names', async () => {
    const { uid } = (await pod('named')).metadata;
    expect((await post(`${PODS}/named/eviction`, { metadata: { name: 'else' } })).status).toBe(400);
    expect((await evict('named', { deleteOptions: { preconditions: { uid: 'x' } } })).status).toBe(409);
    expect((await evict('named', { deleteOptions: { preconditions: { uid } } })).status).toBe(201);
    expect((await evict('named')).status).toBe(404);
  });
});

describe('scale', () => {
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  beforeAll(() =>
    post(SETS, { metadata: { name: 'set' }, spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, template } }),
  );
  const path = `${SETS}/set/scale`;

  it('is read, replaced and patched', async () => {
    const scale = (await get(path)).body;
    expect(scale).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 1 },
      status: { selector: 'a=b' },
    });
    expect((await put(path, { ...scale, spec: { replicas: 2 } })).body.spec).toEqual({ replicas: 2 });
    expect((await patch(path, 'merge', { spec: { replicas: 3 } })).body.spec).toEqual({ replicas: 3 });
    expect((await patch(path, 'json', [{ op: 'replace', path: '/spec/replicas', value: 4 }])).status).toBe(200);
    expect((await get(`${SETS}/set`)).body).toMatchObject({ spec: { replicas: 4 }, metadata: { generation: 4 } });
  });

  it('is a conflict where it names an older version or another object', async () => {
    const scale = (await get(path)).body;
    await patch(path, 'merge', { spec: { replicas: 5 } });
    expect((await put(path, { ...scale, spec: { replicas: 6 } })).status).toBe(409);
    const { resourceVersion, uid } = scale.metadata;
    expect((await patch(path, 'merge', { metadata: { resourceVersion }, spec: { replicas: 6 } })).status).toBe(409);
    expect((await put(path, { metadata: { name: 'set', uid }, spec: { replicas: 7 } })).status).toBe(200);
    expect((await put(path, { metadata: { name: 'set', uid: 'x' }, spec: { replicas: 8 } })).status).toBe(409);
  });

  it('by many at once loses none of them', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, replicas) => patch(path, 'merge', { spec: { replicas } })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });

  it.each([
    [
      { spec: { replicas: -1 } },
      422,
      'Scale.autoscaling "set" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ],
    [{ spec: { replicas: 'many' } }, 422, 'spec.replicas'],
    [{ spec: { replicas: 3_000_000_000 } }, 422, 'json: cannot unmarshal number 3000000000 into Go struct field'],
    [{ metadata: { name: 'else' } }, 400, 'does not match the name on the URL'],
  ])('%j is refused', async (body, status, message) => {
    expect(await patch(path, 'merge', body)).toMatchObject({
      status,
      body: { message: expect.stringContaining(message) },
    });
  });

  it('is not offered by kinds that have none, nor for what is not there', async () => {
    expect((await get(`${PODS}/any/scale`)).status).toBe(404);
    expect((await get(`${SETS}/absent/scale`)).status).toBe(404);
  });

  it('can be a dry run', async () => {
    await patch(path, 'merge', { spec: { replicas: 2 } });
    const dry = await patch(path, 'merge', { spec: { replicas: 9 } }, { query: { dryRun: 'All' } });
    expect(dry.body.spec).toEqual({ replicas: 9 });
    expect((await get(path)).body.spec).toEqual({ replicas: 2 });
  });
});

describe('the token of a ServiceAccount', () => {
  const path = '/api/v1/namespaces/default/serviceaccounts/default/token';

  it('is made for a while', async () => {
    const { status, body } = await post(path, { spec: { audiences: ['vault'], expirationSeconds: 600 } });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'TokenRequest',
      status: { token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/), expirationTimestamp: expect.any(String) },
    });
  });

  it('lasts ten minutes at least, and is of an account that is there', async () => {
    expect((await post(path, { spec: { expirationSeconds: 1 } })).status).toBe(422);
    expect((await post(path.replace('/default/token', '/absent/token'), { spec: {} })).status).toBe(404);
  });
});

describe('finalizing a namespace', () => {
  it('takes what holds it, and nothing else changes', async () => {
    await post('/api/v1/namespaces', { metadata: { name: 'held' } });
    const { body } = await get('/api/v1/namespaces/held');
    expect(body.spec).toEqual({ finalizers: ['kubernetes'] });
    const response = await put('/api/v1/namespaces/held/finalize', { ...body, spec: { finalizers: [] } });
    expect(response.status).toBe(200);
    expect((response.body.spec as { finalizers?: string[] }).finalizers ?? []).toEqual([]);
    expect((await patch('/api/v1/namespaces/held/finalize', 'merge', {})).status).toBe(405);
  });
});

describe('the log of a pod', () => {
  const ended = { name: 'a', image: 'a', imageID: '', ready: false, restartCount: 1 };

  it('says why there is none', async () => {
    await pod('unplaced');
    expect(await get(`${PODS}/unplaced/log`)).toMatchObject({
      status: 400,
      body: { message: 'pod unplaced does not have a host assigned' },
    });
    expect(await get(`${PODS}/unplaced/log`, { query: { container: 'b' } })).toMatchObject({
      status: 400,
      body: { message: 'container b is not valid for pod unplaced' },
    });
    await pod('placed', { nodeName: 'silent' });
    expect((await get(`${PODS}/placed/log`)).status).toBe(503);
    expect((await get(`${PODS}/absent/log`)).status).toBe(404);
    await pod('twins', {
      containers: [
        { name: 'a', image: 'a' },
        { name: 'b', image: 'b' },
      ],
    });
    expect((await get(`${PODS}/twins/log`)).body.message).toBe(
      'a container name must be specified for pod twins, choose one of: [a b]',
    );
  });

  it('comes from the node', async () => {
    await pod('talker', { nodeName: 'talkative' });
    server().server.api.nodes.set('talkative', {
      podLog: async (of, container, query) =>
        textResponse(`${of.metadata.name}/${container} ${query.get('tailLines')}\n`),
    });
    expect(await get(`${PODS}/talker/log`, { query: { tailLines: 5 } })).toMatchObject({
      status: 200,
      body: 'talker/a 5\n',
    });
  });

  it('is none of an earlier run where there was none', async () => {
    await pod('firstborn', { nodeName: 'talkative' });
    server().server.api.nodes.set('talkative', { podLog: async () => textResponse('earlier\n') });
    expect(await get(`${PODS}/firstborn/log`, { query: { previous: true } })).toMatchObject({
      status: 400,
      body: { message: 'previous terminated container "a" in pod "firstborn" not found' },
    });
    const containerStatuses = [{ ...ended, lastState: { terminated: { exitCode: 1 } } }];
    await patch(`${PODS}/firstborn/status`, 'merge', { status: { containerStatuses } });
    expect(await get(`${PODS}/firstborn/log`, { query: { previous: true } })).toMatchObject({ body: 'earlier\n' });
  });
});

describe('the proxy of a node', () => {
  const proxy = (path: string) => `/api/v1/nodes/shown/proxy${path}`;
  const asked: string[] = [];
  beforeAll(async () => {
    await post('/api/v1/nodes', { metadata: { name: 'shown' } });
    server().server.api.nodes.set('shown', {
      podLog: async () => textResponse(''),
      show: async (path) => {
        asked.push(path);
        return path === '/pods' ? undefined : textResponse(`at ${path}`);
      },
    });
  });

  it('shows what a kubelet tells of the node', async () => {
    for (const path of ['/healthz', '/metrics', '/metrics/resource', '/stats/summary'])
      expect(await get(proxy(path))).toMatchObject({ status: 200, body: `at ${path}` });
    expect((await get(proxy('/pods'))).body.message).toBe('node "shown" does not serve /pods');
    expect((await get('/api/v1/nodes/absent/proxy/healthz')).status).toBe(404);
  });

  it.each([
    '',
    '/v1/namespaces/default/virtualmachineinstances/web/console',
    '/metrics/../v1/namespaces/default/virtualmachineinstances/web/screenshot',
    '/metrics%2F..%2Fv1',
    '/%76%31/x',
    '/containerLogs/a/b/c',
    '/exec/a/b/c',
  ])('does not lead to %s', async (path) => {
    asked.splice(0);
    expect((await get(proxy(path))).status).toBe(404);
    expect(asked).toEqual([]);
  });

  it('changes nothing', async () => {
    for (const method of [post, put]) expect((await method(proxy('/metrics'), {})).status).toBe(405);
    expect((await remove(proxy('/metrics'))).status).toBe(405);
  });

  it('needs the permission on nodes/proxy', async () => {
    const jane = server().inProcess({ username: 'jane', groups: ['system:authenticated'] });
    const ask = () => jane.call({ method: 'GET', path: proxy('/healthz') });
    const rules = (resource: string) => [{ apiGroups: [''], resources: [resource], verbs: ['get'] }];
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    await post(roles, { metadata: { name: 'node-reader' }, rules: rules('nodes') });
    await post(`${roles.slice(0, -1)}bindings`, {
      metadata: { name: 'node-reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'node-reader' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
    });
    expect((await ask()).status).toBe(403);
    await patch(`${roles}/node-reader`, 'merge', { rules: rules('nodes/proxy') });
    expect((await ask()).status).toBe(200);
  });
});

it('paths below a subresource, and subresources that do not exist, are 404', async () => {
  await pod('deep');
  expect((await get(`${PODS}/deep/log/more`)).status).toBe(404);
  expect((await get(`${PODS}/deep/nothing`)).status).toBe(404);
});
