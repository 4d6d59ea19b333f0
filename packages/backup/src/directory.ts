import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { Folder } from './folder.ts';
import {
  type BackupStore,
  Damaged,
  ID_KEY,
  idProblem,
  isSegment,
  MOST_BYTES,
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
    await this.#inAccepted((root) => write(root, segments, bytes));
  }

  async get(key: string, mostBytes = MOST_BYTES): Promise<Buffer | undefined> {
    const segments = segmentsOf(key);
    return this.#inRoot(async (root) => {
      const found = await within(root, segments.slice(0, -1), (folder) =>
        folder.read(segments.at(-1) ?? '', mostBytes),
      );
      if (found === undefined) await this.#expectKnown(root);
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
    return this.#inRoot(async (root) => {
      const entries = await within(root, segments, (folder) => folder.entries());
      await this.#expectKnown(root);
      return (entries ?? [])
        .filter((entry) => isSegment(entry.name) && (entry.isFile() || entry.isDirectory()))
        .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
        .sort();
    });
  }

  async delete(key: string): Promise<void> {
    const segments = segmentsOf(key);
    await this.#inAccepted((root) =>
      within(root, segments.slice(0, -1), async (folder) => {
        await folder.removeFile(segments.at(-1) ?? '');
        await folder.sync();
      }),
    );
  }

  async deleteAll(prefix: string): Promise<void> {
    const segments = segmentsOfPrefix(prefix);
    if (segments.length === 0) throw new Error(`all of ${this.description} is never deleted`);
    await this.#inAccepted(async (root) => {
      await within(root, segments.slice(0, -1), async (folder) => {
        await folder.removeAll(segments.at(-1) ?? '');
        await folder.sync();
      });
      await removeEmpty(root, segments.slice(0, -1));
    });
  }

  async accept(): Promise<string> {
    return this.#inRoot(async (root) => {
      const found = await this.#readId(root);
      if (found !== undefined) return found;
      const id = randomBytes(8).toString('hex');
      await write(root, [ID_KEY], Buffer.from(`${id}\n`));
      // Another controller may have written one at the same moment.
      return (await this.#readId(root)) ?? id;
    });
  }

  async check(): Promise<void> {
    const key = `check-${randomBytes(6).toString('hex')}`;
    await this.put(key, Buffer.from('check\n'));
    await this.delete(key);
  }

  async close(): Promise<void> {}

  /** Does something in the directory, whatever it is. */
  async #inRoot<T>(act: (root: Folder) => Promise<T>): Promise<T> {
    await this.#expectAnswer();
    try {
      await using root = await Folder.open(this.#root);
      if (!root) throw missing(this.#root);
      return await act(root);
    } catch (error) {
      const reason = reasonOf(error as NodeJS.ErrnoException, this.#root);
      throw reason === undefined ? error : new TargetUnusable(reason, { cause: error });
    }
  }

  /** Does something in the directory that was accepted, even if another one takes its place meanwhile. */
  #inAccepted<T>(act: (root: Folder) => Promise<T>): Promise<T> {
    return this.#inRoot(async (root) => {
      await this.#expectAccepted(root);
      return act(root);
    });
  }

  async #readId(root: Folder): Promise<string | undefined> {
    try {
      return (await root.read(ID_KEY, MOST_BYTES))?.toString().trim() || undefined;
    } catch (error) {
      throw error instanceof Damaged ? new TargetUnusable(error.message, { cause: error }) : error;
    }
  }

  /** What is missing in a directory that is not mounted is not lost. */
  async #expectKnown(root: Folder): Promise<void> {
    if (this.#id !== undefined) await this.#expectAccepted(root);
  }

  async #expectAccepted(root: Folder): Promise<void> {
    const problem = idProblem(this.#root, await this.#readId(root), this.#id);
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
      throw missing(this.#root, error);
    }
  }
}

const missing = (root: string, cause?: unknown): TargetUnusable =>
  new TargetUnusable(`${root} does not exist: mount it there`, { cause });

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

/** Does something in a directory below the root; undefined where there is none of that name. */
async function within<T>(
  root: Folder,
  [segment, ...rest]: readonly string[],
  act: (folder: Folder) => Promise<T>,
): Promise<T | undefined> {
  if (segment === undefined) return act(root);
  await using folder = await root.enter(segment);
  return folder && (await within(folder, rest, act));
}

/** The same in one that is made, with those above it, where it is missing. */
async function withinMade<T>(
  root: Folder,
  [segment, ...rest]: readonly string[],
  act: (folder: Folder) => Promise<T>,
): Promise<T> {
  if (segment === undefined) return act(root);
  await using folder = await root.enterMade(segment);
  return await withinMade(folder, rest, act);
}

async function write(root: Folder, segments: readonly string[], bytes: Uint8Array): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withinMade(root, segments.slice(0, -1), async (folder) => {
        const temporary = `.writing-${randomBytes(6).toString('hex')}`;
        try {
          await folder.writeNew(temporary, bytes);
          await folder.rename(temporary, segments.at(-1) ?? '');
        } catch (error) {
          await folder.removeFile(temporary).catch(() => {});
          throw error;
        }
        await folder.sync();
      });
    } catch (error) {
      // Another removed the directory when it was empty.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === 3) throw error;
    }
  }
}

/** Removes a directory if it is empty, and those above it that are empty then. */
async function removeEmpty(root: Folder, segments: readonly string[]): Promise<void> {
  for (let length = segments.length; length > 0; length--) {
    const name = segments[length - 1] ?? '';
    const isRemoved = await within(root, segments.slice(0, length - 1), (folder) => folder.removeEmpty(name)).then(
      () => true,
      () => false,
    );
    if (!isRemoved) return;
  }
}
