import { describe, expect, it, vi } from 'vitest';
import { serverOfFile } from '../testing/calls.ts';

const { get, post, patch, put, delete: remove } = serverOfFile();

const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (metadata: object, more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata, ...more });

describe('the name of a new object', () => {
  it('is generated from a prefix', async () => {
    const response = await post(MAPS, map({ generateName: 'gen-' }));
    expect(response).toMatchObject({ status: 201, body: { metadata: { generateName: 'gen-' } } });
    expect(response.body.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('is generated again when it is taken, and given up after some tries', async () => {
    // Math.random decides the suffix: the same numbers twice make the same name twice.
    let same = Number.POSITIVE_INFINITY;
    const random = vi.spyOn(Math, 'random').mockImplementation(() => (same-- > 0 ? 0 : 0.5));
    try {
      const first = await post(MAPS, map({ generateName: 'clash-' }));
      same = 5;
      const second = await post(MAPS, map({ generateName: 'clash-' }));
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.body.metadata.name).not.toBe(first.body.metadata.name);
      same = Number.POSITIVE_INFINITY;
      const third = await post(MAPS, map({ generateName: 'clash-' }));
      expect(third).toMatchObject({
        status: 409,
        body: { reason: 'AlreadyExists', details: { kind: 'configmaps', retryAfterSeconds: 1 } },
      });
      expect(third.body.message).toContain(
        'already exists, the server was not able to generate a unique name for the object',
      );
    } finally {
      random.mockRestore();
    }
  });

  it('is required', async () => {
    expect(await post(MAPS, map({}))).toMatchObject({
      status: 422,
      body: {
        reason: 'Invalid',
        message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      },
    });
  });

  it('must be free', async () => {
    await post(MAPS, map({ name: 'taken' }));
    expect(await post(MAPS, map({ name: 'taken' }))).toMatchObject({
      status: 409,
      body: {
        reason: 'AlreadyExists',
        message: 'configmaps "taken" already exists',
        details: { name: 'taken', kind: 'configmaps' },
      },
    });
  });
});

describe('a new object', () => {
  it('must not name a version, which is found out last', async () => {
    const versioned = map({ name: 'versioned', resourceVersion: '7' });
    expect((await post(MAPS, versioned)).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'resourceVersion should not be set on objects to be created',
      code: 500,
    });
    expect((await get(`${MAPS}/versioned`)).status).toBe(404);
    expect((await post(MAPS, versioned, { query: { dryRun: 'All' } })).status).toBe(201);
    expect((await post(MAPS, map({ name: 'X', resourceVersion: '7' }))).status).toBe(422);
    expect((await post(MAPS, map({ name: 'versioned', resourceVersion: '0' }))).status).toBe(201);
  });

  it('may name a version where a PUT creates it', async () => {
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const lease = { metadata: { name: 'put', resourceVersion: '7' } };
    expect((await put(`${path}/put`, lease)).status).toBe(201);
  });

  it.each([
    ['/api/v1/namespaces', { metadata: { name: 'held', finalizers: ['mine'] } }],
    [MAPS, { metadata: { name: 'held', finalizers: ['mine'] } }],
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'held', finalizers: ['mine'] } }],
  ])('of a built-in kind in %s must not have a finalizer without a domain', async (path, object) => {
    expect(await post(path, object)).toMatchObject({
      status: 422,
      body: {
        reason: 'Invalid',
        message: expect.stringContaining(
          'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
        ),
      },
    });
  });

  it('may have the finalizers of Kubernetes itself', async () => {
    expect((await post(MAPS, map({ name: 'standard', finalizers: ['orphan', 'example.com/f'] }))).status).toBe(201);
    expect(await patch(`${MAPS}/standard`, 'merge', { metadata: { finalizers: ['mine'] } })).toMatchObject({
      status: 422,
    });
  });
});

describe('the namespace of a new object', () => {
  it('is that of the path', async () => {
    expect(await post(MAPS, map({ name: 'placed' }))).toMatchObject({ body: { metadata: { namespace: 'default' } } });
  });

  it('must not contradict the path', async () => {
    expect(await post(MAPS, map({ name: 'astray', namespace: 'kube-system' }))).toMatchObject({
      status: 400,
      body: { message: 'the namespace of the provided object does not match the namespace sent on the request' },
    });
  });

  it('is dropped from kinds that have none', async () => {
    const response = await post('/api/v1/namespaces', { metadata: { name: 'flat', namespace: 'default' } });
    expect(response.status).toBe(201);
    expect(response.body.metadata.namespace).toBeUndefined();
  });

  it('must exist', async () => {
    expect(await post('/api/v1/namespaces/nowhere/configmaps', map({ name: 'x' }))).toMatchObject({
      status: 404,
      body: { message: 'namespaces "nowhere" not found' },
    });
  });

  it('must not be ending', async () => {
    await post('/api/v1/namespaces', { metadata: { name: 'ending' } });
    await post('/api/v1/namespaces/ending/configmaps', map({ name: 'keeper', finalizers: ['example.com/keep'] }));
    await remove('/api/v1/namespaces/ending');
    expect(await post('/api/v1/namespaces/ending/configmaps', map({ name: 'late' }))).toMatchObject({
      status: 403,
      body: {
        reason: 'Forbidden',
        message: expect.stringContaining('because it is being terminated'),
        details: { causes: [{ reason: 'NamespaceTerminating' }] },
      },
    });
    await patch('/api/v1/namespaces/ending/configmaps/keeper', 'merge', { metadata: { finalizers: null } });
  });
});

