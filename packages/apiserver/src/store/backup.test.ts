import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { UnknownObject } from '@vireo/api';
import { afterAll, describe, expect, it } from 'vitest';
import { type Adapt, copyStore, objectsOf, writeStore } from './backup.ts';
import { openSqliteStore } from './sqlite.ts';
import { StoreCompacted } from './store.ts';
import { create, remove, replace } from './testing/writes.ts';

const directory = mkdtempSync(join(tmpdir(), 'vireo-backup-'));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;
const newFile = (): string => join(directory, `file-${++files}`);

/** A backup of a store, and the store that is made of it. */
function restored(store: string, adapt: Adapt = () => 'same') {
  using backup = new DatabaseSync(newFile());
  const revision = copyStore(store, backup);
  const file = newFile();
  writeStore(file, objectsOf(backup), revision, adapt);
  return { file, revision };
}

describe('a store that was restored from a backup', () => {
  it('has the objects of the original, which was in use, as they were', async () => {
    const file = newFile();
    const store = await openSqliteStore({ file });
    await create(store, '/t/a', { value: 'ä' });
    await replace(store, '/t/a', { value: 'new' });
    await create(store, '/t/gone');
    await create(store, '/t/b');
    await remove(store, '/t/gone');
    const copy = restored(file);
    expect(copy.revision).toBe(store.revision);
    const again = await openSqliteStore({ file: copy.file });
    expect(again.list('').map(({ key }) => key)).toEqual(['/t/a', '/t/b']);
    for (const { key, object, revision, createRevision } of store.list(''))
      expect(again.get(key)).toMatchObject({ object, revision, createRevision });
    await Promise.all([store.close(), again.close()]);
  });

  it('has what was acknowledged before, while others go on writing', async () => {
    const file = newFile();
    const store = await openSqliteStore({ file });
    await Promise.all(Array.from({ length: 200 }, (_, i) => create(store, `/t/before-${i}`)));
    const meanwhile = Promise.all(Array.from({ length: 200 }, (_, i) => create(store, `/t/later-${i}`)));
    const copy = restored(file);
    await meanwhile;
    await store.close();
    const again = await openSqliteStore({ file: copy.file });
    expect(again.list('').filter(({ key }) => key.startsWith('/t/before-'))).toHaveLength(200);
    await again.close();
  });

  it('is far ahead of the original: nobody watches from a version of it, and versions go on rising', async () => {
    const file = newFile();
    const store = await openSqliteStore({ file });
    const { revision } = await create(store, '/t/a');
    const copy = restored(file);
    const later = await replace(store, '/t/a');
    await store.close();
    const again = await openSqliteStore({ file: copy.file });
    for (const known of [revision, later.revision])
      expect(() => again.watch('', known, () => {})).toThrow(StoreCompacted);
    const write = await create(again, '/t/new');
    expect(write.revision).toBeGreaterThan(1_000_000_000);
    // In one step, not in one for every revision that was skipped.
    await again.compact(again.revision);
    expect(again.list('').map(({ key }) => key)).toEqual(['/t/a', '/t/new']);
    await again.close();
    expect(restored(copy.file).revision).toBe(write.revision);
  });

  it('has other versions of objects that were changed, and lacks those that were left out', async () => {
    const file = newFile();
    const store = await openSqliteStore({ file });
    for (const key of ['/t/changed', '/t/dropped', '/t/same']) await create(store, key);
    const adapt: Adapt = (key, value) => {
      if (key !== '/t/changed') return key === '/t/dropped' ? undefined : 'same';
      return { ...(JSON.parse(Buffer.from(value).toString()) as UnknownObject), value: 2 };
    };
    const copy = restored(file, adapt);
    const again = await openSqliteStore({ file: copy.file });
    expect(again.list('').map(({ key }) => key)).toEqual(['/t/changed', '/t/same']);
    const { object, revision } = again.get('/t/changed')!;
    expect(revision).toBeGreaterThan(store.revision + 1_000_000);
    expect(object).toMatchObject({ value: 2, metadata: { resourceVersion: String(revision) } });
    await Promise.all([store.close(), again.close()]);
  });

  it('is not made of a store that a newer version wrote', async () => {
    const file = newFile();
    await (await openSqliteStore({ file })).close();
    using db = new DatabaseSync(file);
    db.exec("UPDATE meta SET v = 99 WHERE k = 'schema_version'");
    expect(() => restored(file)).toThrow('it has schema version 99, but this version supports 1');
  });
});
