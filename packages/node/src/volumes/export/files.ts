import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DISK_FILE } from '../names.ts';
import type { ExportedClaim } from './exportedClaim.ts';
import { piecesOf } from './pieces.ts';
import type { TarFile } from './tar.ts';

/** A file of a volume. */
export interface VolumeFile {
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
}

/** The files of a volume that is a directory. A disk that nobody has ever written to is none: every volume has one. */
export async function filesOf(directory: string): Promise<readonly VolumeFile[]> {
  const found = await Promise.all(
    (await readdir(directory, { withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(async ({ name }) => {
        const path = join(directory, name);
        const { size, blocks, mtimeMs } = await stat(path);
        const isBlank = name === DISK_FILE && blocks === 0;
        return isBlank ? [] : [{ name, path, sizeBytes: size, modifiedAtMs: mtimeMs }];
      }),
  );
  return found.flat().toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The same, to be put into an archive. */
export async function* filesForTar(directory: string, claim: ExportedClaim): AsyncGenerator<TarFile> {
  for (const { name, path, sizeBytes, modifiedAtMs } of await filesOf(directory)) {
    const data = piecesOf(path, { start: 0, end: sizeBytes }, claim.expectUnused);
    yield { name, sizeBytes, modifiedAtMs, data };
  }
}
