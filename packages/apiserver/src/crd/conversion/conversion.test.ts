import type { ServerResponse } from 'node:http';
import type { UnknownObject } from '@vireo/api';
import type { WatchEvent } from '@vireo/kube';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serverOfFile } from '../../testing/calls.ts';
import { startWebhookServer, type TestWebhookServer } from '../../testing/webhookServer.ts';
import { define, definitionCondition } from '../../testing/widgets.ts';

const calls = serverOfFile();
const { get, post, put, patch, delete: remove, server } = calls;

interface Review {
  apiVersion: string;
  kind: string;
  request: { uid: string; desiredAPIVersion: string; objects: UnknownObject[] };
}

/** v1 has `spec.hostPort`, v2 has `spec.host` and `spec.port`. */
function convert(object: UnknownObject, apiVersion: string): UnknownObject {
  const { hostPort, host, port, ...spec } = (object.spec ?? {}) as Record<string, unknown>;
  if (object.apiVersion === apiVersion) return object;
  if (apiVersion.endsWith('/v2')) {
    const [first, second] = String(hostPort ?? ':').split(':');
    return { ...object, apiVersion, spec: { ...spec, host: first, port: Number(second) } };
  }
  return { ...object, apiVersion, spec: { ...spec, hostPort: `${host}:${port}` } };
}

const answered = ({ apiVersion, kind, request }: Review, response: object = {}) => ({
  apiVersion,
  kind,
  response: {
    uid: request.uid,
    result: { status: 'Success' },
    convertedObjects: request.objects.map((object) => convert(object, request.desiredAPIVersion)),
    ...response,
  },
});

let webhook: TestWebhookServer;
let asked: Review[];
/** What it does instead of converting. */
let answer: (review: Review) => unknown;
/** What it does to the response by itself. */
let instead: ((response: ServerResponse) => void) | undefined;

