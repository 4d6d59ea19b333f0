import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Store, StoreCompacted, type StoreEvent } from '../store.ts';
import { create, follow, type OpenStore, remove, replace } from './writes.ts';

/** Watching by prefix, from now and from the past. */
export function watchContract(open: OpenStore): void {
  let store: Store;
  const errors: unknown[] = [];
  beforeEach(async () => {
    errors.length = 0;
    store = await open((error) => errors.push(error));
  });
  afterEach(() => store.close());

  test('events carry the new and the previous version', async () => {
    const watch = follow(store, '/pods/', store.revision);
    const created = await create(store, '/pods/a/x', { value: 1 });
    const replaced = await replace(store, '/pods/a/x', { value: 2 });
    const deleted = await remove(store, '/pods/a/x');
    expect(watch.events).toEqual([
      { type: 'ADDED', revision: created.revision, key: '/pods/a/x', current: created, previous: undefined },
      { type: 'MODIFIED', revision: replaced.revision, key: '/pods/a/x', current: replaced, previous: created },
      { type: 'DELETED', revision: deleted.revision, key: '/pods/a/x', current: deleted, previous: replaced },
    ]);
    expect(watch.events[2]!.current.object.value).toBe(2);
    expect(watch.events[2]!.current.object.metadata.resourceVersion).toBe(String(deleted.revision));
  });

  test('the event comes before the answer to the writer, and finds its own state', async () => {
    const seen: number[] = [];
    store.watch('/pods/', store.revision, (event) => {
      expect(store.revision).toBe(event.revision);
      expect(store.get(event.key)).toBe(event.current);
      seen.push(event.revision);
    });
    const writes = await Promise.all(['x', 'y', 'z'].map((name) => create(store, `/pods/a/${name}`)));
    expect(seen).toEqual(writes.map(({ revision }) => revision));
    expect(errors).toEqual([]);
  });

  test.each([
    ['', ['/namespaces/a', '/pods/a/x', '/pods/a/xy', '/pods/b/x', 'apps/deployments/a/x']],
    ['/', ['/namespaces/a', '/pods/a/x', '/pods/a/xy', '/pods/b/x']],
    ['/pods/', ['/pods/a/x', '/pods/a/xy', '/pods/b/x']],
    ['/pods/a/', ['/pods/a/x', '/pods/a/xy']],
    ['/pods/a/x', ['/pods/a/x']],
    ['/pods/a', []],
    ['apps/', ['apps/deployments/a/x']],
  ])('a watch of %j sees %j, live and from the past', async (prefix, expected) => {
    const since = store.revision;
    const live = follow(store, prefix, since);
    for (const key of ['/namespaces/a', '/pods/a/x', '/pods/a/xy', '/pods/b/x', 'apps/deployments/a/x']) {
      await create(store, key);
    }
    const past = follow(store, prefix, since);
    const end = follow(store, '', since);
    await end.reached(store.revision);
    expect(live.events.map(({ key }) => key)).toEqual(expected);
    expect(past.lines()).toEqual(live.lines());
  });

  test('a watch from any revision sees each change once and in order, while writes go on', async () => {
    const first = store.revision;
    const all = follow(store, '', first);
    const watches = [];
    for (let round = 0; round < 10; round++) {
      const writes = Array.from({ length: 5 }, (_, i) => create(store, `/pods/a/${round}-${i}`));
      for (let since = first; since <= store.revision; since += 7) watches.push({ since, ...follow(store, '', since) });
      await Promise.all(writes);
    }
    expect(all.events).toHaveLength(50);
    for (const watch of watches) {
      await watch.reached(store.revision);
      expect(watch.lines()).toEqual(all.lines().slice(-watch.events.length));
      expect(watch.events[0]!.revision).toBe(all.events.find(({ revision }) => revision > watch.since)!.revision);
    }
  });

  test('the listener is not called before watch has returned', async () => {
    await create(store, '/pods/a/x');
    let returned = false;
    const seen = Promise.withResolvers<boolean>();
    store.watch('/pods/', 1, () => seen.resolve(returned));
    returned = true;
    expect(await seen.promise).toBe(true);
  });

  test('a closed watch sees nothing more, even of the past it was about to be told', async () => {
    await create(store, '/pods/a/x');
    const past = follow(store, '/pods/', 1);
    past.close();
    const live = follow(store, '/pods/', store.revision);
    live.close();
    const open = follow(store, '/pods/', 1);
    await create(store, '/pods/a/y');
    await open.reached(store.revision);
    expect([...past.lines(), ...live.lines()]).toEqual([]);
    expect(open.events).toHaveLength(2);
  });

  test('a watch from a revision to come starts there', async () => {
    const watch = follow(store, '/pods/', store.revision + 2);
    for (const name of ['u', 'v', 'w']) await create(store, `/pods/a/${name}`);
    expect(watch.events.map(({ key }) => key)).toEqual(['/pods/a/w']);
  });

  test('a listener that throws does not hurt the others', async () => {
    store.watch('/pods/', store.revision, () => {
      throw new Error('clumsy');
    });
    const other = follow(store, '/pods/', store.revision);
    await create(store, '/pods/a/x');
    await create(store, '/pods/a/y');
    expect(other.events).toHaveLength(2);
    expect(errors.map(String)).toEqual(['Error: clumsy', 'Error: clumsy']);
  });

  test('a listener may start and close watches', async () => {
    const inner: StoreEvent[] = [];
    const start = store.revision;
    const outer = store.watch('/pods/', start, () => {
      outer.close();
      store.watch('/pods/', start, (event) => inner.push(event));
      store.watch('/pods/', store.revision, (event) => inner.push(event));
    });
    const first = await create(store, '/pods/a/x');
    const second = await create(store, '/pods/a/y');
    await follow(store, '/pods/', start).reached(second.revision);
    expect(inner.map(({ revision }) => revision)).toEqual([first.revision, second.revision, second.revision]);
  });

  test('a watch from before the compaction is refused, one from it on is whole', async () => {
    await create(store, '/pods/a/x');
    const compacted = (await replace(store, '/pods/a/x', { value: 2 })).revision;
    const after = await replace(store, '/pods/a/x', { value: 3 });
    const early = follow(store, '/pods/', 1);
    await store.compact(compacted);
    expect(() => store.watch('/pods/', compacted - 1, () => {})).toThrow(StoreCompacted);
    const watch = follow(store, '/pods/', compacted);
    await watch.reached(after.revision);
    expect(watch.lines()).toEqual([`MODIFIED /pods/a/x@${after.revision}`]);
    expect(watch.events[0]!.previous?.object.value).toBe(2);
    await early.reached(after.revision);
    expect(early.events).toHaveLength(3);
  });
}
