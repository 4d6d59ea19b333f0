import {
  APIService,
  ClusterRoleBinding,
  ConfigMap,
  MutatingWebhookConfiguration,
  type UnknownObject,
  ValidatingWebhookConfiguration,
} from '@vireo/api';
import { type ApiRequest, objectResponse } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const http = async (method: 'GET' | 'POST', path: string, body?: unknown) =>
  (await server.overHttp()).call({ method, path, body });

describe('an aggregated API', () => {
  const asked: ApiRequest[] = [];

  beforeAll(async () => {
    server.server.api.services.register('system', 'machines', async (request) => {
      asked.push(request);
      if (request.path === '/apis/machines.example/v1')
        return objectResponse({
          kind: 'APIResourceList',
          apiVersion: 'v1',
          groupVersion: 'machines.example/v1',
          resources: [{ name: 'machines', singularName: 'machine', namespaced: true, kind: 'Machine', verbs: ['get'] }],
        });
      return objectResponse({ kind: 'Machine', apiVersion: 'machines.example/v1', metadata: { name: 'one' } });
    });
    const spec = (name: string) => ({
      group: 'machines.example',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      service: { namespace: 'system', name },
    });
    await server.client.of<UnknownObject>(APIService).create({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.machines.example' },
      spec: spec('machines'),
    });
    await server.client.of<UnknownObject>(APIService).create({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.absent.example' },
      spec: { ...spec('nobody'), group: 'absent.example' },
    });
  });

  it('is answered by its service, which learns the user', async () => {
    const response = await http('GET', '/apis/machines.example/v1/namespaces/default/machines/one');
    expect(response).toMatchObject({ status: 200, body: { kind: 'Machine' } });
    expect(asked.at(-1)).toMatchObject({
      path: '/apis/machines.example/v1/namespaces/default/machines/one',
      user: { username: 'kubernetes-admin' },
    });
  });

  it('reaches the service with the user and without the credentials', async () => {
    const path = '/apis/machines.example/v1/namespaces/default/machines/one';
    const { token } = (
      (await http('POST', '/api/v1/namespaces/kube-system/serviceaccounts/default/token', { spec: {} })).body as {
        status: { token: string };
      }
    ).status;
    await server.client.of<UnknownObject>(ClusterRoleBinding).create({
      metadata: { name: 'trusted' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'kube-system', name: 'default' }],
    });
    const transport = await server.overHttp({ token });
    expect((await transport.call({ method: 'GET', path })).status).toBe(200);
    expect(asked.at(-1)?.user.username).toBe('system:serviceaccount:kube-system:default');
    expect(asked.at(-1)?.headers).not.toHaveProperty('authorization');
  });

  it('is part of discovery', async () => {
    const { body } = await http('GET', '/apis/machines.example/v1');
    expect((body as { resources: { name: string }[] }).resources.map(({ name }) => name)).toEqual(['machines']);
  });

  it('whose service is not there is 503, and does not spoil discovery', async () => {
    expect(await http('GET', '/apis/absent.example/v1/things')).toMatchObject({
      status: 503,
      body: 'service unavailable\n',
    });
    expect(await http('GET', '/apis')).toMatchObject({ status: 200 });
  });

  it('is subject to RBAC before its service hears of it', async () => {
    const before = asked.length;
    const anonymous = await server.overHttp({ anonymous: true });
    const response = await anonymous.call({
      method: 'GET',
      path: '/apis/machines.example/v1/namespaces/default/machines/one',
    });
    expect(response.status).toBe(403);
    expect(asked.length).toBe(before);
  });
});

