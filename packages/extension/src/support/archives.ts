import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type ArchiveFile, zip } from './zip.ts';

/** Names come from objects: only what can be a name of one becomes a path. */
const NAME = /^[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/;

/** Archives in a directory, by the namespace of what they are about and by name. */
export class Archives {
  readonly #root: string;
  /** Paths of archives that are being written. */
  readonly #writing = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Writes an archive, which is there as a whole or not at all. Where another has the name or is about to have it, this
   * one gets a number behind it.
   */
  async write(
    namespace: string,
    wanted: string,
    files: AsyncIterable<ArchiveFile>,
  ): Promise<{ name: string; sizeBytes: number }> {
    await mkdir(this.#directory(namespace), { recursive: true, mode: 0o700 });
    const name = await this.#takeName(namespace, wanted);
    const path = this.#path(namespace, name);
    try {
      const draft = `${path}.part`;
      // One that was cut short is nobody's.
      await rm(draft, { force: true });
      await writeArchive(draft, files);
      await rename(draft, path);
      return { name, sizeBytes: (await stat(path)).size };
    } finally {
      this.#writing.delete(path);
    }
  }

  async #takeName(namespace: string, wanted: string): Promise<string> {
    for (let number = 1; ; number++) {
      const name = number === 1 ? wanted : `${wanted}-${number}`;
      const path = this.#path(namespace, name);
      if (this.#writing.has(path)) continue;
      this.#writing.add(path);
      if (!(await exists(path))) return name;
      this.#writing.delete(path);
    }
  }

  /** The bytes of an archive; undefined where it is gone. */
  async read(namespace: string, name: string): Promise<Readable | undefined> {
    const path = this.#path(namespace, name);
    return (await exists(path)) ? createReadStream(path) : undefined;
  }

  async remove(namespace: string, names: readonly string[]): Promise<void> {
    for (const name of names) await rm(this.#path(namespace, name), { force: true });
  }

  /** Removes what is not listed any more, of what was written before a moment: younger ones are yet to be listed. */
  async prune(isListed: (namespace: string, name: string) => boolean, beforeMs: number): Promise<void> {
    const files = await readdir(this.#root, { recursive: true }).catch(() => []);
    for (const file of files) {
      const [, namespace = '', name] = /^([^/]+)\/([^/]+)\.zip(?:\.part)?$/.exec(file) ?? [];
      if (name === undefined || (file.endsWith('.zip') && isListed(namespace, name))) continue;
      const path = join(this.#root, file);
      const { mtimeMs } = await stat(path);
      if (mtimeMs < beforeMs) await rm(path, { force: true });
    }
  }

  #directory(namespace: string): string {
    return join(this.#root, safeName(namespace));
  }

  #path(namespace: string, name: string): string {
    return join(this.#directory(namespace), `${safeName(name)}.zip`);
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

function safeName(name: string): string {
  if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is not a valid archive name`);
  return name;
}

/** Writes a ZIP archive that only its owner can read; what cannot be written to its end is removed. */
export async function writeArchive(path: string, files: AsyncIterable<ArchiveFile>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const piece of zip(files, new Date())) await file.write(piece);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
