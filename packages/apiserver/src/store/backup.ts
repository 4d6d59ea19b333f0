import type { DatabaseSync } from 'node:sqlite';
import type { UnknownObject } from '@vireo/api';
import { SCHEMA_VERSION, SqliteDatabase } from './sqliteDatabase.ts';
import { pack } from './sqliteProtocol.ts';

/** A stored object as a backup has it: the newest version, without its history. */
export interface BackedUpObject {
  readonly revision: number;
  readonly key: string;
  readonly createRevision: number;
  readonly value: Uint8Array;
}

const TABLE = `CREATE TABLE objects (
  revision INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, createRevision INTEGER NOT NULL, value BLOB NOT NULL
)`;

/**
 * Copies every object of the store in `file` to the table `objects` of another database, and returns the store's
 * revision. The store may be in use: this is one transaction, which sees what was acknowledged before it began and
 * nothing that comes later, and holds up no write.
 */
export function copyStore(file: string, target: DatabaseSync): number {
  target.prepare('ATTACH ? AS store').run(file);
  try {
    target.exec('BEGIN');
    const version = target.prepare("SELECT v FROM store.meta WHERE k = 'schema_version'").get()?.v;
    if (version !== SCHEMA_VERSION)
      throw new Error(`it has schema version ${version}, but this version supports ${SCHEMA_VERSION}`);
    target.exec(TABLE);
    target.exec(`
      INSERT INTO objects SELECT log.rev, log.key, log.create_rev, log.value
      FROM (SELECT max(rev) AS newest FROM store.log GROUP BY key) CROSS JOIN store.log ON log.rev = newest
      WHERE NOT log.deleted ORDER BY log.rev
    `);
    const { revision } = target
      .prepare(`
        SELECT max(coalesce((SELECT max(rev) FROM store.log), 0),
                   coalesce((SELECT v FROM store.meta WHERE k = 'compact_rev'), 0)) AS revision
      `)
      .get() as { revision: number };
    target.exec('COMMIT');
    return revision;
  } catch (error) {
    if (target.isTransaction) target.exec('ROLLBACK');
    throw error;
  } finally {
    target.exec('DETACH store');
  }
}

/** The objects that `copyStore` left in a database, oldest change first. */
export function* objectsOf(source: DatabaseSync): Generator<BackedUpObject> {
  const rows = source.prepare('SELECT revision, key, createRevision, value FROM objects ORDER BY revision');
  for (const row of rows.iterate()) yield row as unknown as BackedUpObject;
}

/**
 * So far ahead of the backup a restored store begins. Whoever has seen the original go on after the backup has
 * versions that mean something else here; all of them are now too old to watch from, and get 410.
 */
const AHEAD = 1_000_000_000;
const OBJECTS_EACH = 500;

/** What becomes of an object in a restored store: itself, another object, or undefined to leave it out. */
export type Adapt = (key: string, value: Uint8Array) => 'same' | UnknownObject | undefined;

/** Makes a store in `file` from the objects of one whose newest revision was `revision`. */
export function writeStore(file: string, objects: Iterable<BackedUpObject>, revision: number, adapt: Adapt): void {
  const store = new SqliteDatabase(file);
  try {
    let next = revision + AHEAD;
    const changed: BackedUpObject[] = [];
    let batch: BackedUpObject[] = [];
    const write = (): void => {
      store.append(
        batch.map((each) => ({ ...each, previousRevision: 0, deleted: false })),
        pack(batch.map(({ value }) => value)),
      );
      batch = [];
    };
    for (const object of objects) {
      const wanted = adapt(object.key, object.value);
      if (wanted === 'same') batch.push(object);
      // Another object is another version: a client that knows this one must not take it for the same.
      else if (wanted !== undefined) changed.push(versionOf(object, wanted, ++next));
      if (batch.length >= OBJECTS_EACH) write();
    }
    batch.push(...changed);
    write();
    store.startAt(next);
  } finally {
    store.close();
  }
}

function versionOf(old: BackedUpObject, object: UnknownObject, revision: number): BackedUpObject {
  const versioned = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
  return { ...old, revision, value: Buffer.from(JSON.stringify(versioned)) };
}
