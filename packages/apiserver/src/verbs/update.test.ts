import type { UnknownObject } from '@vireo/api';
import { beforeAll, describe, expect, it } from 'vitest';
import { serverOfFile } from '../testing/calls.ts';
import { define } from '../testing/widgets.ts';

const calls = serverOfFile();
const { get, post, put } = calls;

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const PLAIN = '/apis/plain.example.com/v1/namespaces/default/widgets';
const SPLIT = '/apis/split.example.com/v1/namespaces/default/widgets';

beforeAll(async () => {
  await define(calls, { group: 'plain.example.com' });
  await define(calls, { group: 'split.example.com', versions: [{ subresources: { status: {} } }] });
});

const map = (name: string, data: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const widget = (group: string, name: string, more: object = {}) => ({
  apiVersion: `${group}.example.com/v1`,
  kind: 'Widget',
  metadata: { name },
  ...more,
});
const made = async (path: string, object: object): Promise<UnknownObject> => (await post(path, object)).body;

describe('the version that a PUT names', () => {
  it('must be the newest', async () => {
    const first = await made(MAPS, map('stale'));
    expect((await put(`${MAPS}/stale`, { ...first, data: { a: '1' } })).status).toBe(200);
    expect(await put(`${MAPS}/stale`, { ...first, data: { a: '2' } })).toMatchObject({
      status: 409,
      body: {
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on configmaps "stale": the object has been modified; please apply your changes to the latest version and try again',
        details: { name: 'stale', kind: 'configmaps' },
      },
    });
  });

  it('lets one of many win', async () => {
    const first = await made(MAPS, map('race'));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => put(`${MAPS}/race`, { ...first, data: { by: String(index) } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  });

  it.each([undefined, '', '0'])('may be left out for built-in kinds (%j)', async (resourceVersion) => {
    await post(MAPS, map('blind'));
    const response = await put(`${MAPS}/blind`, {
      ...map('blind', { a: '1' }),
      metadata: { name: 'blind', resourceVersion },
    });
    expect(response).toMatchObject({ status: 200, body: { data: { a: '1' } } });
  });

  it('must be there for custom resources', async () => {
    await post(PLAIN, widget('plain', 'blind'));
    expect(await put(`${PLAIN}/blind`, widget('plain', 'blind'))).toMatchObject({
      status: 422,
      body: {
        message:
          'widgets.plain.example.com "blind" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      },
    });
    expect((await put(`${PLAIN}/missing`, widget('plain', 'missing'))).status).toBe(404);
  });
});

describe('what a PUT must not change', () => {
  it.each([
    ['another name', { name: 'other' }, 'the name of the object (other) does not match the name on the URL (fixed)'],
    ['no name', {}, 'the name of the object (fixed based on URL) was undeterminable: name must be provided'],
    [
      'another namespace',
      { name: 'fixed', namespace: 'other' },
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
  ])('%s is refused', async (_, metadata, message) => {
    await post(MAPS, map('fixed'));
    expect(await put(`${MAPS}/fixed`, { metadata })).toMatchObject({ status: 400, body: { message } });
  });

  it('another uid is a conflict', async () => {
    const { uid } = (await made(MAPS, map('mine'))).metadata;
    expect(await put(`${MAPS}/mine`, { metadata: { name: 'mine', uid: 'x' } })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining(`UID in precondition: x, UID in object meta: ${uid}`) },
    });
  });

  it('the time of creation and the generation stay', async () => {
    const { metadata } = await made(MAPS, map('birth'));
    const { body } = await put(`${MAPS}/birth`, {
      metadata: { name: 'birth', creationTimestamp: '2001-01-01T00:00:00Z', generation: 7, labels: { a: 'b' } },
    });
    expect(body.metadata).toEqual({ ...metadata, labels: { a: 'b' }, resourceVersion: body.metadata.resourceVersion });
  });

  it('a deletion cannot begin this way', async () => {
    await post(MAPS, map('alive'));
    const metadata = { name: 'alive', deletionTimestamp: '2030-01-01T00:00:00Z' };
    expect(await put(`${MAPS}/alive`, { metadata })).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'metadata.deletionTimestamp' }] } },
    });
  });
});

