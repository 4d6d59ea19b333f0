import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, realpath, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  type BackupStore,
  ID_KEY,
  idProblem,
  isSegment,
  segmentsOf,
  segmentsOfPrefix,
  TargetUnusable,
} from './store.ts';

const run = promisify(execFile);

/** How long a directory may take to answer, and how often it is asked whether it still does. */
const ANSWER_MS = 10_000;
const ASK_MS = 5_000;

export interface DirectoryOptions {
  /** In words for users. */
  readonly description: string;
  /** What the target is known by. Without it nothing is written. */
  readonly id: string | undefined;
}

/** Objects as files. A directory that is not mounted, or not the one that was accepted, never becomes the target. */
export class DirectoryStore implements BackupStore {
  readonly description: string;
  readonly #root: string;
  readonly #id: string | undefined;
  #askedMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(root: string, { description, id }: DirectoryOptions) {
    this.description = description;
    this.#root = root;
    this.#id = id;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const segments = segmentsOf(key);
    await this.#explained(async () => {
      await this.#expectAccepted();
      await this.#write(segments, bytes);
    });
  }

  async get(key: string): Promise<Buffer | undefined> {
    const segments = segmentsOf(key);
    return this.#explained(async () => {
      await this.#expectAnswer();
      const found = await this.#read(segments);
      if (found === undefined) await this.#expectKnown();
      return found;
    });
  }

  async *list(prefix: string): AsyncGenerator<string> {
    for (const name of await this.names(prefix)) {
      if (name.endsWith('/')) yield* this.list(prefix + name);
      else yield prefix + name;
    }
  }

  async names(prefix: string): Promise<string[]> {
    const segments = segmentsOfPrefix(prefix);
    return this.#explained(async () => {
      await this.#expectAnswer();
      const directory = await this.#directory(segments);
      const entries = directory === undefined ? [] : await ignoreMissing(readdir(directory, { withFileTypes: true }));
      await this.#expectKnown();
      return (entries ?? [])
        .filter((entry) => isSegment(entry.name) && (entry.isFile() || entry.isDirectory()))
        .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
        .sort();
    });
  }

  async delete(key: string): Promise<void> {
    const segments = segmentsOf(key);
    await this.#explained(async () => {
      await this.#expectAccepted();
      const directory = await this.#directory(segments.slice(0, -1));
      if (directory === undefined) return;
      await ignoreMissing(unlink(join(directory, segments.at(-1) ?? '')));
      await ignoreMissing(syncDirectory(directory));
    });
  }

  async deleteAll(prefix: string): Promise<void> {
    const segments = segmentsOfPrefix(prefix);
    if (segments.length === 0) throw new Error(`all of ${this.description} is never deleted`);
    await this.#explained(async () => {
      await this.#expectAccepted();
      const parent = await this.#directory(segments.slice(0, -1));
      if (parent === undefined) return;
      await rm(join(parent, segments.at(-1) ?? ''), { recursive: true, force: true });
      await ignoreMissing(syncDirectory(parent));
      await this.#removeEmpty(segments.slice(0, -1));
    });
  }

  async accept(): Promise<string> {
    return this.#explained(async () => {
      await this.#expectAnswer();
      const found = await this.#readId();
      if (found !== undefined) return found;
      const id = randomBytes(8).toString('hex');
      await this.#write([ID_KEY], Buffer.from(`${id}\n`));
      // Another controller may have written one at the same moment.
      return (await this.#readId()) ?? id;
    });
  }

  async check(): Promise<void> {
    const key = `check-${randomBytes(6).toString('hex')}`;
    await this.put(key, Buffer.from('check\n'));
    await this.delete(key);
  }

  async close(): Promise<void> {}

  async #write(segments: readonly string[], bytes: Uint8Array): Promise<void> {
    const name = segments.at(-1) ?? '';
    for (let attempt = 1; ; attempt++) {
      const directory = await this.#madeDirectory(segments.slice(0, -1));
      const temporary = join(directory, `.writing-${randomBytes(6).toString('hex')}`);
      try {
        const file = await open(temporary, 'wx', 0o600);
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(temporary, join(directory, name));
        await syncDirectory(directory);
        return;
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {});
        // Another removed the directory when it was empty.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === 3) throw error;
      }
    }
  }

  async #read(segments: readonly string[]): Promise<Buffer | undefined> {
    const directory = await this.#directory(segments.slice(0, -1));
    if (directory === undefined) return undefined;
    const path = join(directory, segments.at(-1) ?? '');
    const file = await ignoreMissing(open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
    if (!file) return undefined;
    try {
      return await file.readFile();
    } finally {
      await file.close();
    }
  }

  /** The directory of that name below the root, which must be a real one: a link could lead anywhere. */
  async #directory(segments: readonly string[]): Promise<string | undefined> {
    const path = join(this.#root, ...segments);
    const real = await ignoreMissing(realpath(path));
    if (real === undefined) return undefined;
    if (real !== join(await realpath(this.#root), ...segments))
      throw new TargetUnusable(`${path} leads to ${real}: remove the link`);
    return real;
  }

  async #madeDirectory(segments: readonly string[]): Promise<string> {
    const path = join(this.#root, ...segments);
    if (segments.length > 0) {
      const first = await mkdir(path, { recursive: true, mode: 0o700 });
      // A directory is there after a power cut only when the one that it is in says so.
      for (let made = path; first !== undefined && made.length >= first.length; made = dirname(made))
        await syncDirectory(dirname(made));
    }
    const directory = await this.#directory(segments);
    if (directory === undefined) throw Object.assign(new Error(`${path} was removed`), { code: 'ENOENT' });
    return directory;
  }

  async #removeEmpty(segments: readonly string[]): Promise<void> {
    for (let length = segments.length; length > 0; length--) {
      const isRemoved = await rmdir(join(this.#root, ...segments.slice(0, length))).then(
        () => true,
        () => false,
      );
      if (!isRemoved) return;
    }
  }

  async #readId(): Promise<string | undefined> {
    return (await this.#read([ID_KEY]))?.toString().trim() || undefined;
  }

  /** What is missing in a directory that is not mounted is not lost. */
  async #expectKnown(): Promise<void> {
    if (this.#id !== undefined) await this.#expectAccepted();
  }

  async #expectAccepted(): Promise<void> {
    await this.#expectAnswer();
    const problem = idProblem(this.#root, await this.#readId(), this.#id);
    if (problem) throw new TargetUnusable(problem);
  }

  /**
   * A server that is gone blocks whoever asks it, and each of the process's few threads that did so would be lost:
   * another process asks first.
   */
  async #expectAnswer(): Promise<void> {
    if (performance.now() - this.#askedMs < ASK_MS) return;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
  }

  async #ask(): Promise<void> {
    try {
      const { stdout } = await run('stat', ['--dereference', '--format=%F', '--', this.#root], { timeout: ANSWER_MS });
      if (stdout.trim() !== 'directory') throw new TargetUnusable(`${this.#root} is not a directory`);
      this.#askedMs = performance.now();
    } catch (error) {
      if (error instanceof TargetUnusable) throw error;
      if ((error as { killed?: boolean }).killed)
        throw new TargetUnusable(`${this.#root} does not answer: is its server running?`, { cause: error });
      throw new TargetUnusable(`${this.#root} does not exist: mount it there`, { cause: error });
    }
  }

  async #explained<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      const reason = reasonOf(error as NodeJS.ErrnoException, this.#root);
      throw reason === undefined ? error : new TargetUnusable(reason, { cause: error });
    }
  }
}

/** What an operation in a directory failed by, in words for whoever mounted it. */
function reasonOf({ code = '' }: NodeJS.ErrnoException, root: string): string | undefined {
  const words: Record<string, string> = {
    EACCES: `this host may not read or write ${root}: give its user the right to (NFS: export it with no_root_squash)`,
    EPERM: `this host may not read or write ${root}: give its user the right to (NFS: export it with no_root_squash)`,
    EROFS: `${root} is mounted read-only`,
    ENOSPC: `${root} is full`,
    EDQUOT: `${root} is full`,
    ESTALE: `the server no longer knows ${root}: mount it again`,
    EIO: `${root} cannot be read or written: see the kernel's log of this host`,
  };
  return words[code];
}

const ignoreMissing = <T>(result: Promise<T>): Promise<T | undefined> =>
  result.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
