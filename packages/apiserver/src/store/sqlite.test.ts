import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { openSqliteStore } from './sqlite.ts';
import { StoreCompacted, StoreUnavailable } from './store.ts';
import { storeContract } from './testing/contract.ts';
import { body, create, follow, remove, replace } from './testing/writes.ts';

const home = mkdtempSync(join(tmpdir(), 'vireo-store-'));
afterAll(() => rmSync(home, { recursive: true }));
let files = 0;
const newFile = (): string => join(home, `store-${++files}.db`);

storeContract('sqlite', (onError) => openSqliteStore({ file: newFile(), onError }));
storeContract('sqlite with almost no events in memory', (onError) =>
  openSqliteStore({ file: newFile(), onError, recentEvents: 2 }),
);

describe('opened again', () => {
  test('a store has its objects, revisions and history', async () => {
    const file = newFile();
    const first = await openSqliteStore({ file });
    const live = follow(first, '', first.revision);
    await create(first, '/pods/a/x', { value: 'ä€😀' });
    await replace(first, '/pods/a/x', { value: [1] });
    await create(first, '/pods/a/y');
    await remove(first, '/pods/a/y');
    await first.close();

    const second = await openSqliteStore({ file });
    expect(second.revision).toBe(first.revision);
    expect(second.list('').map(({ key, revision, createRevision }) => ({ key, revision, createRevision }))).toEqual(
      first.list('').map(({ key, revision, createRevision }) => ({ key, revision, createRevision })),
    );
    expect(second.get('/pods/a/x')!.object).toEqual(first.get('/pods/a/x')!.object);
    expect(Object.isFrozen(second.get('/pods/a/x')!.object.value)).toBe(true);
    expect(second.get('/pods/a/y')).toBeUndefined();
    const past = follow(second, '', 0);
    await past.reached(second.revision);
    expect(past.lines()).toEqual(live.lines());
    expect(past.events.map(plain)).toEqual(live.events.map(plain));
    expect((await create(second, '/pods/a/z')).revision).toBe(first.revision + 1);
    await second.close();
  });

  test('a store does not use the revision of a compacted deletion again', async () => {
    const file = newFile();
    const first = await openSqliteStore({ file });
    await create(first, '/pods/a/x');
    const { revision } = await remove(first, '/pods/a/x');
    await first.compact(revision);
    await first.close();
    const second = await openSqliteStore({ file });
    expect(second.revision).toBe(revision);
    expect(second.compactRevision).toBe(revision);
    expect(() => second.watch('', revision - 1, () => {})).toThrow(StoreCompacted);
    await second.close();
  });

  test('a store that was closed left no write-ahead log, and files that only their owner reads', async () => {
    const file = newFile();
    const store = await openSqliteStore({ file });
    await create(store, '/secrets/a/x');
    for (const each of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(each).mode & 0o777).toBe(0o600);
    await store.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(existsSync(`${file}.pid`)).toBe(false);
  });

  test('a store of a newer version is refused, and left alone', async () => {
    const file = newFile();
    await (await openSqliteStore({ file })).close();
    const db = new DatabaseSync(file);
    db.exec("UPDATE meta SET v = 99 WHERE k = 'schema_version'");
    db.close();
    await expect(openSqliteStore({ file })).rejects.toThrow(
      `${file} has schema version 99, but this version supports 1`,
    );
    await expect(openSqliteStore({ file })).rejects.toThrow('schema version 99');
  });

  test('what is not a database is refused with its name', async () => {
    const file = newFile();
    writeFileSync(file, 'kind: Config\n'.repeat(1000));
    await expect(openSqliteStore({ file })).rejects.toThrow(`cannot open the store ${file}: file is not a database`);
    await expect(openSqliteStore({ file: join(home, 'no/such/store.db') })).rejects.toThrow(
      'no/such/store.db.lock: unable to open',
    );
  });
});

