import type { ApiCall } from '@vireo/kube';
import { beforeAll, describe, expect, it } from 'vitest';
import { serverOfFile } from './testing/calls.ts';
import { rawCalls } from './testing/rawCalls.ts';
import { define } from './testing/widgets.ts';

const calls = serverOfFile();
const { get, post, put, patch, delete: remove } = calls;

const MAPS = '/api/v1/namespaces/default/configmaps';
const WIDGETS = '/apis/handler.example.com/v1/namespaces/default/widgets';
const POD = '/api/v1/namespaces/default/pods/any';

beforeAll(async () => {
  await define(calls, { group: 'handler.example.com' });
  await post(MAPS, { metadata: { name: 'any' } });
  await post(WIDGETS, { metadata: { name: 'any' } });
});

const send = async (method: ApiCall['method'], path: string) =>
  (await calls.server().overHttp()).call({ method, path, ...(method !== 'GET' && { body: {} }) });

describe('a method that a path does not take', () => {
  it.each<[ApiCall['method'], string]>([
    ['PUT', MAPS],
    ['PATCH', MAPS],
    ['POST', `${MAPS}/any`],
    ['POST', '/api/v1/configmaps'],
    ['DELETE', '/api/v1/configmaps'],
    ['PUT', '/api/v1/nodes'],
    ['GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
    ['DELETE', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
    ['GET', `${POD}/binding`],
    ['POST', `${POD}/status`],
    ['POST', '/version'],
  ])('is 405: %s %s', async (method, path) => {
    const { status, body } = await send(method, path);
    expect([status, body]).toEqual([
      405,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'the server does not allow this method on the requested resource',
        reason: 'MethodNotAllowed',
        details: {},
        code: 405,
      },
    ]);
  });

  it.each(['PUT', 'PATCH'] as const)('is 405 for custom resources, with the verb: %s', async (method) => {
    const verb = method === 'PUT' ? 'update' : 'patch';
    expect(await send(method, WIDGETS)).toMatchObject({
      status: 405,
      body: { message: `${verb} is not supported on resources of kind "widgets.handler.example.com"` },
    });
  });
});

describe('a path that nobody serves', () => {
  it.each<[ApiCall['method'], string]>([
    ['GET', '/nope'],
    ['POST', '/nope'],
    ['GET', '/apis/nope'],
    ['GET', '/apis/nope/v1'],
    ['GET', '/apis/nope/v1/things'],
    ['GET', '/apis/handler.example.com/v9'],
    ['GET', '/apis/handler.example.com/v1/things'],
    ['POST', '/apis/handler.example.com/v1/widgets'],
    ['DELETE', '/apis/handler.example.com/v1/widgets'],
  ])('is a plain 404: %s %s', async (method, path) => {
    const { status, headers, body } = await send(method, path);
    expect([status, headers['content-type'], body]).toEqual([404, 'text/plain; charset=utf-8', '404 page not found\n']);
  });

  it.each(['/api/v9', '/apis/apps/v9', '/apis/apps/v9/deployments', '/api/v1/things', `${MAPS}/any/status`])(
    'is a Status below what Kubernetes brings: %s',
    async (path) => {
      expect(await get(path)).toMatchObject({
        status: 404,
        body: { reason: 'NotFound', message: 'the server could not find the requested resource', details: {} },
      });
    },
  );

  it('is NotFound to our own client', async () => {
    const { client } = calls.server();
    const missing = { reason: 'NotFound', message: 'the server could not find the requested resource' };
    const path = '/apis/nope/v1/things';
    await expect(client.call({ method: 'GET', path })).rejects.toMatchObject(missing);
    await expect(calls.server().inProcess().watch({ method: 'GET', path })).rejects.toMatchObject(missing);
  });

  it('names the object where a custom resource lacks a subresource', async () => {
    expect(await get(`${WIDGETS}/any/scale`)).toMatchObject({
      status: 404,
      body: { message: 'widgets.handler.example.com "any" not found', details: { name: 'any', kind: 'widgets' } },
    });
  });
});

describe('options', () => {
  it.each([MAPS, `${MAPS}/any`, WIDGETS])('resourceVersion=abc of %s is 400', async (path) => {
    for (const extra of [{}, { watch: 'true' }]) {
      const { status, body } = await get(path, { query: { resourceVersion: 'abc', ...extra } });
      expect([status, body.reason, body.message]).toEqual([
        400,
        'BadRequest',
        'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      ]);
    }
  });

  it.each<[Record<string, string>, string[]]>([
    [{ resourceVersionMatch: 'Exact' }, ['resourceVersionMatch is forbidden unless resourceVersion is provided']],
    [
      { resourceVersionMatch: 'Some', continue: 'x' },
      [
        'resourceVersionMatch is forbidden unless resourceVersion is provided',
        'resourceVersionMatch is forbidden when continue is provided',
        'supported values: "Exact", "NotOlderThan", ""',
      ],
    ],
    [
      { resourceVersionMatch: 'Exact', resourceVersion: '0' },
      ['resourceVersionMatch "exact" is forbidden for resourceVersion "0"'],
    ],
    [{ sendInitialEvents: 'true' }, ['sendInitialEvents is forbidden for list']],
    [
      { watch: '1', resourceVersionMatch: 'Exact', resourceVersion: '1' },
      [
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
        'supported values: "NotOlderThan"',
      ],
    ],
  ])('of a list are checked all at once: %j', async (query, messages) => {
    const { status, body } = await get(MAPS, { query });
    expect(status).toBe(422);
    expect(body.details?.causes?.map(({ message }) => message)).toEqual(
      messages.map((message) => expect.stringContaining(message)),
    );
  });

  it('limit may be negative, which is none', async () => {
    expect((await get(MAPS, { query: { limit: -1 } })).status).toBe(200);
  });

  it('fieldSelector names what can be selected by', async () => {
    const of = async (path: string) => (await get(path, { query: { fieldSelector: 'data.a=1' } })).body;
    expect(await of(MAPS)).toMatchObject({
      code: 400,
      message: '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
    });
    expect(await of('/api/v1/pods')).toMatchObject({ code: 400, message: 'field label not supported: data.a' });
    expect(await of(WIDGETS)).toMatchObject({ code: 400, message: 'field label not supported: data.a' });
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'POST',
      { fieldValidation: 'Loose' },
      'fieldValidation: Unsupported value: "Loose": supported values: "", "Ignore", "Strict", "Warn"',
    ],
    [
      'POST',
      { fieldManager: 'a\u0007' },
      'fieldManager: Invalid value: "a\\u0007": invalid character U+0007 (at position 1)',
    ],
    ['POST', { fieldManager: 'x'.repeat(129) }, 'fieldManager: Too long: may not be more than 128 bytes'],
    ['PATCH', { force: 'true' }, 'force: Forbidden: may not be specified for non-apply patch'],
  ])('of a write are checked: %s %j', async (method, query, message) => {
    const response =
      method === 'POST'
        ? await post(MAPS, { metadata: { name: 'new' } }, { query })
        : await patch(`${MAPS}/any`, 'merge', {}, { query });
    const kind = method === 'POST' ? 'CreateOptions' : 'PatchOptions';
    expect([response.status, response.body.message]).toEqual([422, `${kind}.meta.k8s.io "" is invalid: ${message}`]);
  });

  it.each<[object, number, string]>([
    [
      { propagationPolicy: 'Later' },
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Later": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [
      { propagationPolicy: 'Orphan', orphanDependents: true },
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    ],
    [
      { preconditions: { uid: 'other' } },
      409,
      'Operation cannot be fulfilled on ConfigMap "any": the UID in the precondition (other) does not match the UID in record (',
    ],
    [
      { preconditions: { resourceVersion: '1' } },
      409,
      'Operation cannot be fulfilled on ConfigMap "any": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (',
    ],
  ])('of a deletion are checked: %j', async (options, code, message) => {
    const { status, body } = await remove(`${MAPS}/any`, options);
    expect(status).toBe(code);
    expect(body.message).toContain(message);
  });
});

describe('names', () => {
  it('of services may begin with a digit', async () => {
    const service = { metadata: { name: '9s' }, spec: { ports: [{ port: 80 }] } };
    expect((await post('/api/v1/namespaces/default/services', service)).status).toBe(201);
  });

  it('of annotations are spoken of as label keys', async () => {
    const { body } = await post(MAPS, { metadata: { name: 'odd', annotations: { 'a/b/c': '' } } });
    expect(body.message).toContain('metadata.annotations: Invalid value: "a/b/c": a valid label key must consist of');
  });
});

describe('addresses of endpoints', () => {
  const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';

  it('must mean the same host everywhere', async () => {
    const slice = { metadata: { name: 'local' }, addressType: 'IPv4', endpoints: [{ addresses: ['127.0.0.1'] }] };
    expect(await post(SLICES, slice)).toMatchObject({ status: 422 });
  });

  it('that the server itself has given stay', async () => {
    const { body } = await get(`${SLICES}/kubernetes`);
    expect((await put(`${SLICES}/kubernetes`, { ...body, ports: [] })).status).toBe(200);
  });
});

it('without an audit log, only a client that sends an Audit-ID gets one back', async () => {
  const raw = rawCalls(calls.server());
  const idOf = async (headers: Record<string, string>) =>
    (await raw.send('GET', '/version', { headers })).headers['audit-id'];
  expect([await idOf({}), await idOf({ 'audit-id': 'mine' })]).toEqual([undefined, 'mine']);
  raw.close();
});
