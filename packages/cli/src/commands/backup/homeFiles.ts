import { readdirSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import { Failure } from '../../failure.ts';
import type { HomeFile } from './format.ts';
import { isOfRestore } from './journal.ts';

/** Data of VMs, which can be of any size, and what a server makes again by itself. */
const VM_DATA = ['volumes', 'images', 'machines', 'snapshots'];
const MADE_AGAIN = ['libvirt', 'server.json'];
/** No file that a restore needs is as large. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Directories of a home whose contents no backup has. */
export const NOT_BACKED_UP: readonly string[] = VM_DATA;

/** Whether an entry of a home is part of what a backup has and a restore replaces, beside the store. */
export const isState = (name: string): boolean =>
  ![...VM_DATA, ...MADE_AGAIN].includes(name) &&
  !isOfStore(name) &&
  !isOfRestore(name) &&
  !/\.log(\.|$)|^server\.json\./.test(name);

/** The store's files: a backup has its objects instead. */
export const isOfStore = (name: string): boolean => /^store\.db(-|\.|$)/.test(name);

/** Keys, certificates, tokens and lists of a home: everything but the store and the data of VMs. */
export function homeFiles(home: string, leaveOut: (what: string) => void): HomeFile[] {
  const files: HomeFile[] = [];
  const visit = (directory: string): void => {
    for (const entry of readdirSync(join(home, directory), { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (directory === '' && !isState(entry.name)) continue;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) take(path);
      else if (entry.isSymbolicLink()) leaveOut(`${path} is a symbolic link`);
    }
  };
  const take = (path: string): void => {
    const { size, mode } = statSync(join(home, path));
    if (size > MAX_BYTES) leaveOut(`${path} is larger than ${MAX_BYTES / 1024 / 1024} MiB`);
    else files.push({ path, mode: mode & 0o777, bytes: readFileSync(join(home, path)) });
  };
  visit('');
  return files;
}

/** Refuses a file that would not be below the home, or be part of its state. */
export function checkPath(path: string): void {
  const [first = ''] = path.split('/');
  if (isAbsolute(path) || normalize(path) !== path || /(^|\/)\.\.?(\/|$)|\0/.test(path) || !isState(first))
    throw new Failure(`the backup has a file that does not belong in a home: ${JSON.stringify(path)}`);
}
