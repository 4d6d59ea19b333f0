import { constants, type Dirent } from 'node:fs';
import { type FileHandle, mkdir, open, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { Damaged, MOST_NAMES, TargetUnusable } from './store.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Deeper than anything that is written here. */
const MOST_DEPTH = 16;

/**
 * A directory that is open. What is done in it is done in this one, whatever its path leads to meanwhile: who serves the
 * file system could put a link in its place at any moment. No link below the first directory is ever followed.
 */
export class Folder implements AsyncDisposable {
  /** In words for users. */
  readonly path: string;
  readonly #handle: FileHandle;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  /** Undefined where there is none. The path may lead over links: it is the administrator's. */
  static async open(path: string): Promise<Folder | undefined> {
    const handle = await ignoreMissing(open(path, O_RDONLY | O_DIRECTORY));
    return handle && new Folder(path, handle);
  }

  /** The directory of that name in this one, if it is there. */
  async enter(name: string): Promise<Folder | undefined> {
    try {
      return await this.#enter(name);
    } catch (error) {
      if (!isOther(error as NodeJS.ErrnoException)) throw error;
      throw new TargetUnusable(`${this.path}/${name} is not a directory: remove the file or link`, { cause: error });
    }
  }

  /** The same; it is made if it is missing, and outlives a power cut then. */
  async enterMade(name: string): Promise<Folder> {
    const isMade = await mkdir(this.#at(name), { mode: 0o700 }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        return false;
      },
    );
    if (isMade) await this.sync();
    const made = await this.enter(name);
    if (!made) throw Object.assign(new Error(`${this.path}/${name} was removed`), { code: 'ENOENT' });
    return made;
  }

  /** The bytes of a file, if it is there. `Damaged`: it is something else, or larger. */
  async read(name: string, mostBytes: number): Promise<Buffer | undefined> {
    const path = `${this.path}/${name}`;
    const opened = open(this.#at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    await using file = await ignoreMissing(opened).catch((error: NodeJS.ErrnoException) => {
      throw isOther(error) ? new Damaged(`${path} is not a file`, { cause: error }) : error;
    });
    if (!file) return undefined;
    const stats = await file.stat();
    if (!stats.isFile()) throw new Damaged(`${path} is not a file`);
    if (stats.size > mostBytes) throw new Damaged(`${path} is damaged: it has more than ${mostBytes} bytes`);
    return await readBytes(file, stats.size);
  }

  /** Writes a file that must not be there. */
  async writeNew(name: string, bytes: Uint8Array): Promise<void> {
    await using file = await open(this.#at(name), 'wx', 0o600);
    await file.writeFile(bytes);
    await file.sync();
  }

  async rename(from: string, to: string): Promise<void> {
    await rename(this.#at(from), this.#at(to));
  }

  /** What is in it. */
  async entries(): Promise<Dirent[]> {
    const entries: Dirent[] = [];
    for await (const entry of await opendir(this.#at(''), { bufferSize: 1024 }))
      if (entries.push(entry) > MOST_NAMES)
        throw new TargetUnusable(`${this.path} has more than ${MOST_NAMES} files and directories`);
    return entries;
  }

  /** Removes a file or a link, if it is there. */
  async removeFile(name: string): Promise<void> {
    await ignoreMissing(unlink(this.#at(name)));
  }

  /** Removes a directory if it is there and empty. */
  async removeEmpty(name: string): Promise<void> {
    await ignoreMissing(rmdir(this.#at(name)));
  }

  /** Removes whatever has that name, with all that is below it. */
  async removeAll(name: string, depth = 0): Promise<void> {
    if (depth > MOST_DEPTH)
      throw new TargetUnusable(`${this.path} has too many directories in each other: remove them`);
    let below: Folder | undefined;
    try {
      below = await this.#enter(name);
    } catch (error) {
      if (!isOther(error as NodeJS.ErrnoException)) throw error;
      return this.removeFile(name);
    }
    if (!below) return;
    await using folder = below;
    for (const entry of await folder.entries())
      await (entry.isDirectory() ? folder.removeAll(entry.name, depth + 1) : folder.removeFile(entry.name));
    await this.removeEmpty(name);
  }

  async sync(): Promise<void> {
    await this.#handle.sync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  async #enter(name: string): Promise<Folder | undefined> {
    const handle = await ignoreMissing(open(this.#at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    return handle && new Folder(`${this.path}/${name}`, handle);
  }

  /** Where a file of this very directory is. */
  #at(name: string): string {
    return `/proc/self/fd/${this.#handle.fd}/${name}`;
  }
}

/** That something is there which is not what it should be: a link, say. */
const isOther = ({ code = '' }: NodeJS.ErrnoException): boolean => ['ELOOP', 'ENOTDIR', 'ENXIO'].includes(code);

/** The result; undefined where something was not there. */
const ignoreMissing = <T>(result: Promise<T>): Promise<T | undefined> =>
  result.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/** So many bytes from its beginning, or what there is if it has become shorter. */
async function readBytes(file: FileHandle, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return bytes.subarray(0, read);
}
