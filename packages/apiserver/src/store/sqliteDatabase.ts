import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { endOfPrefix, isExactKey } from './keys.ts';
import { FIRST_REVISION } from './log.ts';
import { type LogRow, type Packed, pack, type ReadResult, unpack } from './sqliteProtocol.ts';

/** Version of the tables below. Older ones are brought up to date when opened; newer ones are refused. */
export const SCHEMA_VERSION = 1;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS meta (k TEXT PRIMARY KEY, v INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS log (
    rev INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    create_rev INTEGER NOT NULL,
    prev_rev INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    value BLOB NOT NULL
  );
  CREATE INDEX IF NOT EXISTS log_key ON log (key, rev);
`;

const COLUMNS = `
  log.rev AS revision, log.key, log.create_rev AS createRevision, log.prev_rev AS previousRevision, log.deleted, log.value
`;

interface RawRow {
  readonly revision: number;
  readonly key: string;
  readonly createRevision: number;
  readonly previousRevision: number;
  readonly deleted: number;
  readonly value: Uint8Array;
  readonly previousValue?: Uint8Array | null;
}

/** The log in SQLite. Every call blocks, the appending ones until the disk has it: for a thread of its own. */
export class SqliteDatabase {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #setMeta: StatementSync;

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { timeout: 5000 });
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    this.#upgrade(file);
    this.#insert = this.#db.prepare(
      'INSERT INTO log (rev, key, create_rev, prev_rev, deleted, value) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#setMeta = this.#db.prepare('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET v = excluded.v');
  }

  get compactRevision(): number {
    return this.#meta('compact_rev') ?? 0;
  }

  /** The newest revision. Its row may be gone, if it was a deletion and compacted since. */
  get revision(): number {
    const newest = this.#db.prepare('SELECT max(rev) AS revision FROM log').get() as { revision: number | null };
    return Math.max(newest.revision ?? 0, this.compactRevision, FIRST_REVISION);
  }

  /** The newest version of every object that exists, in key order, `bytesEach` or a little more at a time. */
  *objects(bytesEach: number): Generator<{ rows: LogRow[]; values: Packed }> {
    const newest = this.#db.prepare(`
      SELECT ${COLUMNS} FROM (SELECT max(rev) AS newest FROM log GROUP BY key ORDER BY key) CROSS JOIN log
      ON log.rev = newest WHERE NOT log.deleted
    `);
    let chunk: RawRow[] = [];
    let size = 0;
    for (const row of newest.iterate() as Iterable<RawRow>) {
      chunk.push(row);
      size += row.value.length;
      if (size < bytesEach) continue;
      yield { rows: chunk.map(toLogRow), values: pack(chunk.map((each) => each.value)) };
      chunk = [];
      size = 0;
    }
    yield { rows: chunk.map(toLogRow), values: pack(chunk.map((each) => each.value)) };
  }

  append(rows: readonly LogRow[], values: Packed): void {
    const bytes = unpack(values);
    this.#transaction(() => {
      rows.forEach((row, i) => {
        const { revision, key, createRevision, previousRevision, deleted } = row;
        this.#insert.run(revision, key, createRevision, previousRevision, deleted ? 1 : 0, bytes[i]!);
      });
    });
  }

  /** The next changes below `prefix` in (after, upTo]. `+log.key` keeps SQLite on the primary key: the order is by revision. */
  read(prefix: string, after: number, upTo: number, limit: number): ReadResult {
    const [from, to] = isExactKey(prefix)
      ? [prefix, `${prefix}\0`]
      : [prefix, prefix === '' ? '\u{10ffff}' : endOfPrefix(prefix)];
    const rows = this.#db
      .prepare(`
        SELECT ${COLUMNS}, before.value AS previousValue
        FROM log LEFT JOIN log AS before ON before.rev = log.prev_rev
        WHERE log.rev > ? AND log.rev <= ? AND +log.key >= ? AND +log.key < ? ORDER BY log.rev LIMIT ?
      `)
      .all(after, upTo, from, to, limit) as unknown as RawRow[];
    return {
      rows: rows.map(toLogRow),
      values: pack(rows.map((row) => row.value)),
      previous: pack(rows.map((row) => row.previousValue ?? new Uint8Array())),
    };
  }

  /**
   * Forgets the next `limit` revisions of what was superseded or deleted at `revision`; true when none is left.
   * Rows up to swept_rev are one for each object that existed then. Each later row, oldest first, makes the one before it
   * superfluous, and itself too if it is a deletion: in this order a crash between two steps never revives an object.
   */
  compactStep(revision: number, limit: number): boolean {
    const from = this.#meta('swept_rev') ?? 0;
    const to = Math.min(revision, from + limit);
    this.#transaction(() => {
      if (revision > this.compactRevision) this.#setMeta.run('compact_rev', revision);
      this.#db
        .prepare('DELETE FROM log WHERE rev IN (SELECT prev_rev FROM log WHERE rev > ? AND rev <= ?)')
        .run(from, to);
      this.#db.prepare('DELETE FROM log WHERE rev > ? AND rev <= ? AND deleted').run(from, to);
      this.#setMeta.run('swept_rev', Math.max(from, to));
    });
    return to >= revision;
  }

  /** Makes `revision` the newest one, and all that came before it history that nobody can watch from. */
  startAt(revision: number): void {
    this.#transaction(() => {
      this.#setMeta.run('compact_rev', revision);
      this.#setMeta.run('swept_rev', revision);
    });
  }

  /** Moves the write-ahead log into the database file and empties it. */
  checkpoint(): void {
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.checkpoint();
    this.#db.close();
  }

  #upgrade(file: string): void {
    this.#transaction(() => {
      this.#db.exec(SCHEMA);
      const version = this.#meta('schema_version') ?? SCHEMA_VERSION;
      if (version > SCHEMA_VERSION) {
        throw new Error(
          `${file} has schema version ${version}, but this version supports ${SCHEMA_VERSION}: use the newer version that wrote it`,
        );
      }
      this.#db.prepare("INSERT OR IGNORE INTO meta VALUES ('schema_version', ?)").run(SCHEMA_VERSION);
    });
  }

  #meta(name: string): number | undefined {
    const row = this.#db.prepare('SELECT v FROM meta WHERE k = ?').get(name) as { v: number } | undefined;
    return row?.v;
  }

  #transaction(work: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#db.exec('COMMIT');
    } catch (error) {
      // Some failures have rolled back already.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}

const toLogRow = ({ revision, key, createRevision, previousRevision, deleted }: RawRow): LogRow => ({
  revision,
  key,
  createRevision,
  previousRevision,
  deleted: deleted === 1,
});
