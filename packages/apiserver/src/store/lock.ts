import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Another process (or another store in this one) has the file open. */
export class StoreLocked extends Error {
  readonly file: string;
  /** Process that holds the lock, if it left its number. */
  readonly holder: number | undefined;
  constructor(file: string, holder: number | undefined) {
    const who = holder === undefined ? 'another process' : `process ${holder}`;
    super(`${file} is in use by ${who} (it holds ${file}.lock): stop it first, or choose another home`);
    this.name = 'StoreLocked';
    this.file = file;
    this.holder = holder;
  }
}

export interface StoreLock {
  release(): void;
}

/**
 * Takes `file` for this process, or throws StoreLocked. The lock is the operating system's, on `<file>.lock`, taken
 * through SQLite because Node has no call for it: it ends with the process however that ends. `<file>.pid` only informs.
 * Nothing else may open the lock file: closing any descriptor of it would end the lock of the whole process.
 */
export function lockStore(file: string): StoreLock {
  const lock = openLock(file);
  writeFileSync(`${file}.pid`, `${process.pid}\n`, { mode: 0o600 });
  return {
    release() {
      rmSync(`${file}.pid`, { force: true });
      lock.close();
    },
  };
}

const SQLITE_BUSY = 5;

function openLock(file: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(`${file}.lock`, { timeout: 0 });
    // Whoever can read it can hold a lock on it, and keep the next server out. What SQLite puts beside it has its mode.
    chmodSync(`${file}.lock`, 0o600);
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw new StoreLocked(file, readHolder(`${file}.pid`));
    throw new Error(`cannot lock ${file}.lock: ${(error as Error).message}`, { cause: error });
  }
}

function readHolder(pidFile: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(pidFile, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}
