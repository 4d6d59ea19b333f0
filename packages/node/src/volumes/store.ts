import { constants, type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { DISK_FILE } from './names.ts';

/** Directories that are being made or removed; whatever bears such a name at a start was cut short. */
const MAKING = '.making-';
const REMOVING = '.removing-';

/** There is no room for a volume. */
export class NoSpace extends Error {
  /** The same without what is free, which changes all the time. */
  readonly lasting: string;

  constructor(wantedBytes: number, freeBytes: number, directory: string) {
    super(`${bytes(wantedBytes)} are wanted, and ${bytes(freeBytes)} are free below ${directory}`);
    this.name = 'NoSpace';
    this.lasting = `${bytes(wantedBytes)} are wanted, and less is free below ${directory}`;
  }
}

/** Space ran out while it was used. */
export class DiskFull extends Error {
  constructor(freeBytes: number, directory: string, cause: unknown) {
    super(`the disk of this node is full: ${bytes(freeBytes)} are free below ${directory}`, { cause });
    this.name = 'DiskFull';
  }
}

/** Volumes as directories below one directory, each with one file: the disk, raw and sparse. */
export class VolumeStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Makes the directory, and clears away what an earlier run left unfinished. */
  async open(): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#root))
      if (name.startsWith(MAKING) || name.startsWith(REMOVING))
        await rm(join(this.#root, name), { recursive: true, force: true });
  }

  /** Where a volume is. Names come from objects: only what can be a name of one becomes a path. */
  directory(name: string): string {
    if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > 253)
      throw new TypeError(`${JSON.stringify(name)} is no name for a volume`);
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

  /** Refuses what could not be filled with data. Space is not set aside: volumes are sparse. */
  async expectSpace(wantedBytes: number): Promise<void> {
    const free = await this.freeBytes();
    if (wantedBytes > free) throw new NoSpace(wantedBytes, free, this.#root);
  }

  /** What became of an attempt to write here, in words that say what to do about it. */
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
    if (await this.has(name)) return;
    const making = join(this.#root, `${MAKING}${name}`);
    await rm(making, { recursive: true, force: true });
    await mkdir(making, { mode: 0o700 });
    try {
      const disk = join(making, DISK_FILE);
      if (fill) await fill(disk);
      await withFile(disk, constants.O_RDWR | constants.O_CREAT, async (file) => {
        const { size } = await file.stat();
        if (size < sizeBytes) await file.truncate(sizeBytes);
        await file.sync();
      });
      await rename(making, this.directory(name));
      await this.#sync();
    } catch (error) {
      const cause = await this.explained(error);
      await rm(making, { recursive: true, force: true });
      throw cause;
    }
  }

  /** An empty disk at a path. */
  async blank(path: string, sizeBytes: number): Promise<void> {
    await withFile(path, constants.O_RDWR | constants.O_CREAT, (file) => file.truncate(sizeBytes));
  }

  /** Makes the disk of a volume larger; what is on it stays. */
  async grow(name: string, sizeBytes: number): Promise<void> {
    await withFile(this.disk(name), constants.O_RDWR, async (file) => {
      const { size } = await file.stat();
      if (size >= sizeBytes) return;
      await file.truncate(sizeBytes);
      await file.sync();
    });
  }

  async remove(name: string): Promise<void> {
    const removing = join(this.#root, `${REMOVING}${name}`);
    try {
      await rename(this.directory(name), removing);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    await rm(removing, { recursive: true, force: true });
  }

  /** Whether files here can be read and written past the host's cache. */
  async hasDirectIo(): Promise<boolean> {
    const probe = join(this.#root, `${MAKING}direct-io-probe`);
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

async function withFile(path: string, flags: number, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await use(file);
  } finally {
    await file.close();
  }
}

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** `1.5 GiB`, for people. */
export function bytes(count: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = count;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${Number(value.toFixed(1))} ${units[unit]}`;
}
