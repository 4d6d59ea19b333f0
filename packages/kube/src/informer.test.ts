import { ApiError } from '@vireo/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from './client.ts';
import type { Clock } from './clock.ts';
import { Informer, type InformerOptions } from './informer.ts';
import { Informers } from './informers.ts';
import type { ResourceClient } from './resourceClient.ts';
import { Channel } from './testing/channel.ts';
import { eventually } from './testing/eventually.ts';
import { FakeClock } from './testing/fakeClock.ts';
import { FakeKubernetes } from './testing/fakeKubernetes.ts';
import { fakeTransport } from './testing/fakeTransport.ts';
import { impatientClock } from './testing/impatientClock.ts';
import { ConfigMap, configMap } from './testing/kinds.ts';
import { memoryLog } from './testing/memoryLog.ts';
import type { WatchEvent } from './transport.ts';

let server: FakeKubernetes;
let maps: ResourceClient<ConfigMap>;
let stop: AbortController;
let log: ReturnType<typeof memoryLog>;

beforeEach(() => {
  server = new FakeKubernetes();
  maps = new Client(fakeTransport(server)).of(ConfigMap);
  stop = new AbortController();
  log = memoryLog();
});
afterEach(() => stop.abort());

async function started(options: InformerOptions<ConfigMap> = {}): Promise<Informer<ConfigMap>> {
  const informer = new Informer(maps, { log, clock: impatientClock, ...options });
  informer.start(stop.signal);
  await informer.whenSynced();
  return informer;
}

const names = (informer: Informer<ConfigMap>) => informer.list().map(({ metadata }) => metadata.name);
const watchCalls = () => server.calls.filter(({ query }) => query?.watch);
const listCalls = () => server.calls.filter(({ method, query }) => method === 'GET' && !query?.watch);