describe('a PUT that changes nothing', () => {
  it('writes nothing', async () => {
    const first = await made(MAPS, map('same', { a: '1' }));
    const response = await put(`${MAPS}/same`, map('same', { a: '1' }));
    expect(response.body.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect((await get(`${MAPS}/same`)).body).toEqual(first);
  });
});

it('a dry run stores nothing', async () => {
  await post(MAPS, map('dry'));
  const response = await put(`${MAPS}/dry`, map('dry', { a: '1' }), { query: { dryRun: 'All' } });
  expect(response).toMatchObject({ status: 200, body: { data: { a: '1' } } });
  expect((await get(`${MAPS}/dry`)).body.data).toBeUndefined();
});

describe('the generation', () => {
  const deployment = (replicas: number) => ({
    metadata: { name: 'gen' },
    spec: {
      replicas,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    },
  });

  it('of built-in kinds counts changes of what is wanted, not of metadata or status', async () => {
    const first = await made(DEPLOYMENTS, deployment(1));
    const labelled = await put(`${DEPLOYMENTS}/gen`, { ...first, metadata: { ...first.metadata, labels: { x: 'y' } } });
    const observed = await put(`${DEPLOYMENTS}/gen/status`, { ...labelled.body, status: { replicas: 1 } });
    const scaled = await put(`${DEPLOYMENTS}/gen`, { ...observed.body, spec: deployment(2).spec });
    expect([first, labelled.body, observed.body, scaled.body].map(({ metadata }) => metadata.generation)).toEqual([
      1, 1, 1, 2,
    ]);
  });

  it('of kinds that want nothing is not kept', async () => {
    expect((await made(MAPS, map('no-generation'))).metadata.generation).toBeUndefined();
  });

  it.each([
    ['with', SPLIT, 'split', [1, 1, 2, 2]],
    ['without', PLAIN, 'plain', [1, 1, 2, 3]],
  ])('of custom resources %s a status path counts everything else', async (_, path, group, expected) => {
    const seen = [await made(path, widget(group, 'gen', { any: 1 }))];
    const change = async (alter: (last: UnknownObject) => object): Promise<void> => {
      seen.push((await put(`${path}/gen`, alter(seen.at(-1) as UnknownObject))).body);
    };
    await change((last) => ({ ...last, metadata: { ...last.metadata, labels: { a: 'b' } } }));
    await change((last) => ({ ...last, any: 2 }));
    await change((last) => ({ ...last, status: { seen: 2 } }));
    expect(seen.map(({ metadata }) => metadata.generation)).toEqual(expected);
  });
});

describe('status and the rest', () => {
  it('of built-in kinds are written apart', async () => {
    const pod = await made(PODS, {
      metadata: { name: 'apart' },
      spec: { schedulerName: 'none', containers: [{ name: 'a', image: 'a' }] },
    });
    const byObject = await put(`${PODS}/apart`, { ...pod, status: { phase: 'Failed' } });
    expect(byObject.body.status).toEqual(pod.status);
    const byStatus = await put(`${PODS}/apart/status`, {
      ...byObject.body,
      metadata: { ...byObject.body.metadata, labels: { by: 'status' } },
      spec: { containers: [{ name: 'a', image: 'other' }] },
      status: { phase: 'Running' },
    });
    expect(byStatus).toMatchObject({
      status: 200,
      body: { status: { phase: 'Running' }, spec: { containers: [{ image: 'a' }] } },
    });
  });

  it('of custom resources are written apart where the definition says so', async () => {
    const first = await made(SPLIT, widget('split', 'apart', { spec: { a: 1 }, status: { forged: true } }));
    expect(first.status).toBeUndefined();
    const byObject = await put(`${SPLIT}/apart`, { ...first, spec: { a: 2 }, status: { forged: true } });
    expect(byObject.body).toMatchObject({ spec: { a: 2 } });
    expect(byObject.body.status).toBeUndefined();
    const byStatus = await put(`${SPLIT}/apart/status`, {
      ...byObject.body,
      metadata: { ...byObject.body.metadata, labels: { a: 'b' } },
      spec: { a: 3 },
      status: { ready: true },
    });
    expect(byStatus.body).toMatchObject({ spec: { a: 2 }, status: { ready: true } });
    expect(byStatus.body.metadata.labels).toBeUndefined();
  });

  it('of other custom resources are one', async () => {
    const first = await made(PLAIN, widget('plain', 'whole', { status: { a: 1 } }));
    expect(first.status).toEqual({ a: 1 });
    expect((await put(`${PLAIN}/whole/status`, first)).status).toBe(404);
  });
});
