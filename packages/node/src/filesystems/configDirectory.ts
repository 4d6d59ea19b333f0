import { chmod, lchown, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Files } from '../disks/objectDisc.ts';

/** The link to the present state of a volume, by kubelets' name: what guests know of pods is true here as well. */
const DATA = '..data';

/** Whom the files are to belong to, and who may read them. */
export interface FileRights {
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  readonly mode: number;
}

/**
 * Writes files into a directory so that whoever reads it sees either all of the old ones or all of the new ones: the
 * names are links into a directory that is exchanged as a whole. Says whether anything has changed.
 */
export async function writeConfigDirectory(directory: string, files: Files, rights: FileRights): Promise<boolean> {
  const give = async (path: string, mode?: number): Promise<void> => {
    if (rights.owner) await lchown(path, rights.owner.uid, rights.owner.gid);
    if (mode !== undefined) await chmod(path, mode);
  };
  const makeDirectory = async (path: string): Promise<void> => {
    if ((await mkdir(path, { recursive: true })) !== undefined) await give(path, 0o755);
  };
  await makeDirectory(directory);
  const before = await readlink(join(directory, DATA)).catch(() => undefined);
  if (before !== undefined && (await hasFiles(join(directory, before), files))) return false;
  const name = `..${new Date().toISOString().replace(/[^0-9]/g, '_')}${Math.random().toString(36).slice(2, 8)}`;
  const next = join(directory, name);
  await makeDirectory(next);
  for (const [path, content] of Object.entries(files)) {
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1))
      await makeDirectory(join(next, path.slice(0, at)));
    await writeFile(join(next, path), content, { mode: 0o600 });
    await give(join(next, path), rights.mode);
  }
  await replaceLink(name, join(directory, DATA), give);
  const shown = new Set(Object.keys(files).map((path) => path.split('/')[0] ?? ''));
  for (const entry of await readdir(directory))
    if (entry !== DATA && entry !== name && !shown.has(entry))
      await rm(join(directory, entry), { recursive: true, force: true });
  for (const entry of shown) await replaceLink(join(DATA, entry), join(directory, entry), give);
  return true;
}

async function replaceLink(target: string, path: string, give: (path: string) => Promise<void>): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === target) return;
  const making = join(dirname(path), '..making');
  await rm(making, { force: true });
  await symlink(target, making);
  await give(making);
  await rename(making, path);
}

/** Whether a directory has these files and no others. */
async function hasFiles(directory: string, files: Files): Promise<boolean> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  if (entries.filter((entry) => entry.isFile()).length !== Object.keys(files).length) return false;
  for (const [path, content] of Object.entries(files)) {
    const found = await readFile(join(directory, path)).catch(() => undefined);
    if (!found?.equals(Buffer.from(content as Uint8Array))) return false;
  }
  return true;
}
