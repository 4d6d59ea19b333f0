import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
 */
export function lockStore(file: string): StoreLock {
  closeSync(openSync(`${file}.lock`, 'a', 0o600));
  const lock = new DatabaseSync(`${file}.lock`, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new StoreLocked(file, readHolder(`${file}.pid`));
  }
  writeFileSync(`${file}.pid`, `${process.pid}\n`, { mode: 0o600 });
  return {
    release() {
      rmSync(`${file}.pid`, { force: true });
      lock.close();
    },
  };
}

const SQLITE_BUSY = 5;

function readHolder(pidFile: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(pidFile, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
}