describe('compaction', () => {
  const rows = (file: string): string[] => {
    const db = new DatabaseSync(file, { readOnly: true });
    const found = db.prepare('SELECT key, rev, deleted FROM log ORDER BY rev').all();
    db.close();
    return found.map(({ key, rev, deleted }) => `${key}@${rev}${deleted ? ' deleted' : ''}`);
  };

  test('keeps what existed at its revision, and everything after', async () => {
    const file = newFile();
    const store = await openSqliteStore({ file });
    await create(store, '/t/a'); // 2
    await replace(store, '/t/a'); // 3
    await create(store, '/t/b'); // 4
    await remove(store, '/t/b'); // 5
    await create(store, '/t/c'); // 6
    await replace(store, '/t/a'); // 7
    await remove(store, '/t/c'); // 8
    await store.compact(6);
    expect(rows(file)).toEqual(['/t/a@3', '/t/c@6', '/t/a@7', '/t/c@8 deleted']);
    await store.compact(8);
    expect(rows(file)).toEqual(['/t/a@7']);
    expect(statSync(`${file}-wal`).size).toBe(0);
    await store.close();
  });

  test('waits for watches that read older history, and they see all of it and what is written meanwhile', async () => {
    const store = await openSqliteStore({ file: newFile(), recentEvents: 2 });
    const live = follow(store, '', store.revision);
    const keys = Array.from({ length: 400 }, (_, i) => `/t/${i}`);
    await Promise.all(keys.map((key) => create(store, key)));
    for (let round = 0; round < 3; round++) await Promise.all(keys.map((key) => replace(store, key, { round })));
    const past = follow(store, '', 0);
    const compaction = store.compact(store.revision);
    await Promise.all(keys.slice(0, 50).map((key) => replace(store, key)));
    await compaction;
    await past.reached(store.revision);
    expect(past.lines()).toHaveLength(1650);
    expect(past.lines()).toEqual(live.lines());
    expect(past.events.map(plain)).toEqual(live.events.map(plain));
    await store.close();
  });

  test('happens by itself, and leaves the history that was asked for', async () => {
    const file = newFile();
    const store = await openSqliteStore({ file, historyMs: 0, compactEveryMs: 5 });
    await create(store, '/t/a');
    const { revision } = await replace(store, '/t/a');
    await expect.poll(() => store.compactRevision).toBe(revision);
    await expect.poll(() => rows(file)).toEqual([`/t/a@${revision}`]);
    await store.close();

    const patient = await openSqliteStore({ file, historyMs: 3_600_000, compactEveryMs: 1 });
    const before = patient.compactRevision;
    for (let i = 0; i < 20; i++) await replace(patient, '/t/a');
    expect(patient.compactRevision).toBe(before);
    await patient.close();
  });

  test('over many steps leaves room for writes, and goes on after a close in the middle', async () => {
    const file = newFile();
    const first = await openSqliteStore({ file });
    await Promise.all(Array.from({ length: 5000 }, (_, i) => create(first, `/t/${i}`)));
    await Promise.all(Array.from({ length: 5000 }, (_, i) => remove(first, `/t/${i}`)));
    const kept = await create(first, '/t/kept');
    const compaction = first.compact(first.revision);
    await create(first, '/t/meanwhile');
    await Promise.all([compaction, first.close()]);

    const second = await openSqliteStore({ file });
    expect(second.list('').map(({ key }) => key)).toEqual(['/t/kept', '/t/meanwhile']);
    expect(second.compactRevision).toBe(kept.revision);
    await second.compact(second.revision);
    expect(rows(file)).toHaveLength(2);
    await second.close();
  });
});

describe('a disk that refuses', () => {
  /** Makes the database fail for some keys, as a full disk would. */
  const refuseWrites = (file: string): (() => void) => {
    const db = new DatabaseSync(file, { timeout: 5000 });
    db.exec(`CREATE TRIGGER refuse BEFORE INSERT ON log WHEN NEW.key LIKE '%poison%'
      BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
    return () => {
      db.exec('DROP TRIGGER refuse');
      db.close();
    };
  };

  test('fails the writes of that batch, shows none of them, and takes later ones', async () => {
    const file = newFile();
    const store = await openSqliteStore({ file });
    const watch = follow(store, '', store.revision);
    const before = await create(store, '/t/before');
    const heal = refuseWrites(file);

    const neighbour = create(store, '/t/neighbour');
    const poison = create(store, '/t/poison');
    // Waits for the first one, then tries in its turn.
    const second = create(store, '/t/poison');
    const failed = await Promise.allSettled([neighbour, poison]);
    for (const [i, key] of ['/t/neighbour', '/t/poison'].entries()) {
      const { reason } = failed[i] as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(StoreUnavailable);
      expect(String(reason.message)).toBe(`${key} was not stored: database or disk is full`);
      expect(reason.cause).toMatchObject({ message: 'database or disk is full' });
    }
    await expect(second).rejects.toBeInstanceOf(StoreUnavailable);
    expect(store.revision).toBe(before.revision);
    expect(store.list('')).toEqual([before]);

    const later = await create(store, '/t/later');
    heal();
    const healed = await create(store, '/t/poison');
    expect(watch.events.map(({ key }) => key)).toEqual(['/t/before', '/t/later', '/t/poison']);
    expect(healed.revision).toBeGreaterThan(later.revision);
    await store.close();

    const again = await openSqliteStore({ file });
    const past = follow(again, '', 0);
    await past.reached(healed.revision);
    expect(past.lines()).toEqual(watch.lines());
    await again.close();
  });

  test('a batch that gathered while another failed is stored', async () => {
    const file = newFile();
    const store = await openSqliteStore({ file });
    const heal = refuseWrites(file);
    const failing = create(store, '/t/poison');
    // The first batch leaves in the next turn of the event loop; this write joins the one after it.
    await new Promise((resolve) => setImmediate(resolve));
    const gathered = store.write('/t/gathered', 0, body('gathered'));
    await expect(failing).rejects.toBeInstanceOf(StoreUnavailable);
    const { revision } = await gathered;
    expect(store.revision).toBe(revision);
    heal();
    await store.close();
  });
});

const plain = ({ type, current, previous }: ReturnType<typeof follow>['events'][number]) => ({
  type,
  current: JSON.parse(current.bytes.toString()),
  previous: previous && JSON.parse(previous.bytes.toString()),
});
