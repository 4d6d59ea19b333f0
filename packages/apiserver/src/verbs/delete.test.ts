import type { UnknownObject } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { serverOfFile } from '../testing/calls.ts';

const { get, post, put, patch, delete: remove, server } = serverOfFile();

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';

const make = async (name: string, metadata: object = {}): Promise<UnknownObject> =>
  (await post(MAPS, { metadata: { name, ...metadata } })).body;
/** A map that stays when it is deleted, until the finalizer is taken away. */
const kept = (name: string) => make(name, { finalizers: ['example.com/keep'] });
const release = (name: string) => patch(`${MAPS}/${name}`, 'merge', { metadata: { finalizers: null } });
const exists = async (path: string): Promise<boolean> => (await get(path)).status === 200;

async function pod(name: string, nodeName?: string): Promise<UnknownObject> {
  const spec = { nodeName, schedulerName: 'none', containers: [{ name: 'a', image: 'a' }] };
  return (await post(PODS, { metadata: { name }, spec })).body;
}

describe('deleting', () => {
  it('removes at once what nothing holds, and answers with a Status', async () => {
    const { uid } = (await make('plain')).metadata;
    expect(await remove(`${MAPS}/plain`)).toMatchObject({
      status: 200,
      body: { kind: 'Status', status: 'Success', details: { name: 'plain', kind: 'configmaps', uid } },
    });
    expect(await remove(`${MAPS}/plain`)).toMatchObject({ status: 404, body: { reason: 'NotFound' } });
  });

  it('answers with the object for the kinds that Kubernetes does so for', async () => {
    await pod('shown');
    expect(await remove(`${PODS}/shown`)).toMatchObject({ status: 200, body: { kind: 'Pod' } });
    expect(await exists(`${PODS}/shown`)).toBe(false);
  });

  it('only marks what has finalizers; it goes with the last of them', async () => {
    await kept('held');
    const marked = await remove(`${MAPS}/held`);
    expect(marked).toMatchObject({
      status: 200,
      body: { metadata: { deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0 } },
    });
    const again = await remove(`${MAPS}/held`);
    expect(again.body.metadata).toEqual(marked.body.metadata);
    expect(
      await patch(`${MAPS}/held`, 'merge', { metadata: { finalizers: ['example.com/keep', 'example.com/new'] } }),
    ).toMatchObject({ status: 422, body: { message: expect.stringContaining('no new finalizers can be added') } });
    expect((await release('held')).status).toBe(200);
    expect(await exists(`${MAPS}/held`)).toBe(false);
  });

  it('as a dry run removes nothing', async () => {
    await make('dry');
    expect((await remove(`${MAPS}/dry`, undefined, { query: { dryRun: 'All' } })).status).toBe(200);
    expect((await remove(`${MAPS}/dry`, { dryRun: ['All'] })).status).toBe(200);
    expect(await exists(`${MAPS}/dry`)).toBe(true);
  });
});

describe('the propagation policy', () => {
  it.each([
    ['Foreground', 'foregroundDeletion', 202],
    ['Orphan', 'orphan', 200],
  ])('%s is a finalizer, however it is asked for', async (propagationPolicy, finalizer, status) => {
    for (const [how, ask] of Object.entries({
      body: (path: string) => remove(path, { propagationPolicy }),
      query: (path: string) => remove(path, undefined, { query: { propagationPolicy } }),
    })) {
      const name = `${propagationPolicy}-${how}`.toLowerCase();
      await kept(name);
      const response = await ask(`${MAPS}/${name}`);
      expect(response.status).toBe(status);
      expect(response.body.metadata.finalizers).toEqual(['example.com/keep', finalizer]);
      await release(name);
    }
  });

  it('Background needs none, and takes back what was said before', async () => {
    await kept('changed-mind');
    await remove(`${MAPS}/changed-mind`, { propagationPolicy: 'Foreground' });
    const response = await remove(`${MAPS}/changed-mind`, { propagationPolicy: 'Background' });
    expect(response.body.metadata.finalizers).toEqual(['example.com/keep']);
  });

  it('is known in its old form', async () => {
    await kept('old-form');
    const response = await remove(`${MAPS}/old-form`, { orphanDependents: true });
    expect(response.body.metadata.finalizers).toContain('orphan');
  });

  it.each([
    [{ propagationPolicy: 'Sideways' }, 422],
    [{ propagationPolicy: 'Orphan', orphanDependents: true }, 422],
    [{ gracePeriodSeconds: 'soon' }, 400],
  ])('%j is refused', async (options, status) => {
    await make('refused');
    expect((await remove(`${MAPS}/refused`, options)).status).toBe(status);
  });
});

describe('preconditions', () => {
  it.each([
    ['uid', 'the UID in the precondition (x) does not match'],
    ['resourceVersion', 'the ResourceVersion in the precondition (x) does not match'],
  ])('on %s must hold', async (field, message) => {
    const { metadata } = await make(`pre-${field.toLowerCase()}`);
    const path = `${MAPS}/${metadata.name}`;
    expect(await remove(path, { preconditions: { [field]: 'x' } })).toMatchObject({
      status: 409,
      body: { reason: 'Conflict', message: expect.stringContaining(message) },
    });
    const holds = { [field]: (metadata as Record<string, unknown>)[field] };
    expect((await remove(path, { preconditions: holds })).status).toBe(200);
  });
});

