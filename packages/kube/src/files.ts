import { open, readFile, rename, unlink } from 'node:fs/promises';

/** The text of a file, or undefined where there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces a file as a whole: a reader, or a crash, sees the old text or the new one, never a part. */
export async function writeAtomically(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  // A draft left by a crash may have another mode; `wx` makes sure that ours is a new file.
  await unlink(draft).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  const file = await open(draft, 'wx', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}
