import {
  ApiError,
  alreadyExists,
  conflict,
  forbidden,
  internalError,
  notFound,
  type Persisted,
  pathNotFound,
} from '@vireo/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from './client.ts';
import { type Controller, type ReconcileOutcome, runController } from './controller.ts';
import { Expectations } from './expectations.ts';
import { Informer } from './informer.ts';
import type { ResourceClient } from './resourceClient.ts';
import { eventually } from './testing/eventually.ts';
import { FakeClock } from './testing/fakeClock.ts';
import { FakeKubernetes } from './testing/fakeKubernetes.ts';
import { fakeTransport } from './testing/fakeTransport.ts';
import { ConfigMap, configMap } from './testing/kinds.ts';
import { memoryLog } from './testing/memoryLog.ts';
import { enqueueKey, enqueueOwner, ownerKey, watch } from './watch.ts';
import { WorkQueue } from './workqueue.ts';

const of = { group: '', resource: 'configmaps' };
const { message, details } = forbidden(of, 'b', 'the namespace is being terminated').status;
const namespaceEnding = new ApiError('Forbidden', message ?? '', {
  ...details,
  causes: [{ reason: 'NamespaceTerminating' }],
});
let server: FakeKubernetes;
let maps: ResourceClient<ConfigMap>;
let informer: Informer<ConfigMap>;
let clock: FakeClock;
let queue: WorkQueue;
let stop: AbortController;
let log: ReturnType<typeof memoryLog>;
let outcomes: ReconcileOutcome[];

beforeEach(() => {
  server = new FakeKubernetes();
  maps = new Client(fakeTransport(server)).of(ConfigMap);
  informer = new Informer(maps);
  clock = new FakeClock();
  queue = new WorkQueue({ clock });
  stop = new AbortController();
  log = memoryLog();
  outcomes = [];
});
afterEach(() => stop.abort());

function run(reconcile: Controller['reconcile'], more: Partial<Controller> = {}): Promise<void> {
  informer.start(stop.signal);
  const metrics = {
    observe: () => {},
    reconciled: (_: string, outcome: ReconcileOutcome) => void outcomes.push(outcome),
  };
  const controller = { name: 'test', for: informer, queue, reconcile, ...more };
  return runController(controller, { log, metrics, clock }, stop.signal);
}

const errors = () => log.entries.filter(({ level }) => level === 'error');