describe('Informer', () => {
  it('is in sync with what was there, and follows what comes', async () => {
    await maps.create(configMap('before'));
    const informer = await started();
    expect(informer.hasSynced).toBe(true);
    expect(informer.get('default/before')?.metadata.name).toBe('before');
    await maps.create(configMap('after'));
    await eventually(() => informer.get('default/after') !== undefined);
    await maps.delete('before', { namespace: 'default' });
    await eventually(() => informer.get('default/before') === undefined);
    expect(names(informer)).toEqual(['after']);
  });

  it('streams the first state where the server can, without listing', async () => {
    await maps.create(configMap('a'));
    await started();
    expect(listCalls()).toEqual([]);
    expect(watchCalls()[0]?.query).toMatchObject({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' });
  });

  it('lists in pages where the server refuses to stream, and watches from there', async () => {
    server.streamsLists = false;
    for (let index = 0; index < 501; index++) await maps.create(configMap(`c${String(index).padStart(3, '0')}`));
    const informer = await started();
    expect(informer.list()).toHaveLength(501);
    expect(informer.get('default/c000')).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(listCalls().map(({ query }) => query?.limit)).toEqual([500, 500]);
    await eventually(() => server.openWatches === 1);
    expect(watchCalls().at(-1)?.query).toMatchObject({ resourceVersion: '501', allowWatchBookmarks: true });
  });

  it('falls back to lists when the server ignores the wish and never says that the initial events ended', async () => {
    await maps.create(configMap('a'));
    const watch = server.watch.bind(server);
    server.watch = (call) => watch({ ...call, query: { ...call.query, sendInitialEvents: undefined } });
    const informer = await started();
    expect(names(informer)).toEqual(['a']);
    expect(listCalls()).toHaveLength(1);
  });

  it('takes changes into account that come before the initial events have ended', async () => {
    const versioned = (name: string, resourceVersion: string) => {
      const object = configMap(name);
      return { ...object, metadata: { ...object.metadata, uid: name, resourceVersion } };
    };
    server.watch = () => {
      const channel = new Channel<WatchEvent>();
      channel.push({ type: 'ADDED', object: versioned('a', '1') });
      channel.push({ type: 'ADDED', object: versioned('b', '2') });
      channel.push({ type: 'DELETED', object: versioned('a', '3') });
      channel.push({ type: 'MODIFIED', object: versioned('b', '4') });
      const end = { resourceVersion: '4', annotations: { 'k8s.io/initial-events-end': 'true' } };
      channel.push({ type: 'BOOKMARK', object: { ...configMap(''), metadata: end } });
      return channel;
    };
    const informer = await started();
    expect(informer.list()).toEqual([versioned('b', '4')]);
  });

  it('reads the list in one piece when the pages expire underway', async () => {
    server.streamsLists = false;
    for (let index = 0; index < 501; index++) await maps.create(configMap(`c${index}`));
    server.intercept = ({ query }) => {
      if (!query?.continue) return;
      server.store.append('ADDED', '/configmaps/default/x', configMap('x') as never);
      server.store.compact();
    };
    const informer = await started();
    expect(informer.list()).toHaveLength(502);
    expect(listCalls().map(({ query }) => query?.limit)).toEqual([500, 500, undefined]);
  });

  it('selects', async () => {
    await maps.create(configMap('mine', {}, 'mine'));
    await maps.create(configMap('theirs', {}, 'theirs'));
    const informer = await started({ namespace: 'mine' });
    expect(names(informer)).toEqual(['mine']);
  });

  it('finds objects by index', async () => {
    await maps.create(configMap('a', { colour: 'red' }));
    await maps.create(configMap('b', { colour: 'blue' }));
    const informer = await started({ indexes: { colour: ({ data }) => [data?.colour ?? ''] } });
    expect(informer.byIndex('colour', 'blue').map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  it.each([
    ['HTTP 410 on opening', () => server.breakWatches()],
    ['an ERROR event with code 410', () => server.expireWatches()],
  ])('fetches the state again after %s, and reports what it missed', async (_, interrupt) => {
    await maps.create(configMap('gone'));
    await maps.create(configMap('kept'));
    const informer = await started();
    await eventually(() => server.openWatches === 1);
    const deleted: [string | undefined, boolean][] = [];
    informer.on({ deleted: ({ metadata }, how) => deleted.push([metadata.name, how.finalStateUnknown]) });
    const before = watchCalls().length;
    let isAway = true;
    server.intercept = ({ query }) => {
      if (isAway && query?.watch) throw new ApiError('ServiceUnavailable', 'away');
    };
    interrupt();
    await eventually(() => watchCalls().length > before);
    await maps.delete('gone', { namespace: 'default' });
    await maps.create(configMap('new'));
    server.store.compact();
    isAway = false;
    await eventually(() => informer.get('default/new') !== undefined);
    expect(names(informer)).toEqual(['kept', 'new']);
    expect(deleted).toEqual([['gone', true]]);
  });

  it('resumes from a bookmark, so that a quiet kind need not be fetched again', async () => {
    const informer = await started();
    await eventually(() => server.openWatches === 1);
    server.store.append('ADDED', '/secrets/default/s', configMap('s') as never);
    server.store.compact();
    server.sendBookmarks();
    await maps.create(configMap('a'));
    await eventually(() => informer.get('default/a') !== undefined);
    server.breakWatches();
    await eventually(() => server.openWatches === 1);
    expect(watchCalls().at(-1)?.query).toMatchObject({ resourceVersion: '2' });
    expect(watchCalls().filter(({ query }) => query?.sendInitialEvents)).toHaveLength(1);
  });

  it('renews a watch on which nothing comes any more', async () => {
    const clock = new FakeClock();
    const informer = new Informer(maps, { log, clock });
    informer.start(stop.signal);
    await informer.whenSynced();
    await maps.create(configMap('a'));
    await eventually(() => informer.get('default/a') !== undefined);
    expect(watchCalls()).toHaveLength(1);
    clock.advance(150_000);
    await eventually(() => watchCalls().length === 2);
    expect(watchCalls()[1]?.query).toMatchObject({ resourceVersion: '1' });
    await maps.create(configMap('b'));
    await eventually(() => informer.get('default/b') !== undefined);
  });

  it('goes on when a handler throws, and says on which object it did', async () => {
    const informer = await started();
    const seen: (string | undefined)[] = [];
    informer.on({
      added: () => {
        throw new Error('a bug');
      },
    });
    informer.on({ added: ({ metadata }) => seen.push(metadata.name) });
    await maps.create(configMap('a'));
    await maps.create(configMap('b'));
    await eventually(() => seen.length === 2);
    const message = 'a handler failed on an object being added';
    expect(log.entries.filter(({ level }) => level === 'error')).toMatchObject([
      { message, about: { kind: 'ConfigMap', namespace: 'default', name: 'a' } },
      { message, about: { kind: 'ConfigMap', namespace: 'default', name: 'b' } },
    ]);
  });

  it('tells a late subscriber of what is there, and a former one of nothing', async () => {
    await maps.create(configMap('a'));
    const informer = await started();
    const seen: string[] = [];
    const off = informer.on({ added: ({ metadata }) => seen.push(`+${metadata.name}`) });
    expect(seen).toEqual(['+a']);
    off();
    await maps.create(configMap('b'));
    await eventually(() => informer.get('default/b') !== undefined);
    expect(seen).toEqual(['+a']);
  });

  it('repeats every object at each resync', async () => {
    const clock = new FakeClock();
    await maps.create(configMap('a'));
    const informer = new Informer(maps, { log, clock, resyncSeconds: 60 });
    informer.start(stop.signal);
    await informer.whenSynced();
    const seen: boolean[] = [];
    informer.on({ updated: (old, object) => seen.push(old === object) });
    clock.advance(60_000);
    clock.advance(60_000);
    expect(seen).toEqual([true, true]);
  });

  it('keeps trying while the server refuses, and logs why', async () => {
    server.intercept = () => {
      throw new ApiError('Forbidden', 'configmaps is forbidden: not yet');
    };
    const informer = new Informer(maps, { log, clock: impatientClock });
    informer.start(stop.signal);
    await eventually(() => server.calls.length > 3);
    expect(informer.hasSynced).toBe(false);
    expect(log.entries[0]).toMatchObject({
      level: 'warn',
      message: 'list or watch failed; retrying',
      fields: { resource: 'configmaps' },
    });
    server.intercept = () => {};
    await informer.whenSynced();
  });

  it('does not hammer a server that ends every watch at once', async () => {
    const pauses: number[] = [];
    const clock: Clock = {
      now: () => 0,
      after(ms, run) {
        // The longer ones are the patience with a silent watch.
        if (ms >= 30_000) return () => {};
        pauses.push(ms);
        const immediate = setImmediate(run);
        return () => clearImmediate(immediate);
      },
    };
    const watch = server.watch.bind(server);
    server.streamsLists = false;
    server.watch = (call) => {
      const channel = watch(call);
      channel.end();
      return channel;
    };
    new Informer(maps, { log, clock }).start(stop.signal);
    await eventually(() => pauses.length >= 6);
    expect(watchCalls().length).toBeLessThanOrEqual(pauses.length + 1);
    expect(pauses[5]).toBeGreaterThan(pauses[0]! * 8);
  });

  it('tells whoever waits for it that it was stopped', async () => {
    server.intercept = () => {
      throw new ApiError('ServiceUnavailable', 'away');
    };
    const informer = new Informer(maps, { log, clock: impatientClock });
    informer.start(stop.signal);
    const waiting = informer.whenSynced();
    stop.abort();
    await expect(waiting).rejects.toThrow('the informer for configmaps stopped before it had synced');
  });
});

describe('Informers', () => {
  it('shares one informer a selection, and starts those that are asked for late', async () => {
    const informers = new Informers(new Client(fakeTransport(server)));
    const all = informers.for(ConfigMap);
    expect(informers.for(ConfigMap)).toBe(all);
    informers.start(stop.signal);
    const some = informers.for(ConfigMap, { namespace: 'x' });
    expect(some).not.toBe(all);
    await informers.whenSynced();
    expect([all.hasSynced, some.hasSynced]).toEqual([true, true]);
  });

  it('adds up the indexes of all who ask', async () => {
    const informers = new Informers(new Client(fakeTransport(server)));
    const byColour = ({ data }: ConfigMap) => [data?.colour ?? ''];
    informers.for(ConfigMap);
    const informer = informers.for(ConfigMap, { indexes: { colour: byColour } });
    expect(informer.byIndex('colour', 'red')).toEqual([]);
  });
});
