import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The space that a directory takes on its disk; holes in files count for nothing. What vanishes meanwhile is left out. */
export async function diskUseBytes(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return diskUseBytes(path);
      // The unit of `blocks` is fixed, whatever the file system's is.
      return lstat(path).then(
        ({ blocks }) => blocks * 512,
        () => 0,
      );
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** A size as people say it: `512 B`, `64 MB`, `1.2 GB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const value = bytes / 1000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}
