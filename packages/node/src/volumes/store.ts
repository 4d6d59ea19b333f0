import { randomUUID } from 'node:crypto';
import {
  constants,
  copyFile,
  type FileHandle,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatBytes } from '@vireo/api/quantity.ts';
import { exists } from '../exists.ts';
import { removeTree } from '../removeTree.ts';
import { DISK_FILE } from './names.ts';

/** Directories that are being made or removed; whatever bears such a name at a start was cut short. */
const MAKING = '.making-';
const REMOVING = '.removing-';

/** In a volume that was made and that no object speaks of yet. */
const DRAFT = '.draft';

/** What `stat` counts in, whatever the blocks of the file system are. */
export const BLOCK_BYTES = 512;

/** There is no room for what is about to be written. */
export class NoSpace extends Error {
  /** The same without what is free, which changes all the time. */
  readonly lasting: string;

  constructor(neededBytes: number, freeBytes: number, directory: string) {
    super(`not enough space in ${directory}: ${formatBytes(neededBytes)} needed, ${formatBytes(freeBytes)} free`);
    this.name = 'NoSpace';
    this.lasting = `not enough space in ${directory}: ${formatBytes(neededBytes)} needed, but less is free`;
  }
}

/** Space ran out while it was used. */
export class DiskFull extends Error {
  readonly lasting: string;

  constructor(freeBytes: number, directory: string, cause: unknown) {
    super(`the node's disk is full: ${formatBytes(freeBytes)} free in ${directory}`, { cause });
    this.name = 'DiskFull';
    this.lasting = "the node's disk is full";
  }
}

/** The file system holds no file of that size, however much is free. */
export class FileTooLarge extends Error {
  constructor(sizeBytes: number, directory: string) {
    super(`the file system of ${directory} cannot hold a file of ${formatBytes(sizeBytes)}; request less storage`);
    this.name = 'FileTooLarge';
  }
}

/** A directory that several nodes have, as one of them uses it. */
export interface SharedSite {
  readonly node: string;
  /** Throws where the directory is not mounted; called before anything is read or written there. */
  readonly expectUsable: () => Promise<void>;
}

/** Volumes as directories below one directory, each with one file: the disk, raw and sparse. */
export class VolumeStore {
  readonly #root: string;
  /** Names of what is being made and removed begin so. */
  readonly #making: string;
  readonly #removing: string;
  readonly #expectUsable: () => Promise<void>;

  /** `shared`: for a directory that several nodes have. */
  constructor(root: string, shared?: SharedSite) {
    this.#root = root;
    // No name of a node has this separator: else those of `a-b` would begin as those of `a` do.
    const maker = shared ? `${shared.node}_` : '';
    this.#making = `${MAKING}${maker}`;
    this.#removing = `${REMOVING}${maker}`;
    this.#expectUsable = shared?.expectUsable ?? (async () => {});
  }

  get root(): string {
    return this.#root;
  }

