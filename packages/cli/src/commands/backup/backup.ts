import { chmodSync, closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { copyStore } from '@vireo/apiserver/store/backup.ts';
import { diskUseBytes, formatBytes } from '../../diskUse.ts';
import { formatDuration } from '../../duration.ts';
import { errorCode, Failure, fileProblem } from '../../failure.ts';
import { version } from '../../version.ts';
import { seal } from './format.ts';
import { homeFiles, NOT_BACKED_UP } from './homeFiles.ts';
import { hostIdentity } from './hostIdentity.ts';
import { isRestoreUnfinished } from './journal.ts';

/** Writes a backup of a home to a new file. A server on it goes on as before. */
export async function backup(file: string, { home }: { home: string }): Promise<void> {
  const startedAt = performance.now();
  const path = resolve(file);
  const store = join(home, 'store.db');
  if (!existsSync(store))
    throw new Failure(`there is nothing to back up in ${home}`, 'Choose another home: --home DIRECTORY');
  if (isRestoreUnfinished(home))
    throw new Failure(`a restore of ${home} is not finished`, 'The next `vireo up` on this home finishes it.');
  if (existsSync(path)) throw new Failure(`${path} already exists`, 'Choose another file.');
  const leftOut: string[] = [];
  try {
    const { objects, files } = write(path, home, store, (what) => leftOut.push(what));
    const size = formatBytes(statSync(path).size);
    console.log(
      `Backed up ${objects} objects, and ${files} files with keys and settings, of ${home} in ` +
        `${formatDuration(performance.now() - startedAt)}: ${path} (${size}).`,
    );
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'EROFS', 'ENOSPC'].includes(errorCode(error) ?? ''))
      throw new Failure(`the backup cannot be written: ${fileProblem(error)}`);
    throw error;
  }
  console.log('Only you can read it, and nobody else should: it contains every Secret and the keys of the server.');
  for (const what of leftOut) console.log(`Left out: ${what}`);
  const data = await vmData(home);
  console.log(`Data of VMs is not in it${data.length > 0 ? `; copy it separately: ${data.join(', ')}` : '.'}`);
}

/** Under another name until it is whole. */
function write(path: string, home: string, store: string, leaveOut: (what: string) => void) {
  const draft = `${path}.partial`;
  rmSync(draft, { force: true });
  // Nobody else may read it, not even while it is written.
  closeSync(openSync(draft, 'wx', 0o600));
  try {
    const db = new DatabaseSync(draft, { timeout: 60_000 });
    const counts = { objects: 0, files: 0 };
    try {
      db.exec('PRAGMA synchronous = FULL');
      const revision = copied(store, db);
      const files = homeFiles(home, leaveOut);
      const createdAt = new Date().toISOString();
      seal(db, { createdAt, version, home, host: hostIdentity(), revision }, files);
      counts.files = files.length;
      counts.objects = Number(db.prepare('SELECT count(*) AS n FROM objects').get()?.n);
    } finally {
      db.close();
    }
    chmodSync(draft, 0o600);
    renameSync(draft, path);
    return counts;
  } catch (error) {
    rmSync(draft, { force: true });
    rmSync(`${draft}-journal`, { force: true });
    throw error;
  }
}

function copied(store: string, db: DatabaseSync): number {
  try {
    return copyStore(store, db);
  } catch (error) {
    throw new Failure(`the store ${store} cannot be backed up: ${(error as Error).message}`);
  }
}

/** The directories with data of VMs that are not empty, and how much it is. */
async function vmData(home: string): Promise<string[]> {
  const sizes = await Promise.all(
    NOT_BACKED_UP.map(async (name) => ({ name, bytes: await diskUseBytes(join(home, name)) })),
  );
  return sizes.filter(({ bytes }) => bytes > 0).map(({ name, bytes }) => `${name}/ (${formatBytes(bytes)})`);
}
