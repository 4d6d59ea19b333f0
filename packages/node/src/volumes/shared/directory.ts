import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SharedReport } from '@vireo/api/kinds/core/sharedDirectories.ts';
import { DIE_WITH_PARENT } from '../program.ts';
import { ID_FILE, problemOf, readId, reasonOf, SIGNS } from './mounted.ts';

const run = promisify(execFile);

/** Below a shared directory: the data of snapshots. */
export const SHARED_SNAPSHOTS = join(SIGNS, 'snapshots');

const ANSWER_MS = 10_000;

/** What makes a directory unfit, in words for whoever mounts it. */
class Unfit extends Error {}

/** A directory that several nodes have, as this node finds it. */
export class SharedDirectory {
  readonly path: string;
  readonly #node: string;
  readonly #token = randomBytes(6).toString('hex');
  #probe: Promise<void> | undefined;
  /** Keeps a lock on this node's own file, for others to notice. */
  #holder: ChildProcess | undefined;

  constructor(path: string, node: string) {
    this.path = path;
    this.#node = node;
  }

  /**
   * Leaves this node's sign in the directory, and reads those of others. `knownId`: what the directory is known by
   * already; one without it is not mounted, one with another is another directory, and nothing is written to either.
   */
  async look(knownId: string | undefined): Promise<SharedReport> {
    const { path } = this;
    try {
      await this.#expectAnswer();
      await this.#expectDirectory();
      const id = await this.#id(knownId);
      await this.#sign();
      return { path, id, token: this.#token, ...(await this.#others()) };
    } catch (error) {
      return { path, problem: error instanceof Unfit ? error.message : reasonOf(error, path) };
    }
  }

  /** Ends what keeps the lock. */
  close(): void {
    this.#holder?.kill('SIGKILL');
    this.#holder = undefined;
  }

  /**
   * A server that is gone blocks whoever asks it, and each of our own few threads that did so would be lost: another
   * process asks first.
   */
  async #expectAnswer(): Promise<void> {
    this.#probe ??= run('stat', ['--', this.path]).then(
      () => {},
      () => {},
    );
    const late = AbortSignal.timeout(ANSWER_MS);
    const { promise, resolve } = Promise.withResolvers<'late'>();
    late.addEventListener('abort', () => resolve('late'), { once: true });
    if ((await Promise.race([this.#probe, promise])) === 'late')
      throw new Unfit(`${this.path} does not answer: is its server running?`);
    this.#probe = undefined;
  }

  async #expectDirectory(): Promise<void> {
    const found = await stat(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw new Unfit(`${this.path} does not exist: mount it there`);
      throw error;
    });
    if (!found.isDirectory()) throw new Unfit(`${this.path} is not a directory`);
    // Guests with users of their own come through it to their disks.
    if (process.getuid?.() === 0 && !(found.mode & 0o001))
      throw new Unfit(`guests cannot enter ${this.path}: chmod o+x ${this.path}`);
  }

  async #id(knownId: string | undefined): Promise<string> {
    const file = join(this.path, ID_FILE);
    const found = await readId(this.path);
    const problem = knownId === undefined ? undefined : problemOf(this.path, found, knownId);
    if (problem) throw new Unfit(problem);
    if (found !== undefined) return found;
    await mkdir(join(this.path, SIGNS), { mode: 0o700, recursive: true });
    await writeFile(file, `${randomBytes(8).toString('hex')}\n`, { flag: 'wx', flush: true }).catch(
      (error: NodeJS.ErrnoException) => {
        // Another node was faster.
        if (error.code !== 'EEXIST') throw error;
      },
    );
    const made = await readId(this.path);
    if (made === undefined) throw new Unfit(`${file} is empty: remove it`);
    return made;
  }

  async #sign(): Promise<void> {
    const directory = join(this.path, SIGNS, 'nodes');
    const file = join(directory, this.#node);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text?.trim() !== this.#token) await writeFile(file, `${this.#token}\n`, { flush: true });
    const { uid } = await stat(file);
    if (uid !== process.getuid?.())
      throw new Unfit(
        `files that root makes in ${this.path} belong to user ${uid}: the server maps root to another user; ` +
          'export the directory with no_root_squash',
      );
    if (this.#holder && this.#holder.exitCode === null && this.#holder.signalCode === null) return;
    this.#holder = spawn('setpriv', [...DIE_WITH_PARENT, 'flock', '--nonblock', file, 'cat'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // Without it others say that they notice no lock.
    this.#holder.on('error', () => {});
  }

  async #others(): Promise<{ sees: Record<string, string>; unlocked: string[] }> {
    const directory = join(this.path, SIGNS, 'nodes');
    const names = (await readdir(directory)).filter((name) => name !== this.#node).sort();
    const sees: Record<string, string> = {};
    const unlocked: string[] = [];
    for (const name of names) {
      const file = join(directory, name);
      const text = await readFile(file, 'utf8').catch(() => undefined);
      if (text === undefined) continue;
      sees[name] = text.trim();
      if (!(await isLocked(file))) unlocked.push(name);
    }
    return { sees, unlocked };
  }
}

/** Whether another process, on this host or another, keeps a lock on a file. */
const isLocked = (file: string): Promise<boolean> =>
  run('flock', ['--nonblock', '--shared', file, 'true']).then(
    () => false,
    ({ code }: { code?: unknown }) => code === 1,
  );