describe('what only the server sets', () => {
  it('cannot be forged', async () => {
    const forged = {
      name: 'forged',
      uid: 'mine',
      resourceVersion: '0',
      generation: 99,
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
      selfLink: '/x',
    };
    const { status, body } = await post(MAPS, map(forged));
    expect(status).toBe(201);
    const { uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } =
      body.metadata;
    expect(uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(resourceVersion).not.toBe('0');
    expect(creationTimestamp).toMatch(/^20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect([generation, deletionTimestamp, deletionGracePeriodSeconds]).toEqual([undefined, undefined, undefined]);
  });

  it('includes the status of kinds whose status has a path of its own', async () => {
    const pod = {
      metadata: { name: 'honest' },
      spec: { containers: [{ name: 'a', image: 'a' }] },
      status: { phase: 'Running', podIP: '10.0.0.1' },
    };
    const { body } = await post('/api/v1/namespaces/default/pods', pod);
    expect(body.status).toMatchObject({ phase: 'Pending' });
    expect(body.status).not.toHaveProperty('podIP');
  });
});

describe('a dry run', () => {
  it('answers as if it had created, and stores nothing', async () => {
    const response = await post(MAPS, map({ name: 'dry' }), { query: { dryRun: 'All' } });
    expect(response).toMatchObject({ status: 201, body: { metadata: { name: 'dry', uid: expect.any(String) } } });
    expect(response.body.metadata.resourceVersion).toBeUndefined();
    expect((await get(`${MAPS}/dry`)).status).toBe(404);
  });

  it('is refused what a real one would be', async () => {
    await post(MAPS, map({ name: 'there' }));
    const dry = { query: { dryRun: 'All' } };
    expect((await post(MAPS, map({ name: 'there' }), dry)).status).toBe(409);
    expect((await post(MAPS, map({ name: 'BAD' }), dry)).status).toBe(422);
  });

  it('has one value', async () => {
    expect(await post(MAPS, map({ name: 'half' }), { query: { dryRun: 'Some' } })).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'dryRun', reason: 'FieldValueNotSupported' }] } },
    });
  });
});

describe('fields that nobody knows', () => {
  const odd = (name: string) => map({ name }, { bogus: 1, data: { a: 'b' } });

  it('are refused under Strict', async () => {
    const response = await post(MAPS, odd('strict'), { query: { fieldValidation: 'Strict' } });
    expect(response).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    expect(response.body.message).toContain('strict decoding error: unknown field "bogus"');
  });

  it.each([undefined, 'Warn'])('are warned of under %s', async (fieldValidation) => {
    const response = await post(MAPS, odd(`warn-${fieldValidation ?? 'default'}`.toLowerCase()), {
      query: { fieldValidation },
    });
    expect(response.status).toBe(201);
    expect(response.headers.warning).toBe('299 - "unknown field \\"bogus\\""');
    expect(response.body).not.toHaveProperty('bogus');
  });

  it('are dropped without a word under Ignore', async () => {
    const response = await post(MAPS, odd('ignore'), { query: { fieldValidation: 'Ignore' } });
    expect(response.status).toBe(201);
    expect(response.headers.warning).toBeUndefined();
    expect(response.body).not.toHaveProperty('bogus');
  });
});

it('is not done when its response could not be sent', async () => {
  const response = await post(MAPS, map({ name: 'unseen' }), { accept: 'text/html' });
  expect(response).toMatchObject({ status: 406, body: { reason: 'NotAcceptable' } });
  expect((await get(`${MAPS}/unseen`)).status).toBe(404);
});

it('happens by PUT for the kinds that allow it', async () => {
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/by-put';
  expect((await put(path, { metadata: { name: 'by-put' }, spec: {} })).status).toBe(201);
  expect((await put(`${MAPS}/by-put`, map({ name: 'by-put' }))).status).toBe(404);
});