const properties = (fields: object) => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: fields } } },
});
const text = { type: 'string' };
const V1 = { schema: properties({ hostPort: text, color: { ...text, default: 'red' }, size: text }) };
const V2 = {
  schema: properties({ host: text, port: { type: 'integer' }, color: text, size: { ...text, default: 'large' } }),
  additionalPrinterColumns: [{ name: 'Host', type: 'string', jsonPath: '.spec.host' }],
  selectableFields: [{ jsonPath: '.spec.host' }],
};
const GROUP = 'conv.example.com';
const DEFINITION = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${GROUP}`;
const at = (version: string, name = '') =>
  `/apis/${GROUP}/${version}/namespaces/default/widgets${name ? `/${name}` : ''}`;

beforeAll(async () => {
  webhook = await startWebhookServer<Review>(({ body, response }) => {
    asked.push(body);
    return instead ? instead(response) : answer(body);
  });
  const clientConfig = { url: `${webhook.url}/convert`, caBundle: webhook.caBundle };
  const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
  await define(calls, { group: GROUP, versions: [V1, V2], spec: { conversion } });
});
afterAll(() => webhook.close());
beforeEach(() => {
  asked = [];
  instead = undefined;
  answer = (review) => answered(review);
});

const create = (version: string, name: string, spec: object, more: object = {}) =>
  post(at(version), { metadata: { name, ...more }, spec });

describe('objects of versions with different schemas', () => {
  it('are read in any version, by the schema of the version that they were stored in', async () => {
    const created = await create('v2', 'both', { host: 'a.example', port: 80, size: 'small', unknown: 1 });
    expect(created).toMatchObject({ status: 201, body: { apiVersion: `${GROUP}/v2` } });
    // The default of the stored version is filled in when it is read, that of the request when it is written.
    expect(created.body.spec).toEqual({ host: 'a.example', port: 80, size: 'small', color: 'red' });
    expect((await get(at('v1', 'both'))).body).toMatchObject({
      apiVersion: `${GROUP}/v1`,
      spec: { hostPort: 'a.example:80', size: 'small', color: 'red' },
    });
    expect(asked[0]).toMatchObject({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: { desiredAPIVersion: `${GROUP}/v1`, objects: [{ apiVersion: `${GROUP}/v2`, kind: 'Widget' }] },
    });
    const stored = server().server.api.core.store.get(`${GROUP}/widgets/default/both`)?.object;
    expect(stored).toMatchObject({ apiVersion: `${GROUP}/v1`, spec: { hostPort: 'a.example:80' } });
  });

  it('are listed in one call of the webhook, selected by fields of the requested version, and shown as tables', async () => {
    for (const name of ['l1', 'l2', 'l3'])
      await create('v1', name, { hostPort: `${name}:1` }, { labels: { list: 'yes' } });
    asked = [];
    const query = { labelSelector: 'list=yes' };
    const { body } = await get(at('v2'), { query });
    expect(body.items.map(({ spec }) => (spec as { host: string }).host)).toEqual(['l1', 'l2', 'l3']);
    expect(asked.map(({ request }) => request.objects.length > 1)).toEqual([true]);
    const one = await get(at('v2'), { query: { ...query, fieldSelector: 'spec.host=l2' } });
    expect(one.body.items.map(({ metadata }) => metadata.name)).toEqual(['l2']);
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    expect((await get(at('v2'), { query, accept })).body).toMatchObject({ rows: [{ cells: ['l1', 'l1'] }, {}, {}] });
    const page = await get(at('v2'), { query: { ...query, limit: 2 } });
    expect(page.body.items).toHaveLength(2);
    // What has been converted stays so until it changes.
    expect(asked).toHaveLength(1);
  });

  it('are written in any version: replaced, patched, applied, deleted', async () => {
    const created = (await create('v1', 'written', { hostPort: 'w:1' })).body;
    expect((await patch(at('v2', 'written'), 'merge', { spec: { port: 2 } })).body.spec).toMatchObject({
      host: 'w',
      port: 2,
    });
    expect((await put(at('v1', 'written'), created)).status).toBe(409);
    const newest = (await get(at('v1', 'written'))).body;
    expect((await put(at('v1', 'written'), { ...newest, spec: { hostPort: 'x:3' } })).body.spec).toEqual({
      hostPort: 'x:3',
      color: 'red',
    });
    expect((await remove(at('v2', 'written'))).status).toBe(200);
    expect((await get(at('v1', 'written'))).status).toBe(404);
  });

  it('have managers that each speak of their own version', async () => {
    const apply = (version: string, manager: string, spec: object, force = false) =>
      patch(
        at(version, 'managed'),
        'apply',
        { apiVersion: `${GROUP}/${version}`, kind: 'Widget', metadata: { name: 'managed' }, spec },
        { query: { fieldManager: manager, force } },
      );
    expect((await apply('v1', 'one', { hostPort: 'm:1' })).status).toBe(201);
    const conflict = await apply('v2', 'two', { port: 2 });
    expect(conflict).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "one": .spec.hostPort' },
    });
    expect((await apply('v2', 'two', { port: 2 }, true)).body.spec).toMatchObject({ host: 'm', port: 2 });
    expect((await apply('v2', 'two', { size: 'small' })).body.spec).toMatchObject({ host: 'm', size: 'small' });
    const { body } = await get(at('v2', 'managed'));
    expect(body.metadata.managedFields).toMatchObject([
      { manager: 'two', apiVersion: `${GROUP}/v2`, fieldsV1: { 'f:spec': { 'f:size': {} } } },
    ]);
  });
});

describe('a watch in another version', () => {
  it('tells of every change in its order, and is not held up by others', async () => {
    const transport = await server().overHttp();
    const ended = new AbortController();
    const seen: string[] = [];
    const { body: list } = await get(at('v2'));
    const watched = (async () => {
      const { resourceVersion } = list.metadata;
      const query = { watch: true, resourceVersion: resourceVersion as string, labelSelector: 'watched=yes' };
      for await (const event of await transport.watch({ method: 'GET', path: at('v2'), query, signal: ended.signal }))
        seen.push(`${event.type} ${(event as WatchEvent<UnknownObject>).object.spec?.['port' as never]}`);
    })();
    // The first conversions take longest: those that come after them wait for their turn.
    const first = Promise.withResolvers<void>();
    answer = async (review) => {
      const isRead = review.request.desiredAPIVersion.endsWith('/v2');
      if (isRead && asked.filter(({ request }) => request.desiredAPIVersion.endsWith('/v2')).length === 1)
        await first.promise;
      return answered(review);
    };
    await create('v1', 'watched', { hostPort: 'w:0' }, { labels: { watched: 'yes' } });
    for (let i = 1; i < 6; i++) await patch(at('v1', 'watched'), 'merge', { spec: { hostPort: `w:${i}` } });
    await remove(at('v1', 'watched'));
    expect(seen).toEqual([]);
    expect((await get('/api/v1/namespaces/default')).status).toBe(200);
    first.resolve();
    await expect.poll(() => seen.length).toBe(7);
    expect(seen).toEqual([
      'ADDED 0',
      'MODIFIED 1',
      'MODIFIED 2',
      'MODIFIED 3',
      'MODIFIED 4',
      'MODIFIED 5',
      'DELETED 5',
    ]);
    ended.abort();
    await watched.catch(() => {});
  });
});

describe('a conversion that fails', () => {
  const failed = `conversion webhook for ${GROUP}/v1, Kind=Widget`;
  const changed = (change: (object: UnknownObject) => unknown) => (review: Review) =>
    answered(review, {
      convertedObjects: review.request.objects.map((object) =>
        change(convert(object, review.request.desiredAPIVersion)),
      ),
    });

  it.each<[string, (review: Review) => unknown, string]>([
    [
      'it is refused',
      (review) => answered(review, { result: { status: 'Failure', message: 'cannot' } }),
      `${failed} failed: cannot`,
    ],
    [
      'it says nothing',
      (review) => answered(review, { result: {} }),
      `${failed} failed: response.result.status was '', not 'Success'`,
    ],
    [
      'it answers something else',
      () => ({ kind: 'Pod', apiVersion: 'v1' }),
      `${failed} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /v1, Kind=Pod`,
    ],
    [
      'it answers another review',
      (review) => answered(review, { uid: 'x' }),
      `${failed} failed: expected response.uid="UID", got "x"`,
    ],
    [
      'it loses objects',
      (review) => answered(review, { convertedObjects: [] }),
      `${failed} returned 0 objects, expected 1`,
    ],
    [
      'it leaves the version',
      changed((object) => ({ ...object, apiVersion: `${GROUP}/v1` })),
      `${failed} returned invalid object at index 0: invalid groupVersion (expected ${GROUP}/v2, received ${GROUP}/v1)`,
    ],
    [
      'it changes the kind',
      changed((object) => ({ ...object, kind: 'Gadget' })),
      `${failed} returned invalid object at index 0: invalid kind (expected Widget, received Gadget)`,
    ],
    [
      'it changes the name',
      changed((object) => ({ ...object, metadata: { ...object.metadata, name: 'x' } })),
      `${failed} returned invalid object: must have the same name: broken != x`,
    ],
    [
      'it drops the metadata',
      changed(({ metadata: _, ...object }) => object),
      `${failed} returned invalid object: must have the same name: broken != `,
    ],
    [
      'it breaks labels',
      changed((object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 1 } } })),
      `${failed} returned invalid metadata: metadata.labels[a] must be a string, but is float64 in converted object`,
    ],
  ])('because %s', async (_, misbehave, message) => {
    await create('v1', 'broken', { hostPort: 'b:1' });
    answer = misbehave;
    const { status, body } = await get(at('v2', 'broken'));
    expect([status, body.reason, body.message?.replace(/uid="[\w-]+"/, 'uid="UID"')]).toEqual([
      500,
      undefined,
      message,
    ]);
    expect((await get(at('v2'))).status).toBe(500);
    expect((await get(at('v1', 'broken'))).status).toBe(200);
  });

  it('ends a watch that needs it with an error', async () => {
    const transport = await server().overHttp();
    const { resourceVersion } = (await get(at('v1'))).body.metadata;
    const query = { watch: true, resourceVersion: resourceVersion as string };
    const events = await transport.watch({ method: 'GET', path: at('v2'), query, signal: AbortSignal.timeout(60_000) });
    answer = (review) => answered(review, { result: { status: 'Failure', message: 'cannot' } });
    await create('v1', 'unseen', { hostPort: 'u:1' });
    const seen: unknown[] = [];
    for await (const event of events) seen.push(event);
    expect(seen).toMatchObject([
      { type: 'ERROR', object: { kind: 'Status', code: 500, message: `${failed} failed: cannot` } },
    ]);
    await remove(at('v1', 'unseen'));
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['dies', (response) => void response.socket?.destroy(), 'Post "URL/convert?timeout=30s": EOF'],
    [
      'sends without end',
      (response) => {
        const chunk = Buffer.alloc(1 << 20, ' ');
        const more = (): void => void (response.destroyed || response.write(chunk, more));
        more();
      },
      'Post "URL/convert?timeout=30s": response body is larger than 33554432 bytes',
    ],
  ])('is told of when the webhook %s, and others are served', async (_, misbehave, why) => {
    await create('v1', 'broken', { hostPort: 'b:1' });
    instead = misbehave;
    const [{ status, body }, other] = await Promise.all([get(at('v2', 'broken')), get(at('v1', 'broken'))]);
    expect([status, body.message?.replace(webhook.url, 'URL')]).toEqual([500, `${failed} failed: ${why}`]);
    expect(other.status).toBe(200);
  });

  it('fails writes as well, and nothing is stored', async () => {
    answer = (review) => answered(review, { result: { status: 'Failure', message: 'cannot' } });
    expect(await create('v2', 'never', { host: 'n', port: 1 })).toMatchObject({
      status: 500,
      body: { message: `conversion webhook for ${GROUP}/v2, Kind=Widget failed: cannot` },
    });
    expect((await get(at('v1', 'never'))).status).toBe(404);
  });

  it('metadata stays, but for labels and annotations', async () => {
    await create('v1', 'meta', { hostPort: 'b:1' }, { annotations: { a: 'b' } });
    answer = changed((object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        finalizers: ['x/y'],
        generation: 99,
        labels: { from: 'webhook' },
        annotations: null,
      },
    }));
    const { metadata } = (await get(at('v2', 'meta'))).body;
    expect(metadata).toMatchObject({ generation: 1, labels: { from: 'webhook' } });
    expect(metadata.finalizers ?? metadata.annotations).toBeUndefined();
  });
});

it('admission in another version sees converted objects', async () => {
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  const rules = [{ operations: ['*'], apiGroups: [GROUP], apiVersions: ['v1'], resources: ['widgets'] }];
  await post(policies, {
    metadata: { name: 'ports' },
    spec: {
      matchConstraints: { resourceRules: rules },
      validations: [{ expression: "object.spec.hostPort != 'evil:666'", message: 'not there' }],
    },
  });
  await post(`${policies.replace('policies', 'policybindings')}`, {
    metadata: { name: 'ports' },
    spec: { policyName: 'ports', validationActions: ['Deny'] },
  });
  expect((await create('v2', 'evil', { host: 'evil', port: 666 })).body.message).toContain('not there');
  expect((await create('v2', 'good', { host: 'good', port: 1 })).status).toBe(201);
  await remove(`${policies}/ports`);
});

it('the storage version moves, and every write takes its object along', async () => {
  await create('v1', 'moving', { hostPort: 'm:1' });
  const { body: definition } = await get(DEFINITION);
  const spec = definition.spec as { versions: { name: string; storage: boolean; served: boolean }[] };
  const versions = spec.versions.map((version) => ({ ...version, storage: version.name === 'v2' }));
  expect((await put(DEFINITION, { ...definition, spec: { ...spec, versions } })).body.status).toMatchObject({
    storedVersions: ['v1', 'v2'],
  });
  await definitionCondition(calls, `widgets.${GROUP}`, 'Established');
  const versionStored = (name: string) =>
    server().server.api.core.store.get(`${GROUP}/widgets/default/${name}`)?.object.apiVersion;
  expect(versionStored('moving')).toBe(`${GROUP}/v1`);
  // A write that changes nothing is enough.
  await expect
    .poll(async () => (await patch(at('v2', 'moving'), 'merge', {})).status && versionStored('moving'))
    .toBe(`${GROUP}/v2`);
  const { resourceVersion } = (await get(at('v2', 'moving'))).body.metadata;
  expect((await patch(at('v2', 'moving'), 'merge', {})).body.metadata.resourceVersion).toBe(resourceVersion);
  for (const { metadata } of (await get(at('v1'))).body.items) await patch(at('v1', metadata.name), 'merge', {});
  const left = server()
    .server.api.core.store.list(`${GROUP}/widgets/`)
    .map(({ object }) => object.apiVersion);
  expect(new Set(left)).toEqual(new Set([`${GROUP}/v2`]));
  expect((await patch(`${DEFINITION}/status`, 'merge', { status: { storedVersions: ['v2'] } })).status).toBe(200);
  const only = versions.filter(({ name }) => name === 'v2');
  expect((await patch(DEFINITION, 'merge', { spec: { versions: only } })).status).toBe(200);
  asked = [];
  await expect.poll(async () => (await get(at('v1'))).status).toBe(404);
  expect((await get(at('v2'))).status).toBe(200);
  expect(asked).toEqual([]);
});
