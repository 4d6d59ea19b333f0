import { OciError } from '../errors.ts';
import type { TarType } from '../tar/entries.ts';
import { ancestors } from './paths.ts';

/** What one layer has at the places where a disk may be. */
export interface LayerFinds {
  readonly entries: ReadonlyMap<string, Found>;
  /** Paths that layers below no longer have. */
  readonly hidden: ReadonlySet<string>;
  /** Directories of which layers below no longer have anything. */
  readonly opaque: ReadonlySet<string>;
}

export interface Found {
  readonly type: TarType;
  readonly sizeBytes: number;
  /** Where its content was written, for files. */
  readonly file?: string;
}

/** Where disks are when nobody says. */
const DEFAULT_DIRECTORY = 'disk';

/** Whether a path of a layer matters to the search. */
export function isOfInterest(path: string, wanted: string | undefined): boolean {
  if (wanted !== undefined) return path === wanted || ancestors(wanted).includes(path);
  return path === DEFAULT_DIRECTORY || ancestors(path).at(-1) === DEFAULT_DIRECTORY;
}

/** Lays layers on each other, the uppermost first; what an upper one has or hides is not seen below it. */
export function visible(layers: readonly LayerFinds[]): Map<string, Found> {
  const seen = new Map<string, Found>();
  const hidden = new Set<string>();
  const opaque = new Set<string>();
  for (const layer of layers) {
    const below = (path: string): boolean =>
      hidden.has(path) || ancestors(path).some((each) => opaque.has(each) || hidden.has(each) || isCovered(each, seen));
    const shown = [...layer.entries].filter(([path]) => !seen.has(path) && !below(path));
    for (const [path, found] of shown) seen.set(path, found);
    for (const path of layer.hidden) hidden.add(path);
    for (const path of layer.opaque) opaque.add(path);
  }
  return seen;
}

/** Whether a layer above has something else than a directory there. */
const isCovered = (path: string, seen: ReadonlyMap<string, Found>): boolean =>
  seen.has(path) && seen.get(path)?.type !== 'directory';

export interface ChosenDisk {
  readonly path: string;
  readonly found: Found;
}

/**
 * The disk in the layers that were looked at so far, the uppermost first. Undefined: those below may have it, or a
 * second one.
 */
export function chooseDisk(
  layers: readonly LayerFinds[],
  wanted: string | undefined,
  isAll: boolean,
  image: string,
): ChosenDisk | undefined {
  const tree = visible(layers);
  for (const [path, { type }] of tree) refuseLinkedDirectory(path, type, wanted, image);
  if (wanted !== undefined) {
    const found = tree.get(wanted);
    if (found) return { path: wanted, found: usable(wanted, found, image) };
    if (isAll) throw new OciError('NoDisk', `${image} has no file /${wanted}`);
    return undefined;
  }
  if (!isAll) return undefined;
  const candidates = [...tree].filter(([path, { type }]) => path !== DEFAULT_DIRECTORY && type !== 'directory');
  const [first, second] = candidates;
  if (!first) throw new OciError('NoDisk', `${image} has no disk: there are no files in /${DEFAULT_DIRECTORY}`);
  if (second) {
    const names = candidates.map(([path]) => `/${path}`).sort();
    throw new OciError('NoDisk', `${image} has several disks: ${names.join(', ')}; set the path of one`);
  }
  return { path: first[0], found: usable(first[0], first[1], image) };
}

function refuseLinkedDirectory(path: string, type: TarType, wanted: string | undefined, image: string): void {
  const isDirectoryWanted = wanted === undefined ? path === DEFAULT_DIRECTORY : path !== wanted;
  if (isDirectoryWanted && type !== 'directory')
    throw new OciError('NoDisk', `${image}: /${path} is a ${type}; it must be a directory that contains the disk`);
}

function usable(path: string, found: Found, image: string): Found {
  if (found.file !== undefined) return found;
  const why: Partial<Record<TarType, string>> = {
    symlink: 'a symbolic link; copy the disk itself there',
    hardlink: 'a hard link; copy the disk itself there',
    sparse: 'stored in the sparse format of GNU tar; pack the layer without --sparse',
    directory: 'a directory',
  };
  throw new OciError('BadDisk', `${image}: /${path} is ${why[found.type] ?? `a ${found.type}, not a file`}`);
}
