import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type BackedUpObject, objectsOf } from '@vireo/apiserver/store/backup.ts';
import { Failure } from '../../failure.ts';

/** Version of the layout below. Others are refused. */
const FORMAT = 1;

/** What a backup says of itself. */
export interface About {
  readonly format: number;
  readonly createdAt: string;
  /** Of the Vireo that wrote it. */
  readonly version: string;
  readonly home: string;
  /** The host that it was made on: its name and, where it has one, its machine id. */
  readonly host: string;
  /** The newest revision of the store. */
  readonly revision: number;
}

/** A file of the home, by its path below it. */
export interface HomeFile {
  readonly path: string;
  readonly mode: number;
  readonly bytes: Uint8Array;
}

/** Adds the files and what the backup says of itself to a database that has the objects, and seals all of it. */
export function seal(db: DatabaseSync, about: Omit<About, 'format'>, files: Iterable<HomeFile>): void {
  db.exec('BEGIN');
  db.exec('CREATE TABLE files (path TEXT PRIMARY KEY, mode INTEGER NOT NULL, bytes BLOB NOT NULL)');
  db.exec('CREATE TABLE backup (about TEXT NOT NULL, digest TEXT NOT NULL)');
  const insert = db.prepare('INSERT INTO files VALUES (?, ?, ?)');
  for (const { path, mode, bytes } of files) insert.run(path, mode, bytes);
  const text = JSON.stringify({ format: FORMAT, ...about });
  db.prepare('INSERT INTO backup VALUES (?, ?)').run(text, digestOf(db, text));
  db.exec('COMMIT');
}

/** A backup that was checked whole. */
export interface Backup extends Disposable {
  readonly about: About;
  files(): HomeFile[];
  objects(): Iterable<BackedUpObject>;
}

/** Opens a backup and checks every byte that a restore uses. */
export function openBackup(file: string): Backup {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { readOnly: true });
    const about = checked(db);
    const opened = db;
    return {
      about,
      files: () => filesOf(opened),
      objects: () => objectsOf(opened),
      [Symbol.dispose]: () => opened.close(),
    };
  } catch (error) {
    db?.close();
    if (error instanceof Failure) throw error;
    throw new Failure(`${file} is not a backup of Vireo, or it is damaged: ${(error as Error).message}`);
  }
}

function checked(db: DatabaseSync): About {
  const [row] = db.prepare('SELECT about, digest FROM backup').all() as { about: string; digest: string }[];
  const about = JSON.parse(row?.about ?? 'null') as About;
  if (about?.format !== FORMAT) {
    throw new Failure(
      `the backup has format ${about?.format}, but this version of Vireo reads format ${FORMAT}`,
      `It was written by Vireo ${about?.version}: restore it with that version.`,
    );
  }
  const [{ integrity_check: verdict } = { integrity_check: 'nothing' }] = db
    .prepare('PRAGMA integrity_check')
    .all() as {
    integrity_check: string;
  }[];
  if (verdict !== 'ok') throw new Error(verdict);
  if (digestOf(db, row?.about ?? '') !== row?.digest) throw new Error('its contents do not match its digest');
  return about;
}

const filesOf = (db: DatabaseSync): HomeFile[] =>
  db.prepare('SELECT path, mode, bytes FROM files ORDER BY path').all() as unknown as HomeFile[];

/** Of everything in a backup, so that one byte that changed is noticed. */
function digestOf(db: DatabaseSync, about: string): string {
  const hash = createHash('sha256');
  const add = (head: readonly (string | number)[], bytes: Uint8Array): void => {
    hash.update(`${JSON.stringify([...head, bytes.length])}\n`).update(bytes);
  };
  add(['about'], Buffer.from(about));
  for (const { path, mode, bytes } of filesOf(db)) add([path, mode], bytes);
  for (const { revision, key, createRevision, value } of objectsOf(db)) add([revision, key, createRevision], value);
  return hash.digest('hex');
}
