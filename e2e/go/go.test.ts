import { builtinKinds, groupVersion, type Kind } from '@vireo/api';
import { toCrd } from '@vireo/api/crd.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCluster } from '../kubectl.ts';
import { type Answer, GoClient, PROTOBUF } from './goClient.ts';
import * as messages from './messages.ts';
import { SAMPLES } from './samples.ts';
import { decode, encodeBody, fieldsOf, type Message, openBody } from './wire.ts';

const { vireo } = useCluster();
let go: GoClient;
beforeAll(async () => {
  go = new GoClient(vireo().port, vireo().home);
  await create('/api/v1/namespaces', 'v1', 'Namespace', { metadata: { name: 'go' } }, messages.Namespace);
  // Pods need an account.
  while ((await go.call('GET', `${CORE}/serviceaccounts/default`)).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 5));
});
afterAll(() => go?.close());

type Json = Record<string, unknown>;

const CORE = '/api/v1/namespaces/go';
const APPS = '/apis/apps/v1/namespaces/go';

const create = (path: string, apiVersion: string, kind: string, object: Json, message: Message, accept?: string) =>
  go.call('POST', path, { body: encodeBody(apiVersion, kind, object, message), ...(accept && { accept }) });

const map = (name: string, data: Json = {}, labels: Json = {}) =>
  create(`${CORE}/configmaps`, 'v1', 'ConfigMap', { metadata: { name, labels }, data }, messages.ConfigMap);

const pod = (name: string, spec: Json = {}) =>
  create(
    `${CORE}/pods`,
    'v1',
    'Pod',
    { metadata: { name }, spec: { containers: [{ name: 'a', image: 'a' }], schedulerName: 'none', ...spec } },
    messages.Pod,
  );

/** A body in protobuf, opened and read. */
function opened({ contentType, bytes }: Pick<Answer, 'contentType' | 'bytes'>, message: Message): Json {
  expect(contentType).toBe(PROTOBUF);
  const { apiVersion, kind, raw } = openBody(bytes);
  return { apiVersion, kind, ...decode(raw, message) };
}

/** Without what Go cannot tell from nothing: empty lists, maps and structs. */
function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, compact(member)] as const);
  return Object.fromEntries(
    members.filter(
      ([, member]) => member !== null && !(typeof member === 'object' && Object.keys(member).length === 0),
    ),
  );
}

/** An object in both forms, at the same version: controllers may change it at any time. */
async function readBoth(path: string, message: Message): Promise<{ protobuf: unknown; json: unknown }> {
  for (;;) {
    const [read, { json }] = await Promise.all([go.call('GET', path, { accept: PROTOBUF }), go.call('GET', path)]);
    const protobuf = opened(read, message) as { metadata: Json };
    if (protobuf.metadata.resourceVersion === json.metadata.resourceVersion)
      return { protobuf: compact(protobuf), json: compact(json) };
  }
}

const kinds = (builtinKinds as unknown as Kind[])
  .filter(({ virtual }) => !virtual)
  .map((kind) => [`${groupVersion(kind.group, kind.version)}/${kind.kind}`, kind] as const);

describe('every built-in kind goes to and fro in protobuf', () => {
  it.each(kinds)('%s', async (id, kind) => {
    const sample = SAMPLES[id] as { metadata?: Json } | undefined;
    if (!sample) throw new Error(`samples.ts has nothing for ${id}`);
    const apiVersion = groupVersion(kind.group, kind.version);
    const message = messages.messageOfKind(kind);
    const metadata = { name: `go-${kind.kind.toLowerCase()}-${kind.version}`, ...sample.metadata };
    const object = { ...sample, metadata: kind.namespaced ? { namespace: 'go', ...metadata } : metadata };
    const root = kind.group ? `/apis/${apiVersion}` : '/api/v1';
    const path = `${root}${kind.namespaced ? '/namespaces/go' : ''}/${kind.plural}`;
    const made = await create(path, apiVersion, kind.kind, object, message);
    expect(made.json).toMatchObject(compact({ apiVersion, kind: kind.kind, ...object }) as object);
    expect(made.status).toBe(201);
    const both = await readBoth(`${path}/${metadata.name}`, message);
    expect(both.protobuf).toEqual(both.json);
    const listed = opened(
      await go.call('GET', `${path}?limit=500&fieldSelector=metadata.name%3D${metadata.name}`, { accept: PROTOBUF }),
      messages.list(message),
    );
    expect(listed).toMatchObject({
      apiVersion,
      kind: kind.listKind,
      metadata: { resourceVersion: expect.any(String) },
    });
    const items = listed.items as { metadata: Json }[];
    expect(items.map((item) => item.metadata.name)).toEqual([metadata.name]);
    if (kind.kind === 'Namespace') return;
    const options = encodeBody(apiVersion, 'DeleteOptions', { gracePeriodSeconds: 0 }, messages.DeleteOptions);
    expect((await go.call('DELETE', `${path}/${metadata.name}`, { body: options })).status).toBe(200);
  });
});

