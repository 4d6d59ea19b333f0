import { readdir, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { DiskCache, type PulledImage } from '@vireo/node/images/diskCache.ts';
import { OWN_DIRECTORIES } from '@vireo/node/images/localImages.ts';
import { BOOT_SECTOR, catalogue, GUEST } from '../catalogue.ts';
import { diskUseBytes, formatBytes } from '../diskUse.ts';
import { imageCache } from '../imageCache.ts';

/** An image that a VM can name. */
export interface ListedImage {
  readonly name: string;
  /** `local`: built, pulled, or a file of the home. `pulled`, `built`: only when a VM first needs it. */
  readonly state: 'local' | 'built on first use' | 'pulled on first use';
  /** Where it comes from, where that is not its name. */
  readonly reference?: string;
  readonly title?: string;
  readonly path?: string;
  readonly bytes?: number;
}

/** What is on this host, and what would be fetched by name. */
export async function listImages(home: string): Promise<ListedImage[]> {
  const images = join(home, 'images');
  const [guest, own, pulled] = await Promise.all([
    builtGuest(home),
    homeImages(images),
    new DiskCache(join(images, 'oci')).pulledImages(),
  ]);
  return [
    { name: GUEST, state: guest ? 'local' : 'built on first use', title: 'Vireo’s small Linux', ...guest },
    { name: BOOT_SECTOR, state: 'built on first use', title: 'a 512-byte guest for tests' },
    ...own,
    ...withCatalogue(pulled),
  ];
}

/** Names of the catalogue, and what else was pulled, by its reference. */
function withCatalogue(pulled: readonly PulledImage[]): ListedImage[] {
  const sizes = new Map(pulled.map(({ reference, bytes }) => [reference, bytes]));
  const named = catalogue.map(({ name, title, repository, tag }): ListedImage => {
    const reference = `${repository}:${tag}`;
    const bytes = sizes.get(reference);
    sizes.delete(reference);
    const state = bytes === undefined ? 'pulled on first use' : 'local';
    return { name, title, reference, state, ...(bytes !== undefined && { bytes }) };
  });
  return [...named, ...[...sizes].map(([name, bytes]): ListedImage => ({ name, state: 'local', bytes }))];
}

/** The images as a table. */
export function listText(images: readonly ListedImage[]): string {
  const rows = images.map(({ name, state, bytes, reference, path, title }) => [
    name,
    state,
    bytes === undefined ? '–' : formatBytes(bytes),
    [title, reference ?? path].filter(Boolean).join(', '),
  ]);
  const table = [['NAME', 'STATE', 'SIZE', 'DESCRIPTION AND SOURCE'], ...rows];
  const width = (column: number): number => Math.max(...table.map((row) => row[column]?.length ?? 0));
  const widths = [0, 1, 2].map(width);
  return table
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The newest guest image that was built. */
export async function builtGuest(home: string): Promise<{ path: string; bytes: number } | undefined> {
  const directory = imageCache(home);
  const names = await readdir(directory).catch(() => []);
  const built = await Promise.all(
    names
      .filter((name) => /^guest-[\da-f]+\.img$/.test(name))
      .map(async (name) => {
        const { mtimeMs, blocks } = await stat(join(directory, name));
        return { path: join(directory, name), mtimeMs, bytes: blocks * 512 };
      }),
  );
  const newest = built.sort((a, b) => b.mtimeMs - a.mtimeMs)[0];
  return newest && { path: newest.path, bytes: newest.bytes };
}

/** Disks, layouts and archives below `images/` of the home, by the names that VMs give them. */
async function homeImages(directory: string): Promise<ListedImage[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name));
  const found = paths.flatMap((path) => {
    const below = relative(directory, path);
    if (OWN_DIRECTORIES.includes(below.split('/')[0] ?? '')) return [];
    if (/(^|\/)(disk\.(qcow2|raw)|index\.json)$/.test(below)) return { name: dirname(below), path };
    return below.endsWith('.tar') ? { name: below.slice(0, -'.tar'.length), path } : [];
  });
  return Promise.all(
    found
      .filter(({ name }) => name !== '.')
      .map(async ({ name, path }) => ({ name, state: 'local' as const, path, bytes: await bytesOf(path) })),
  );
}

/** A layout is its directory, the others one file. */
const bytesOf = async (path: string): Promise<number> =>
  path.endsWith('index.json') ? diskUseBytes(dirname(path)) : (await stat(path)).blocks * 512;