  /** Makes the directory, and clears away what an earlier run left unfinished. */
  async open(): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    await this.clearLeftovers();
  }

  /** Clears away what an earlier run of this node left unfinished. */
  async clearLeftovers(): Promise<void> {
    for (const name of await readdir(this.#root).catch(ignoreMissing))
      if (name.startsWith(this.#making) || name.startsWith(this.#removing)) await removeTree(join(this.#root, name));
  }

  /** Throws where a directory that several nodes have is not mounted. What writes to the store asks it first. */
  expectUsable(): Promise<void> {
    return this.#expectUsable();
  }

  /** Makes the directory where it is missing. */
  async makeRoot(): Promise<void> {
    await this.expectUsable();
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
  }

  /** Where a volume is. Names come from objects: only what can be a name of one becomes a path. */
  directory(name: string): string {
    if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > 253)
      throw new TypeError(`${JSON.stringify(name)} is not a valid volume name`);
    return join(this.#root, name);
  }

  disk(name: string): string {
    return join(this.directory(name), DISK_FILE);
  }

  has(name: string): Promise<boolean> {
    return exists(this.disk(name));
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#root);
    return bavail * bsize;
  }

  /** Refuses to begin what there is no room to write. Space is not set aside: volumes are sparse. */
  async expectSpace(neededBytes: number): Promise<void> {
    await this.expectUsable();
    const free = await this.freeBytes();
    if (neededBytes > free) throw new NoSpace(neededBytes, free, this.#root);
  }

  /** The same for copies of disks into this store. They need no space where they can share blocks. */
  async expectSpaceForCopies(disks: readonly string[]): Promise<void> {
    await this.expectUsable();
    // Whoever copies one that has vanished says so.
    const found = (await Promise.all(disks.map((disk) => stat(disk).catch(() => undefined)))).filter((disk) => !!disk);
    const { dev } = await stat(this.#root);
    const canShare = found.every((disk) => disk.dev === dev) && (await this.#canShareBlocks());
    if (!canShare) await this.expectSpace(found.reduce((sum, { blocks }) => sum + blocks * BLOCK_BYTES, 0));
  }

  async #canShareBlocks(): Promise<boolean> {
    const probe = join(this.#root, `${this.#making}clone-probe-${randomUUID()}`);
    try {
      await writeFile(probe, 'probe', { mode: 0o600 });
      await copyFile(probe, `${probe}-copy`, constants.COPYFILE_FICLONE_FORCE);
      return true;
    } catch {
      return false;
    } finally {
      await Promise.all([probe, `${probe}-copy`].map((path) => rm(path, { force: true })));
    }
  }

  /** By how much the disk of a volume may still grow when it is to be as large as that: it is sparse. */
  async growthBytes(name: string, sizeBytes: number): Promise<number> {
    const written = await stat(this.disk(name)).catch(() => undefined);
    return sizeBytes - (written?.blocks ?? 0) * BLOCK_BYTES;
  }

  /** The error of an attempt to write here, in words that say what to do about it. */
  async explained(error: unknown): Promise<unknown> {
    const { code, message = '' } = error as NodeJS.ErrnoException;
    const isFull = code === 'ENOSPC' || code === 'EDQUOT' || /no space left on device/i.test(message);
    return isFull ? new DiskFull(await this.freeBytes(), this.#root, error) : error;
  }

  /**
   * Makes a volume. `fill` is given the path of its disk, to put a file there; without it the disk is empty. The volume
   * is not there at all before it is there as a whole.
   */
  async create(name: string, sizeBytes: number, fill?: (disk: string) => Promise<void>): Promise<void> {
    await this.expectUsable();
    if (await this.has(name)) return;
    const making = join(this.#root, `${this.#making}${name}`);
    await rm(making, { recursive: true, force: true });
    // The directory above is closed; guests with a user of their own come through this one.
    await mkdir(making, { mode: 0o711 });
    try {
      const disk = join(making, DISK_FILE);
      if (fill) await fill(disk);
      await withFile(disk, constants.O_RDWR | constants.O_CREAT, async (file) => {
        const { size } = await file.stat();
        if (size < sizeBytes) await this.#truncate(file, sizeBytes);
        await file.sync();
      });
      // The fill may have taken long.
      await this.expectUsable();
      await rename(making, this.directory(name));
      await this.#sync();
    } catch (error) {
      const cause = await this.explained(error);
      await rm(making, { recursive: true, force: true });
      throw cause;
    }
  }

  /** Makes a volume that no object speaks of yet: `publish` says that one does, `discardDraft` removes it until then. */
  async createDraft(name: string, sizeBytes: number, fill?: (disk: string) => Promise<void>): Promise<void> {
    await this.create(name, sizeBytes, async (disk) => {
      await fill?.(disk);
      await writeFile(join(dirname(disk), DRAFT), '', { mode: 0o600 });
    });
  }

  async publish(name: string): Promise<void> {
    await this.expectUsable();
    await rm(join(this.directory(name), DRAFT), { force: true });
  }

  /** Removes a volume that was made in vain. One that was published stays, whatever its object says now. */
  async discardDraft(name: string): Promise<void> {
    await this.expectUsable();
    if (await exists(join(this.directory(name), DRAFT))) await this.remove(name);
  }

  /** The volumes that no object has spoken of yet. */
  async drafts(): Promise<string[]> {
    const names = await readdir(this.#root).catch(ignoreMissing);
    const isDraft = await Promise.all(names.map((name) => exists(join(this.#root, name, DRAFT))));
    return names.filter((name, index) => isDraft[index] && !name.startsWith('.'));
  }

  /** An empty disk at a path. */
  async blank(path: string, sizeBytes: number): Promise<void> {
    await withFile(path, constants.O_RDWR | constants.O_CREAT, (file) => file.truncate(sizeBytes));
  }

  /** Makes the disk of a volume larger; what is on it stays. */
  async grow(name: string, sizeBytes: number): Promise<void> {
    await this.expectUsable();
    await withFile(this.disk(name), constants.O_RDWR, async (file) => {
      const { size } = await file.stat();
      if (size >= sizeBytes) return;
      await this.#truncate(file, sizeBytes);
      await file.sync();
    });
  }

  async #truncate(file: FileHandle, sizeBytes: number): Promise<void> {
    try {
      await file.truncate(sizeBytes);
    } catch (error) {
      const isTooLarge = ['EFBIG', 'ERR_OUT_OF_RANGE'].includes((error as NodeJS.ErrnoException).code ?? '');
      throw isTooLarge ? new FileTooLarge(sizeBytes, this.#root) : error;
    }
  }

  async remove(name: string): Promise<void> {
    // In an empty mount point nothing is found, and that would look as if it had been removed.
    await this.expectUsable();
    const removing = join(this.#root, `${this.#removing}${name}`);
    try {
      await rename(this.directory(name), removing);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    await removeTree(removing);
  }

  /** Whether files here can be read and written past the host's cache. */
  async hasDirectIo(): Promise<boolean> {
    await this.expectUsable();
    const probe = join(this.#root, `${this.#making}direct-io-probe-${randomUUID()}`);
    try {
      await withFile(probe, constants.O_RDWR | constants.O_CREAT | constants.O_DIRECT, async () => {});
      return true;
    } catch {
      return false;
    } finally {
      await rm(probe, { force: true });
    }
  }

  async #sync(): Promise<void> {
    await withFile(this.#root, constants.O_RDONLY, (directory) => directory.sync());
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

async function withFile(path: string, flags: number, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await use(file);
  } finally {
    await file.close();
  }
}