describe('a client of Go', () => {
  it('creates, updates and reads with the numbers of generated.proto', async () => {
    const labels = { app: 'web' };
    const sent = {
      metadata: { name: 'web', labels },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              {
                name: 'a',
                image: 'a',
                ports: [{ containerPort: 80 }],
                env: [{ name: 'A', value: 'b' }],
                resources: { requests: { cpu: '1500m' } },
              },
            ],
          },
        },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '50%' } },
        minReadySeconds: 3,
      },
    };
    const made = await create(`${APPS}/deployments`, 'apps/v1', 'Deployment', sent, messages.Deployment);
    expect(made).toMatchObject({ status: 201, json: sent });
    const { resourceVersion } = made.json.metadata;
    const changed = {
      ...sent,
      metadata: { ...sent.metadata, resourceVersion },
      spec: { ...sent.spec, replicas: 0, paused: true },
    };
    const put = (object: Json) =>
      go.call('PUT', `${APPS}/deployments/web`, {
        body: encodeBody('apps/v1', 'Deployment', object, messages.Deployment),
      });
    expect(await put(changed)).toMatchObject({ status: 200, json: { spec: { replicas: 0, paused: true } } });
    expect(await put(changed)).toMatchObject({ status: 409, json: { reason: 'Conflict' } });
  });

  it.each(['json-patch', 'merge-patch', 'strategic-merge-patch'])('sends a %s as JSON', async (type) => {
    await map(type, { a: 'b' });
    const body = type === 'json-patch' ? [{ op: 'replace', path: '/data/a', value: 'c' }] : { data: { a: 'c' } };
    const answer = await go.call('PATCH', `${CORE}/configmaps/${type}`, {
      body,
      contentType: `application/${type}+json`,
    });
    expect(answer).toMatchObject({ status: 200, json: { data: { a: 'c' } } });
  });

  it('reads a list page by page in protobuf, and carries on where it stopped', async () => {
    for (const name of ['p1', 'p2', 'p3']) await map(name, { name }, { test: 'pages' });
    const names: unknown[] = [];
    let next: unknown = '';
    do {
      const query = `labelSelector=test%3Dpages&limit=2&continue=${encodeURIComponent(String(next))}`;
      const page = opened(
        await go.call('GET', `${CORE}/configmaps?${query}`, { accept: PROTOBUF }),
        messages.list(messages.ConfigMap),
      );
      names.push(...(page.items as { data: Json }[]).map(({ data }) => data.name));
      next = (page.metadata as Json).continue;
    } while (next);
    expect(names).toEqual(['p1', 'p2', 'p3']);
  });

  it('watches in frames of protobuf, with bookmarks', async () => {
    const { json } = await go.call('GET', `${CORE}/configmaps`);
    const from = json.metadata.resourceVersion;
    await map('watched', { a: 'b' }, { test: 'watch' });
    await go.call('PATCH', `${CORE}/configmaps/watched`, {
      body: { data: { a: 'c' } },
      contentType: 'application/merge-patch+json',
    });
    await go.call('DELETE', `${CORE}/configmaps/watched`);
    const query = `watch=true&labelSelector=test%3Dwatch&resourceVersion=${from}&timeoutSeconds=5&allowWatchBookmarks=true`;
    const seen = await go.frames(`${CORE}/configmaps?${query}`, `${PROTOBUF};stream=watch`, 3);
    expect(seen.contentType).toBe(`${PROTOBUF};stream=watch`);
    const events = seen.frames.map((frame) => {
      const [type, object] = fieldsOf(frame);
      const [raw] = fieldsOf(object?.bytes ?? Buffer.alloc(0));
      return [
        String(type?.bytes),
        opened({ contentType: PROTOBUF, bytes: raw?.bytes ?? Buffer.alloc(0) }, messages.ConfigMap).data,
      ];
    });
    expect(events).toEqual([
      ['ADDED', { a: 'b' }],
      ['MODIFIED', { a: 'c' }],
      ['DELETED', { a: 'c' }],
    ]);
    const initial = `${CORE}/configmaps?watch=true&labelSelector=none&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
    const [bookmark = Buffer.alloc(0)] = (await go.frames(initial, PROTOBUF, 1)).frames;
    const [type, object] = fieldsOf(bookmark);
    expect(String(type?.bytes)).toBe('BOOKMARK');
    const marked = opened(
      { contentType: PROTOBUF, bytes: fieldsOf(object?.bytes ?? Buffer.alloc(0))[0]?.bytes as Buffer },
      messages.ConfigMap,
    );
    expect(marked.metadata).toMatchObject({ annotations: { 'k8s.io/initial-events-end': 'true' } });
  });

  it('sees errors of a watch as events, and other errors as a Status in protobuf', async () => {
    const missing = await go.call('GET', `${CORE}/configmaps/missing`, { accept: PROTOBUF });
    expect(missing.status).toBe(404);
    expect(opened(missing, messages.Status)).toMatchObject({
      apiVersion: 'v1',
      kind: 'Status',
      status: 'Failure',
      reason: 'NotFound',
      code: 404,
      details: { name: 'missing', kind: 'configmaps' },
    });
    const invalid = await create(
      `${CORE}/configmaps`,
      'v1',
      'ConfigMap',
      { metadata: { name: 'NO' } },
      messages.ConfigMap,
      PROTOBUF,
    );
    expect(opened(invalid, messages.Status)).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'metadata.name' }] },
    });
  });

  it.each(['v1', 'apps/v1', 'meta.k8s.io/v1', 'kubevirt.io/v1'])(
    'deletes with DeleteOptions of %s',
    async (apiVersion) => {
      const name = `doomed-${apiVersion.replaceAll(/[./]/g, '-')}`;
      const { json } = await map(name);
      const remove = (options: Json, path = `${CORE}/configmaps/${name}`) =>
        go.call('DELETE', path, { body: encodeBody(apiVersion, 'DeleteOptions', options, messages.DeleteOptions) });
      expect((await remove({ preconditions: { uid: 'other' } })).status).toBe(409);
      expect((await remove({ dryRun: ['All'] })).status).toBe(200);
      expect(await remove({ propagationPolicy: 'Sideways' })).toMatchObject({ status: 422 });
      const { uid } = json.metadata;
      expect(await remove({ preconditions: { uid }, propagationPolicy: 'Background' })).toMatchObject({
        status: 200,
        json: { kind: 'Status', status: 'Success' },
      });
      expect((await go.call('GET', `${CORE}/configmaps/${name}`)).status).toBe(404);
    },
  );

  it('deletes a collection with DeleteOptions of the group of its resource', async () => {
    for (const name of ['c1', 'c2']) await map(name, {}, { test: 'collection' });
    const body = encodeBody(
      'apps/v1',
      'DeleteOptions',
      { gracePeriodSeconds: 0, orphanDependents: false },
      messages.DeleteOptions,
    );
    const answer = await go.call('DELETE', `${CORE}/configmaps?labelSelector=test%3Dcollection`, {
      body,
      accept: PROTOBUF,
    });
    expect(opened(answer, messages.list(messages.ConfigMap)).items).toHaveLength(2);
  });

  it.each(['application/json', 'application/yaml'])(
    'deletes with DeleteOptions of any group as %s',
    async (contentType) => {
      await map('plain');
      const body = Buffer.from('{"kind":"DeleteOptions","apiVersion":"apps/v1","gracePeriodSeconds":0}');
      expect((await go.call('DELETE', `${CORE}/configmaps/plain`, { body, contentType })).status).toBe(200);
    },
  );

  it('is refused a body of another kind in place of DeleteOptions', async () => {
    await map('kept');
    const body = encodeBody('v1', 'ConfigMap', { metadata: { name: 'kept' } }, messages.ConfigMap);
    expect((await go.call('DELETE', `${CORE}/configmaps/kept`, { body })).status).toBe(400);
    const unknown = encodeBody('v1', 'Nothing', {}, {});
    expect((await go.call('DELETE', `${CORE}/configmaps/kept`, { body: unknown })).status).toBe(400);
    expect((await go.call('DELETE', `${CORE}/configmaps/kept`, { body: Buffer.from('k8s') })).status).toBe(400);
  });

  it.each(['CreateOptions', 'UpdateOptions', 'PatchOptions', 'ListOptions', 'GetOptions', 'Status', 'WatchEvent'])(
    'is told that %s is not what is to be created',
    async (kind) => {
      const body = encodeBody('v1', kind, {}, {});
      expect(await go.call('POST', `${CORE}/configmaps`, { body })).toMatchObject({
        status: 400,
        json: { message: expect.stringContaining(`(${kind})`) },
      });
    },
  );

  it('gives its options in the query', async () => {
    const body = encodeBody('v1', 'ConfigMap', { metadata: { name: 'dry' } }, messages.ConfigMap);
    const query = 'dryRun=All&fieldManager=go&fieldValidation=Strict';
    expect((await go.call('POST', `${CORE}/configmaps?${query}`, { body })).status).toBe(201);
    expect((await go.call('GET', `${CORE}/configmaps/dry`)).status).toBe(404);
  });

  it('binds and evicts pods', async () => {
    await pod('bound');
    const binding = { metadata: { name: 'bound', namespace: 'go' }, target: { kind: 'Node', name: 'nowhere' } };
    const bound = await create(`${CORE}/pods/bound/binding`, 'v1', 'Binding', binding, messages.Binding, PROTOBUF);
    expect(opened(bound, messages.Status)).toMatchObject({ status: 'Success', code: 201 });
    expect((await go.call('GET', `${CORE}/pods/bound`)).json.spec.nodeName).toBe('nowhere');
    await pod('evicted');
    const eviction = { metadata: { name: 'evicted', namespace: 'go' }, deleteOptions: { gracePeriodSeconds: 0 } };
    expect(
      (await create(`${CORE}/pods/evicted/eviction`, 'policy/v1', 'Eviction', eviction, messages.Eviction)).status,
    ).toBe(201);
    expect((await go.call('GET', `${CORE}/pods/evicted`)).status).toBe(404);
  });

  it('scales', async () => {
    const labels = { app: 'scaled' };
    const spec = {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    };
    await create(
      `${APPS}/deployments`,
      'apps/v1',
      'Deployment',
      { metadata: { name: 'scaled' }, spec },
      messages.Deployment,
    );
    const path = `${APPS}/deployments/scaled/scale`;
    expect(opened(await go.call('GET', path, { accept: PROTOBUF }), messages.Scale)).toMatchObject({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      spec: { replicas: 0 },
      status: { selector: 'app=scaled' },
    });
    const scale = { metadata: { name: 'scaled', namespace: 'go' }, spec: { replicas: 4 } };
    const put = (replicas: number) =>
      go.call('PUT', path, {
        body: encodeBody('autoscaling/v1', 'Scale', { ...scale, spec: { replicas } }, messages.Scale),
      });
    expect(await put(4)).toMatchObject({ status: 200, json: { spec: { replicas: 4 } } });
    expect((await put(3_000_000_000)).status).toBe(400);
    expect(
      (
        await go.call('PATCH', path, {
          body: { spec: { replicas: 3_000_000_000 } },
          contentType: 'application/merge-patch+json',
        })
      ).status,
    ).toBe(422);
  });

  it('asks for a token, and what it may do', async () => {
    const request = { spec: { audiences: ['a'], expirationSeconds: 700 } };
    const token = await create(
      `${CORE}/serviceaccounts/default/token`,
      'authentication.k8s.io/v1',
      'TokenRequest',
      request,
      messages.TokenRequest,
    );
    expect(token).toMatchObject({ status: 201, json: { status: { token: expect.stringContaining('.') } } });
    const review = { spec: { resourceAttributes: { namespace: 'go', verb: 'get', resource: 'pods' } } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const ask = (accept: string) =>
      create(
        path,
        'authorization.k8s.io/v1',
        'SelfSubjectAccessReview',
        review,
        messages.SelfSubjectAccessReview,
        accept,
      );
    expect(opened(await ask(PROTOBUF), messages.SelfSubjectAccessReview)).toMatchObject({ status: { allowed: true } });
    expect((await ask('application/json;as=Table;v=v1;g=meta.k8s.io')).status).toBe(406);
  });

  it('gets a Table as JSON, and metadata alone as protobuf', async () => {
    await map('shown', { a: 'b' });
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const path = `${CORE}/configmaps`;
    expect((await go.call('GET', path, { accept: `${table},application/json` })).json.kind).toBe('Table');
    expect((await go.call('GET', path, { accept: table.replace('application/json', PROTOBUF) })).status).toBe(406);
    const partial = `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
    const one = await go.call('GET', `${path}/shown`, { accept: partial });
    expect(opened(one, messages.PartialObjectMetadata)).toMatchObject({
      kind: 'PartialObjectMetadata',
      metadata: { name: 'shown' },
    });
    const all = await go.call('GET', path, { accept: partial.replace('Metadata;', 'MetadataList;') });
    expect(opened(all, messages.list(messages.PartialObjectMetadata)).kind).toBe('PartialObjectMetadataList');
  });

  it('discovers in protobuf', async () => {
    const found = opened(await go.call('GET', '/apis/apps/v1', { accept: PROTOBUF }), messages.APIResourceList);
    const resources = found.resources as { name: string; verbs: string[] }[];
    expect(resources.find(({ name }) => name === 'deployments')?.verbs).toContain('deletecollection');
  });

  it.each([
    ['GET', `${CORE}/configmaps`],
    ['GET', `${CORE}/configmaps/kept`],
    ['GET', `${CORE}/configmaps?watch=true`],
    ['DELETE', `${CORE}/configmaps/kept`],
    ['DELETE', `${CORE}/configmaps?labelSelector=none`],
    ['GET', '/api'],
    ['GET', '/apis'],
    ['GET', '/apis/apps'],
    ['GET', '/apis/apps/v1'],
    ['GET', '/openapi/v3'],
  ])('is told that nobody can make text/html: %s %s', async (method, path) => {
    expect(await go.call(method, path, { accept: 'text/html' })).toMatchObject({
      status: 406,
      json: { reason: 'NotAcceptable' },
    });
  });
});