describe('runController', () => {
  it('reconciles what is there only once everything is in sync', async () => {
    await maps.create(configMap('a'));
    const late = new Informer(maps);
    const keys: string[] = [];
    void run(async (key) => void keys.push(key), { reads: [late] });
    await informer.whenSynced();
    await eventually(() => queue.length === 1);
    expect(keys).toEqual([]);
    late.start(stop.signal);
    await eventually(() => keys.length === 1);
    expect(keys).toEqual(['default/a']);
  });

  it('has a queue of its own where it is given none', async () => {
    await maps.create(configMap('a'));
    const keys: string[] = [];
    void run(async (key) => void keys.push(key), { queue: undefined });
    await eventually(() => keys.length === 1);
  });

  it('backs off after an error, reports it with the key, and forgets it on success', async () => {
    await maps.create(configMap('a'));
    let attempts = 0;
    void run(async () => {
      if (++attempts < 3) throw internalError('not yet');
    });
    await eventually(() => outcomes.length === 1);
    clock.advance(4);
    expect(attempts).toBe(1);
    clock.advance(1);
    await eventually(() => outcomes.length === 2);
    clock.advance(10);
    await eventually(() => outcomes.length === 3);
    expect(outcomes).toEqual(['error', 'error', 'success']);
    expect(errors()).toHaveLength(2);
    expect(log.entries[0]).toMatchObject({
      level: 'error',
      about: { kind: 'ConfigMap', namespace: 'default', name: 'a', uid: expect.any(String) },
      fields: { controller: 'test' },
    });
    expect(queue.retries('default/a')).toBe(0);
  });

  it.each([
    ['Conflict', conflict(of, 'a', 'modified')],
    ['AlreadyExists', alreadyExists(of, 'a')],
    ['NotFound of the object, which has been deleted', notFound(of, 'a')],
    ['NotFound of another, which has been deleted', notFound({ group: '', resource: 'pods' }, 'b')],
    ['a namespace that ends', namespaceEnding],
  ])('tries again quietly after %s', async (_, error) => {
    await maps.create(configMap('a'));
    let attempts = 0;
    void run(async () => {
      if (++attempts === 1) throw error;
    });
    await eventually(() => outcomes.length === 1);
    clock.advance(5);
    await eventually(() => outcomes.length === 2);
    expect(outcomes).toEqual(['conflict', 'success']);
    expect(errors()).toEqual([]);
  });

  it('reports at once that a kind is not served', async () => {
    await maps.create(configMap('a'));
    void run(async () => {
      throw pathNotFound();
    });
    await eventually(() => outcomes.length === 1);
    expect(outcomes).toEqual(['error']);
    expect(errors()).toHaveLength(1);
  });

  it.each([
    ['a conflict', alreadyExists(of, 'a')],
    ['something missing', notFound({ group: '', resource: 'secrets' }, 'b')],
  ])('reports %s that never ends', async (_, error) => {
    await maps.create(configMap('a'));
    void run(async () => {
      throw error;
    });
    for (let round = 1; round <= 9; round++) {
      await eventually(() => outcomes.length === round);
      clock.advance(10_000);
    }
    expect(outcomes.slice(7, 9)).toEqual(['conflict', 'error']);
    expect(errors().length).toBeGreaterThanOrEqual(1);
  });

  it('comes back when the reconcile asks for it', async () => {
    await maps.create(configMap('a'));
    let attempts = 0;
    void run(async () => (++attempts === 1 ? { requeueAfterMs: 60_000 } : undefined));
    await eventually(() => outcomes.length === 1);
    clock.advance(59_999);
    expect(queue.length).toBe(0);
    clock.advance(1);
    await eventually(() => outcomes.length === 2);
    expect(outcomes).toEqual(['requeued', 'success']);
  });

  it('a write that can wait waits once, whatever happens meanwhile', async () => {
    await maps.create(configMap('a'));
    const writes: number[] = [];
    void run(async (_, { postpone }) => {
      const later = postpone(3000);
      if (later) return later;
      writes.push(clock.now());
      return undefined;
    });
    await eventually(() => outcomes.length === 1);
    const begun = clock.now();
    clock.advance(2000);
    queue.add('default/a');
    await eventually(() => outcomes.length === 2);
    clock.advance(1000);
    await eventually(() => outcomes.length === 3);
    expect(outcomes).toEqual(['requeued', 'requeued', 'success']);
    expect(writes).toEqual([begun + 3000]);
    queue.add('default/a');
    await eventually(() => outcomes.length === 4);
    expect(outcomes.at(-1)).toBe('requeued');
  });

  it('works on as many keys at once as it may, and never on one key twice', async () => {
    for (const name of ['a', 'b', 'c']) await maps.create(configMap(name));
    const running = new Set<string>();
    const release = Promise.withResolvers<void>();
    void run(
      async (key) => {
        expect(running).not.toContain(key);
        running.add(key);
        await release.promise;
        running.delete(key);
      },
      { concurrency: 2 },
    );
    await eventually(() => running.size === 2);
    queue.add('default/a');
    release.resolve();
    await eventually(() => outcomes.length === 4);
    expect(outcomes).toEqual(['success', 'success', 'success', 'success']);
  });

  it('stops when told, after the running reconcile, and leaves the rest', async () => {
    await maps.create(configMap('a'));
    await maps.create(configMap('b'));
    const started: string[] = [];
    const running = run(async (key, { signal }) => {
      started.push(key);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      throw new Error('interrupted');
    });
    await eventually(() => started.length === 1);
    stop.abort();
    await running;
    expect(started).toEqual(['default/a']);
    expect(errors()).toEqual([]);
  });
});