describe('admission webhooks', () => {
  const maps = () => server.client.of(ConfigMap);
  const map = (name: string, data: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels: { hook: 'yes' } },
    data,
  });
  const rules = [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
  const webhook = (name: string, path: string, more: object = {}) => ({
    name,
    rules,
    clientConfig: { service: { namespace: 'system', name: 'admission', path } },
    objectSelector: { matchLabels: { hook: 'yes' } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  });

  beforeAll(async () => {
    server.server.api.services.register('system', 'admission', async ({ path, body }) => {
      const sent = await body();
      const { request } = (
        sent as { value: { request: { uid: string; object: UnknownObject; userInfo: { username: string } } } }
      ).value;
      const response = (response: object) =>
        objectResponse({
          apiVersion: 'admission.k8s.io/v1',
          kind: 'AdmissionReview',
          response: { uid: request.uid, ...response },
        });
      if (path === '/mutate') {
        const patch = [{ op: 'add', path: '/data/by', value: request.userInfo.username }];
        return response({
          allowed: true,
          patchType: 'JSONPatch',
          patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
          warnings: ['was changed'],
        });
      }
      if (path === '/mangle') {
        const broken = {
          types: [{ op: 'add', path: '/data/n', value: 1 }],
          metadata: [{ op: 'remove', path: '/metadata' }],
        };
        const patch = broken[request.object.metadata.name as keyof typeof broken] ?? 'no patch';
        return response({
          allowed: true,
          patchType: 'JSONPatch',
          patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
        });
      }
      if (path === '/broken') throw new Error('no answer from here');
      const data = request.object.data as Record<string, string>;
      return response(data.bad ? { allowed: false, status: { message: `bad is ${data.bad}` } } : { allowed: true });
    });
    await server.client.of<UnknownObject>(MutatingWebhookConfiguration).create({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'change' },
      webhooks: [
        webhook('change.example.com', '/mutate'),
        webhook('mangle.example.com', '/mangle', { objectSelector: { matchLabels: { mangle: 'yes' } } }),
      ],
    });
    await server.client.of<UnknownObject>(ValidatingWebhookConfiguration).create({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'check' },
      webhooks: [
        webhook('check.example.com', '/check'),
        webhook('ignored.example.com', '/broken', { failurePolicy: 'Ignore' }),
        webhook('broken.example.com', '/broken', { objectSelector: { matchLabels: { broken: 'yes' } } }),
      ],
    });
  });

  it('change objects by JSON patch and warn', async () => {
    const response = await http('POST', '/api/v1/namespaces/default/configmaps', map('mutated', { a: '1' }));
    expect(response).toMatchObject({ status: 201, body: { data: { a: '1', by: 'kubernetes-admin' } } });
    expect(response.headers.warning).toBe('299 - "was changed"');
  });

  it('refuse objects with their message', async () => {
    await expect(maps().create(map('refused', { bad: 'very' }))).rejects.toMatchObject({
      code: 400,
      message: 'admission webhook "check.example.com" denied the request: bad is very',
    });
  });

  it('that fail refuse too, unless their failure is to be ignored', async () => {
    const broken = map('broken', {});
    await expect(
      maps().create({ ...broken, metadata: { ...broken.metadata, labels: { broken: 'yes' } } }),
    ).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining('failed calling webhook "broken.example.com"'),
    });
  });

  it.each([
    ['types', 'json: cannot unmarshal number into Go struct field ConfigMap.data of type string'],
    ['metadata', 'the result is not an object of v1 configmaps'],
    ['syntax', 'failed calling webhook "mangle.example.com": received undecodable patch in webhook response: '],
  ])('that leave no object of its kind are refused (%s)', async (name, why) => {
    const object = map(name, { a: 'b' });
    await expect(
      maps().create({ ...object, metadata: { ...object.metadata, labels: { mangle: 'yes' } } }),
    ).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining(`Internal error occurred: ${why}`),
    });
  });

  it('are not asked about objects that their selector leaves out', async () => {
    const plain = map('plain', { bad: 'very' });
    const created = await maps().create({ ...plain, metadata: { ...plain.metadata, labels: {} } });
    expect(created.data).toEqual({ bad: 'very' });
  });
});

describe('a path that a service answers by itself', () => {
  it('is handed over with its user and without credentials, whoever asks', async () => {
    const asked: ApiRequest[] = [];
    server.server.api.services.registerPath('/v9/own', async (request) => {
      asked.push(request);
      return objectResponse({ path: request.path });
    });
    const stranger = await server.overHttp({ anonymous: true });
    expect(await stranger.call({ method: 'POST', path: '/v9/own/a', body: {} })).toMatchObject({
      status: 200,
      body: { path: '/v9/own/a' },
    });
    expect(await http('GET', '/v9/own')).toMatchObject({ status: 200 });
    expect(asked.map(({ user }) => user.username)).toEqual(['system:anonymous', 'kubernetes-admin']);
    expect(asked.flatMap(({ headers }) => Object.keys(headers))).not.toContain('authorization');
    expect(await http('GET', '/v9/owner')).toMatchObject({ status: 404 });
  });
});
