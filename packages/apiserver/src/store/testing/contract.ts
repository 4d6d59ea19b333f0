import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Store, StoreConflict, StoreUnavailable } from '../store.ts';
import { listContract } from './contractList.ts';
import { watchContract } from './contractWatch.ts';
import { body, create, type OpenStore, remove, replace } from './writes.ts';

/** What every store does, whatever it is made of. `open` gives an empty one. */
export function storeContract(name: string, open: OpenStore): void {
  describe(`${name}: writes`, () => writeContract(open));
  describe(`${name}: lists`, () => listContract(open));
  describe(`${name}: watches`, () => watchContract(open));
}

function writeContract(open: OpenStore): void {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  test('an empty store has a revision above 0, which clients take for "any"', () => {
    expect(store.revision).toBeGreaterThan(0);
    expect(store.list('')).toEqual([]);
    expect(store.get('/pods/default/a')).toBeUndefined();
  });

  test('creates, replaces and deletes', async () => {
    const created = await create(store, '/pods/default/a');
    expect(created.object.metadata.resourceVersion).toBe(String(created.revision));
    expect(created.createRevision).toBe(created.revision);
    expect(JSON.parse(created.bytes.toString())).toEqual(created.object);
    expect(store.get('/pods/default/a')).toBe(created);

    const replaced = await replace(store, '/pods/default/a', { value: 2 });
    expect(replaced.revision).toBeGreaterThan(created.revision);
    expect(replaced.createRevision).toBe(created.revision);
    expect(replaced.object.value).toBe(2);

    const deleted = await remove(store, '/pods/default/a');
    expect(deleted.revision).toBeGreaterThan(replaced.revision);
    expect(deleted.object).toEqual({
      ...replaced.object,
      metadata: { ...replaced.object.metadata, resourceVersion: String(deleted.revision) },
    });
    expect(JSON.parse(deleted.bytes.toString())).toEqual(deleted.object);
    expect(store.get('/pods/default/a')).toBeUndefined();
    expect(store.revision).toBe(deleted.revision);

    const again = await create(store, '/pods/default/a');
    expect(again.createRevision).toBe(again.revision);
  });

  test('a write that expects another state is refused, says what is there, and does not call make', async () => {
    const key = '/pods/default/a';
    const refuse = async (expected: number) => {
      const write = store.write(key, expected, () => expect.fail('make was called'));
      const error = await write.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StoreConflict);
      return (error as StoreConflict).current;
    };
    expect(await refuse(7)).toBeUndefined();
    const first = await create(store, key);
    expect(await refuse(0)).toBe(first);
    const second = await replace(store, key);
    expect(await refuse(first.revision)).toBe(second);
    expect(await refuse(second.revision + 1)).toBe(second);
    await remove(store, key);
    expect(await refuse(second.revision)).toBeUndefined();
  });

  test('make is called at once, with revisions in the order of the calls', async () => {
    const revisions: number[] = [];
    const writes = ['a', 'b', 'c'].map((name) =>
      store.write(`/pods/default/${name}`, 0, (revision) => {
        revisions.push(revision);
        return body(name)(revision);
      }),
    );
    expect(revisions).toHaveLength(3);
    const stored = await Promise.all(writes);
    expect(stored.map(({ revision }) => revision)).toEqual(revisions);
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
    expect(new Set(revisions).size).toBe(3);
  });

  test('a write is not visible before it is done', async () => {
    const before = store.revision;
    const write = create(store, '/pods/default/a');
    expect(store.get('/pods/default/a')).toBeUndefined();
    expect(store.count('/pods/')).toBe(0);
    expect(store.revision).toBe(before);
    const { revision } = await write;
    expect(store.revision).toBe(revision);
    expect(store.count('/pods/')).toBe(1);
  });

  test('of writes to one key at once one wins, and the others see it', async () => {
    const key = '/pods/default/a';
    const results = await Promise.allSettled(Array.from({ length: 8 }, (_, value) => create(store, key, { value })));
    expect(results[0]!.status).toBe('fulfilled');
    for (const result of results.slice(1)) {
      expect(result.status).toBe('rejected');
      const { reason } = result as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(StoreConflict);
      expect((reason as StoreConflict).current).toBe(store.get(key));
    }
  });

  test('a replacement that comes second to a deletion finds nothing there', async () => {
    const { revision } = await create(store, '/pods/default/a');
    const deletion = store.write('/pods/default/a', revision, () => undefined);
    const replacement = store.write('/pods/default/a', revision, body('a'));
    await expect(replacement).rejects.toMatchObject({ name: 'StoreConflict', current: undefined });
    await deletion;
  });

  test('what make throws is the caller’s, and the store goes on', async () => {
    const failing = store.write('/pods/default/a', 0, () => {
      throw new Error('no quota');
    });
    await expect(failing).rejects.toThrow('no quota');
    expect(store.get('/pods/default/a')).toBeUndefined();
    expect((await create(store, '/pods/default/a')).revision).toBe(store.revision);
  });

  test('refuses what would break its own rules, and names it', async () => {
    await expect(store.write('/pods/default/a', 0, () => body('a')(1))).rejects.toThrow(
      /^\/pods\/default\/a: .* is 1,/,
    );
    await expect(store.write('/pods/default/a', 0, () => undefined)).rejects.toThrow('cannot delete /pods/default/a');
    for (const key of ['', 'pods', '/pods', '/pods/', '/pods/default/']) {
      await expect(create(store, key)).rejects.toThrow(`${key} is not a key`);
    }
    expect(store.list('')).toEqual([]);
  });

  test('objects are frozen all the way down', async () => {
    const { object } = await create(store, '/pods/default/a', { spec: { list: [{ deep: {} }] } });
    const { spec } = object as unknown as { spec: { list: { deep: object }[] } };
    for (const node of [object, object.metadata, spec, spec.list, spec.list[0], spec.list[0]!.deep]) {
      expect(Object.isFrozen(node)).toBe(true);
    }
  });

  test('compaction keeps every object and forbids nothing but old watches', async () => {
    const kept = await create(store, '/pods/default/kept');
    await create(store, '/pods/default/gone');
    await remove(store, '/pods/default/gone');
    await store.compact(store.revision);
    expect(store.compactRevision).toBe(store.revision);
    expect(store.list('')).toEqual([kept]);
    await expect(store.compact(store.revision + 1)).rejects.toThrow(RangeError);
    await store.compact(1);
    expect(store.compactRevision).toBe(store.revision);
    expect((await replace(store, '/pods/default/kept')).createRevision).toBe(kept.revision);
  });

  test('close waits for the writes under way, and refuses later ones', async () => {
    const first = create(store, '/pods/default/a');
    const second = store.write('/pods/default/b', 0, body('b'));
    const closed = store.close();
    await expect(create(store, '/pods/default/c')).rejects.toBeInstanceOf(StoreUnavailable);
    expect(() => store.watch('', store.revision, () => {})).toThrow(StoreUnavailable);
    await closed;
    expect(store.get('/pods/default/a')).toBe(await first);
    expect(store.get('/pods/default/b')).toBe(await second);
    await store.close();
  });
}