describe('a custom resource speaks JSON', () => {
  beforeAll(async () => {
    const body = toCrd([VirtualMachine]);
    const made = await go.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body });
    expect(made.status).toBe(201);
    while ((await go.call('GET', path)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
  });
  const path = '/apis/kubevirt.io/v1/namespaces/go/virtualmachines';
  const vm = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web' },
    spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } } },
  };

  it('and takes no protobuf, in neither direction', async () => {
    const body = encodeBody('kubevirt.io/v1', 'VirtualMachine', { metadata: { name: 'web' } }, messages.ConfigMap);
    expect(await go.call('POST', path, { body })).toMatchObject({
      status: 415,
      json: { reason: 'UnsupportedMediaType' },
    });
    expect((await go.call('GET', path, { accept: PROTOBUF })).status).toBe(406);
    expect((await go.call('GET', `${path}?watch=true`, { accept: `${PROTOBUF};stream=watch` })).status).toBe(406);
  });

  it('but its metadata alone and the options of its deletion may be protobuf', async () => {
    expect((await go.call('POST', path, { body: vm, accept: 'application/json' })).status).toBe(201);
    const partial = `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
    const read = await go.call('GET', `${path}/web`, { accept: partial });
    expect(fieldsOf(openBody(read.bytes).raw).length).toBe(1);
    const options = encodeBody('kubevirt.io/v1', 'DeleteOptions', { dryRun: ['All'] }, messages.DeleteOptions);
    expect((await go.call('DELETE', `${path}/web`, { body: options, accept: 'application/json' })).status).toBe(200);
    expect((await go.call('DELETE', path, { body: options, accept: 'application/json' })).status).toBe(200);
  });
});