describe('what a controller watches', () => {
  const keys: string[] = [];
  const reconcile = async (key: string) => void keys.push(key);
  const settled = async (expected: string[]) => {
    await eventually(() => keys.length >= expected.length);
    expect(keys.splice(0).sort()).toEqual(expected);
  };
  const owned = (name: string, owner: string) => ({
    ...configMap(name),
    metadata: {
      name,
      namespace: 'default',
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: 'u', controller: true }],
    },
  });
  const at = { namespace: 'default', type: 'merge' } as const;
  let others: Informer<ConfigMap>;

  beforeEach(() => {
    others = new Informer(maps);
    others.start(stop.signal);
  });

  it('the owner of an object is reconciled with it', async () => {
    void run(reconcile, { owns: [informer] });
    await maps.create(owned('child', 'parent'));
    await settled(['default/child', 'default/parent']);
    await maps.delete('child', at);
    await settled(['default/child', 'default/parent']);
  });

  it('a controller that owns something says what it is for', async () => {
    await expect(run(reconcile, { for: undefined, owns: [informer] })).rejects.toThrow('not the kind that it is for');
  });

  it('creations and deletions of what is owned are noted, and forgotten with the owner', async () => {
    const expectations = new Expectations(clock);
    const key = 'default/parent';
    await maps.create(configMap('parent'));
    void run(reconcile, { owns: [others], expectations });
    await settled([key]);
    expectations.expectCreations(key, 1);
    const { metadata } = await maps.create(owned('child', 'parent'));
    await settled(['default/child', key]);
    expect(expectations.isSatisfied(key)).toBe(true);
    expectations.expectDeletions(key, [metadata.uid]);
    await maps.delete('child', at);
    await settled(['default/child', key]);
    expect(expectations.isSatisfied(key)).toBe(true);
    expectations.expectCreations(key, 1);
    await maps.delete('parent', at);
    await settled([key]);
    expect(expectations.isSatisfied(key)).toBe(true);
  });

  it('a function maps every change to the keys that it concerns', async () => {
    void run(reconcile, { for: undefined, watches: [watch(others, ({ data }) => data?.of?.split(' '))] });
    await maps.create(configMap('a', { of: 'x y' }));
    await settled(['x', 'y']);
    await maps.patch('a', { data: { of: 'z' } }, at);
    await settled(['z']);
    await maps.delete('a', at);
    await settled(['z']);
  });

  it('handlers map some changes, and compare the old object with the new one', async () => {
    const isSame = (old: ConfigMap, now: ConfigMap) => old.data?.size === now.data?.size;
    const handlers = {
      changed: ({ data }: ConfigMap) => `changed ${data?.size}`,
      updated: (old: ConfigMap, now: ConfigMap) => (isSame(old, now) ? undefined : `resized ${now.data?.size}`),
    };
    void run(reconcile, { for: undefined, watches: [watch(others, handlers)] });
    await maps.create(configMap('a', { size: '1' }));
    await settled(['changed 1']);
    await maps.patch('a', { data: { size: '2' } }, at);
    await settled(['changed 2', 'resized 2']);
    await maps.patch('a', { data: { color: 'red' } }, at);
    await settled(['changed 2']);
    await maps.delete('a', at);
    await maps.create(configMap('b', { size: '3' }));
    await settled(['changed 3']);
  });

  it('a key that can wait is reconciled once for all that happened meanwhile', async () => {
    void run(reconcile, { for: undefined, watches: [watch(others, () => ({ key: 'all', afterMs: 200 }))] });
    await maps.create(configMap('a'));
    await maps.create(configMap('b'));
    await eventually(() => others.list().length === 2);
    expect(keys).toEqual([]);
    clock.advance(200);
    await settled(['all']);
  });

  it.each([
    ['its status', {}, 1],
    ['its spec', { generation: 2 }, 0],
    ['its labels', { labels: { app: 'web' } }, 0],
    ['that it is being deleted', { deletionTimestamp: '2026-01-02T03:04:05Z' }, 0],
  ])('an update of %s alone waits only where a change of status may', (_, change, waiting) => {
    const [old, { metadata, ...rest }] = [1, 2].map((version) => ({
      ...configMap('a'),
      metadata: { name: 'a', namespace: 'default', uid: 'u', generation: 1, resourceVersion: `${version}` },
    })) as [Persisted<ConfigMap>, Persisted<ConfigMap>];
    enqueueKey(queue, 200).updated(old, { ...rest, metadata: { ...metadata, ...change } });
    expect([clock.pending, queue.length]).toEqual([waiting, 1 - waiting]);
  });

  it('keys come from elsewhere too, until the end', async () => {
    const ended: string[] = [];
    const running = run(reconcile, {
      sources: [
        (elsewhere) => {
          elsewhere.add('settings');
          return () => void ended.push('settings');
        },
      ],
    });
    await maps.create(configMap('a'));
    await eventually(() => keys.length > 0);
    stop.abort();
    await running;
    expect(keys.splice(0)).toContain('settings');
    expect(ended).toEqual(['settings']);
  });

  it('what to reconcile at the start is asked when everything is in sync', async () => {
    await maps.create(configMap('a'));
    void run(reconcile, { for: undefined, reads: [informer], initialKeys: () => informer.list().map(() => 'orphan') });
    await settled(['orphan']);
  });

  it('an object that is gone is not waited for', async () => {
    await maps.create(configMap('a'));
    void run(async () => (informer.get('default/a') ? { requeueAfterMs: 3_600_000 } : undefined));
    await eventually(() => clock.pending === 1);
    await maps.delete('a', at);
    await eventually(() => outcomes.length === 2);
    expect(clock.pending).toBe(0);
  });
});

describe('owners', () => {
  const replicaSets = { group: 'apps', kind: 'ReplicaSet', namespaced: true };
  const owned = (owner: string, apiVersion = 'apps/v1', controller = true): Persisted => ({
    ...configMap('child'),
    metadata: {
      name: 'child',
      namespace: 'ns',
      uid: 'child',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ownerReferences: [{ apiVersion, kind: 'ReplicaSet', name: owner, uid: 'u', controller }],
    },
  });

  it.each([
    ['the controller of that kind', owned('web'), replicaSets, 'ns/web'],
    ['another version of the kind', owned('web', 'apps/v1beta1'), replicaSets, 'ns/web'],
    ['a kind without namespace', owned('web'), { ...replicaSets, namespaced: false }, 'web'],
    ['another group', owned('web', 'v1'), replicaSets, undefined],
    ['an owner that does not control', owned('web', 'apps/v1', false), replicaSets, undefined],
    ['no owner', configMap('orphan'), replicaSets, undefined],
  ])('%s', (_, object, kind, key) => {
    expect(ownerKey(object, kind)).toBe(key);
  });

  it('wakes both owners of an object that changed hands', () => {
    enqueueOwner(queue, replicaSets).updated(owned('old'), owned('new'));
    expect(queue.length).toBe(2);
  });
});
