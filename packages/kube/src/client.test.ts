import { ConfigMap, type KubeObject, Pod } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { Client } from './client.ts';
import type { ResourceClient } from './resourceClient.ts';
import { configMap } from './testing/kinds.ts';
import type { ApiCall, ApiCallResult, Transport } from './transport.ts';

/** Keeps what it is asked, and answers the same to everything. */
class Recorder implements Transport {
  readonly calls: ApiCall[] = [];
  answer: ApiCallResult = { status: 200, headers: {}, body: configMap('c') };
  async call(call: ApiCall) {
    this.calls.push(call);
    return this.answer;
  }
  async watch(call: ApiCall) {
    this.calls.push(call);
    return (async function* () {})();
  }
  async close() {}
}

let transport: Recorder;
let maps: ResourceClient<ConfigMap>;
const at = { namespace: 'ns' };
const object = configMap('c', {}, 'ns');
const read = persisted({ ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: '7' } });

beforeEach(() => {
  transport = new Recorder();
  maps = new Client(transport).of(ConfigMap);
});

describe('Client', () => {
  it('knows the type of a kind, and takes any reference to one', () => {
    const client = new Client(transport);
    expectTypeOf(client.of(Pod)).toEqualTypeOf<ResourceClient<Pod>>();
    const reference = { group: 'g', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
    expectTypeOf(client.of<KubeObject>(reference)).toEqualTypeOf<ResourceClient<KubeObject>>();
  });

  it('throws what the server refuses, with the text where it is no Status', async () => {
    transport.answer = { status: 502, headers: {}, body: 'bad gateway' };
    await expect(maps.get('c', at)).rejects.toMatchObject({ code: 502, message: 'bad gateway' });
  });
});

const path = '/api/v1/namespaces/ns/configmaps/c';
type Case = [string, (maps: ResourceClient<ConfigMap>) => Promise<unknown>, Partial<ApiCall>];

describe('ResourceClient', () => {
  it.each<Case>([
    [
      'get',
      (m) => m.get('c', { ...at, resourceVersion: '0' }),
      { method: 'GET', path, query: { resourceVersion: '0' } },
    ],
    [
      'list',
      (m) => m.list({ labelSelector: 'a=b', limit: 5 }),
      { method: 'GET', path: '/api/v1/configmaps', query: { labelSelector: 'a=b', limit: 5 } },
    ],
    [
      'watch',
      (m) => m.watch({ ...at, resourceVersion: '7' }),
      { method: 'GET', path: '/api/v1/namespaces/ns/configmaps', query: { watch: true, resourceVersion: '7' } },
    ],
    [
      'create',
      (m) => m.create(object, { dryRun: true, fieldManager: 'me', fieldValidation: 'Strict' }),
      {
        method: 'POST',
        path: '/api/v1/namespaces/ns/configmaps',
        query: { dryRun: 'All', fieldManager: 'me', fieldValidation: 'Strict' },
        body: object,
      },
    ],
    ['update', (m) => m.update(object), { method: 'PUT', path, body: object }],
    ['updateStatus', (m) => m.updateStatus(object), { method: 'PUT', path: `${path}/status`, body: object }],
    [
      'patch',
      (m) => m.patch('c', { data: {} }, { ...at, type: 'apply', fieldManager: 'me', force: true }),
      {
        method: 'PATCH',
        path,
        contentType: 'application/apply-patch+yaml',
        query: { fieldManager: 'me', force: true },
        body: { data: {} },
      },
    ],
    [
      'patchStatus',
      (m) => m.patchStatus('c', [], { ...at, type: 'json' }),
      { method: 'PATCH', path: `${path}/status`, contentType: 'application/json-patch+json', body: [] },
    ],
    [
      'patchIfUnchanged',
      (m) => m.patchIfUnchanged(read, { metadata: { labels: { a: 'b' } }, data: { x: null } }),
      {
        method: 'PATCH',
        path,
        contentType: 'application/merge-patch+json',
        body: { metadata: { labels: { a: 'b' }, resourceVersion: '7' }, data: { x: null } },
      },
    ],
    [
      'patchStatusIfUnchanged',
      (m) => m.patchStatusIfUnchanged(read, { phase: 'Bound' }),
      {
        method: 'PATCH',
        path: `${path}/status`,
        contentType: 'application/merge-patch+json',
        body: { metadata: { resourceVersion: '7' }, status: { phase: 'Bound' } },
      },
    ],
    [
      'addFinalizer',
      (m) => m.addFinalizer({ metadata: { ...read.metadata, finalizers: ['theirs'] } }, 'ours'),
      {
        method: 'PATCH',
        path,
        contentType: 'application/merge-patch+json',
        body: { metadata: { finalizers: ['theirs', 'ours'], resourceVersion: '7' } },
      },
    ],
    [
      'removeFinalizer',
      (m) => m.removeFinalizer({ metadata: { ...read.metadata, finalizers: ['ours', 'theirs'] } }, 'ours'),
      {
        method: 'PATCH',
        path,
        contentType: 'application/merge-patch+json',
        body: { metadata: { finalizers: ['theirs'], resourceVersion: '7' } },
      },
    ],
    [
      'patchExactly',
      (m) => m.patchExactly(read, { metadata: { labels: {} } }, { type: 'strategic', subresource: 'status' }),
      {
        method: 'PATCH',
        path: `${path}/status`,
        contentType: 'application/strategic-merge-patch+json',
        body: { metadata: { labels: {}, uid: 'u' } },
      },
    ],
    [
      'writeStatus',
      (m) => m.writeStatus({ ...read, status: { phase: 'Pending', a: 1 } }, { phase: 'Bound', a: 1 }),
      {
        method: 'PATCH',
        path: `${path}/status`,
        contentType: 'application/merge-patch+json',
        body: { metadata: { resourceVersion: '7' }, status: { phase: 'Bound' } },
      },
    ],
    [
      'deleteExactly',
      (m) => m.deleteExactly(read, { gracePeriodSeconds: 0 }),
      {
        method: 'DELETE',
        path,
        body: { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid: 'u' } },
      },
    ],
    ['delete', (m) => m.delete('c', at), { method: 'DELETE', path, body: undefined }],
    [
      'delete with options',
      (m) => m.delete('c', { ...at, propagationPolicy: 'Foreground', gracePeriodSeconds: 0, dryRun: true }),
      {
        method: 'DELETE',
        path,
        query: { dryRun: 'All' },
        body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Foreground', gracePeriodSeconds: 0 },
      },
    ],
    [
      'deleteCollection',
      (m) => m.deleteCollection({ ...at, labelSelector: 'a=b' }),
      { method: 'DELETE', path: '/api/v1/namespaces/ns/configmaps', query: { labelSelector: 'a=b' } },
    ],
    [
      'createSubresource',
      (m) => m.createSubresource('c', 'token', { x: 1 }, at),
      { method: 'POST', path: `${path}/token`, body: { x: 1 } },
    ],
    ['getScale', (m) => m.getScale('c', at), { method: 'GET', path: `${path}/scale` }],
    [
      'updateScale',
      (m) => m.updateScale({ ...object, spec: { replicas: 3 } }),
      { method: 'PUT', path: `${path}/scale`, body: { ...object, spec: { replicas: 3 } } },
    ],
  ])('%s asks for the right thing', async (_, act, expected) => {
    transport.answer = { status: 200, headers: {}, body: { ...configMap('c'), items: [] } };
    await act(maps);
    const [{ query = {}, ...call } = {}] = transport.calls;
    // Fields that are undefined are not sent, so they do not count.
    expect(JSON.parse(JSON.stringify({ query, ...call }))).toEqual({
      query: {},
      ...JSON.parse(JSON.stringify(expected)),
    });
  });

  it('writes nothing to remove a finalizer that an object does not have', async () => {
    await maps.removeFinalizer(read, 'ours');
    expect(transport.calls).toEqual([]);
  });

  it('writes nothing to add a finalizer that an object has', async () => {
    await maps.addFinalizer({ metadata: { ...read.metadata, finalizers: ['ours'] } }, 'ours');
    expect(transport.calls).toEqual([]);
  });

  it('says what it sends and what it got, where caller and server left that out', async () => {
    const { apiVersion: _, kind: __, ...bare } = object;
    transport.answer = { status: 200, headers: {}, body: { metadata: {}, items: [bare] } };
    await maps.create(bare);
    expect(transport.calls[0]?.body).toEqual(object);
    expect((await maps.list()).items).toEqual([object]);
  });
});