describe('the grace period of a pod', () => {
  it('is not needed before it has a node', async () => {
    await pod('unscheduled');
    await remove(`${PODS}/unscheduled`, { gracePeriodSeconds: 60 });
    expect(await exists(`${PODS}/unscheduled`)).toBe(false);
  });

  it('is its own unless asked otherwise, and only becomes shorter', async () => {
    await pod('graceful', 'node-1');
    const first = (await remove(`${PODS}/graceful`)).body.metadata;
    expect(first.deletionGracePeriodSeconds).toBe(30);
    const longer = (await remove(`${PODS}/graceful`, { gracePeriodSeconds: 60 })).body.metadata;
    expect(longer).toEqual(first);
    const same = (await remove(`${PODS}/graceful`)).body.metadata;
    expect(same).toEqual(first);
    const shorter = (await remove(`${PODS}/graceful`, { gracePeriodSeconds: 10 })).body.metadata;
    expect(shorter.deletionGracePeriodSeconds).toBe(10);
    // Ten seconds from the first request, not from this one.
    const requestedAt = Date.parse(first.deletionTimestamp as string) - 30_000;
    expect(Date.parse(shorter.deletionTimestamp as string)).toBe(requestedAt + 10_000);
    await remove(`${PODS}/graceful`, { gracePeriodSeconds: 0 });
    expect(await exists(`${PODS}/graceful`)).toBe(false);
  });

  it('counts the beginning of the end as a change of what is wanted', async () => {
    const deployment = '/apis/apps/v1/namespaces/default/deployments';
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
    await post(deployment, {
      metadata: { name: 'ends', finalizers: ['example.com/keep'] },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    });
    expect((await remove(`${deployment}/ends`)).body.metadata.generation).toBe(2);
  });
});

describe('deleting a collection', () => {
  it('takes what its selectors take', async () => {
    await post('/api/v1/namespaces', { metadata: { name: 'many' } });
    const maps = '/api/v1/namespaces/many/configmaps';
    await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        post(maps, { metadata: { name: `m${index}`, labels: { parity: index % 2 ? 'odd' : 'even' } } }),
      ),
    );
    const dry = await remove(maps, undefined, { query: { labelSelector: 'parity=odd', dryRun: 'All' } });
    expect(dry.body.items).toHaveLength(75);
    const odd = await remove(maps, undefined, { query: { labelSelector: 'parity=odd' } });
    expect(odd).toMatchObject({ status: 200, body: { kind: 'ConfigMapList' } });
    expect(odd.body.items).toHaveLength(75);
    await remove(maps, undefined, { query: { fieldSelector: 'metadata.name=m0' } });
    const left = (await get(maps, { query: { labelSelector: 'parity' } })).body.items;
    expect(left).toHaveLength(74);
    expect((await remove(maps)).status).toBe(200);
  });

  it('without carrying it out shows the objects in the version that was asked for', async () => {
    await post('/api/v1/namespaces/default/events', {
      metadata: { name: 'seen', labels: { set: 'seen' } },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      message: 'it was seen',
    });
    const events = '/apis/events.k8s.io/v1/namespaces/default/events';
    const query = { labelSelector: 'set=seen', dryRun: 'All' };
    const { body } = await remove(events, undefined, { query });
    expect(body).toMatchObject({
      kind: 'EventList',
      apiVersion: 'events.k8s.io/v1',
      items: [{ metadata: { name: 'seen' }, note: 'it was seen', regarding: { name: 'p' } }],
    });
    expect(body.items[0]).not.toHaveProperty('kind');
    expect(await exists(`${events}/seen`)).toBe(true);
  });

  it('marks what has finalizers', async () => {
    await make('kept-1', { finalizers: ['example.com/keep'], labels: { set: 'kept' } });
    const { body } = await remove(MAPS, { propagationPolicy: 'Foreground' }, { query: { labelSelector: 'set=kept' } });
    expect(body.items[0]?.metadata.finalizers).toEqual(['example.com/keep', 'foregroundDeletion']);
  });

  it('of a namespace shows in the time of its deletion alone', async () => {
    const { body } = await post('/api/v1/namespaces', { metadata: { name: 'leaving' } });
    const { metadata } = (await remove('/api/v1/namespaces/leaving')).body;
    expect(metadata).toMatchObject({ uid: body.metadata.uid, deletionTimestamp: expect.any(String) });
    expect(metadata).not.toHaveProperty('deletionGracePeriodSeconds');
  });

  it('of a definition shows in the time of its deletion alone', async () => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/goers.delete.example.com';
    const schema = { openAPIV3Schema: { type: 'object' } };
    await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'goers.delete.example.com', finalizers: ['example.com/hold'] },
      spec: {
        group: 'delete.example.com',
        scope: 'Namespaced',
        names: { plural: 'goers', singular: 'goer', kind: 'Goer' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    await remove(path);
    const { metadata } = (await get(path)).body;
    expect(metadata).toMatchObject({ generation: 1, deletionTimestamp: expect.any(String) });
    expect(metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    await patch(path, 'merge', { metadata: { finalizers: null } });
  });

  it('of all namespaces at once is not offered', async () => {
    expect((await remove('/api/v1/configmaps')).status).toBe(405);
  });

  it('with preconditions of one object is refused', async () => {
    const { uid } = server().server.api.core.store.list('core/configmaps/')[0]?.object.metadata ?? {};
    expect((await remove(MAPS, { preconditions: { uid } })).status).toBe(422);
  });
});

it('an update that takes away the last finalizer removes the object', async () => {
  await kept('by-put');
  const { body } = await remove(`${MAPS}/by-put`);
  const { finalizers: _, ...metadata } = body.metadata;
  expect((await put(`${MAPS}/by-put`, { ...body, metadata })).status).toBe(200);
  expect(await exists(`${MAPS}/by-put`)).toBe(false);
});
