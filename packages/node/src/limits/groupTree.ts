import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { GroupFile } from './limitFiles.ts';

/** How groups are made and removed: directories of the kernel, which come with their files and go with them. */
export interface GroupTree {
  make(directory: string): Promise<void>;
  /** A group that is not there is removed already. */
  remove(directory: string): Promise<void>;
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

export const kernelTree: GroupTree = {
  async make(directory) {
    await mkdir(directory, { recursive: true });
  },
  async remove(directory) {
    await rmdir(directory).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  },
};

/** Writes to files that are there: the kernel has no others. */
export async function writeGroupFile(directory: string, { name, value, isOptional }: GroupFile): Promise<void> {
  try {
    await writeFile(join(directory, name), value, { flag: 'r+' });
  } catch (error) {
    if (isOptional && codeOf(error) === 'ENOENT') return;
    throw new Error(`cannot write ${value} to ${join(directory, name)}: ${codeOf(error)}`, { cause: error });
  }
}

/** Whether the kernel has refused what was written: it would again. */
export const isRefusal = ({ cause }: { readonly cause?: unknown }): boolean =>
  ['EINVAL', 'ENOENT'].includes(codeOf(cause ?? {}) ?? '');

/** What a file of a group says; nothing where there is no such file. */
export const readGroupFile = (directory: string, name: string): Promise<string> =>
  readFile(join(directory, name), 'utf8').catch(() => '');

/** The processes in a group. */
export async function groupPids(directory: string): Promise<number[]> {
  const text = await readGroupFile(directory, 'cgroup.procs');
  return text.split('\n').filter(Boolean).map(Number);
}

/** The groups below a group. */
export async function childGroups(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** A process that was killed is out of its group within this. */
const EXIT_MS = 2_000;
const POLL_MS = 20;

/** Ends what is left in a group, and removes it. */
export async function clearGroup(directory: string, tree: GroupTree): Promise<void> {
  for (const deadline = Date.now() + EXIT_MS; ; await delay(POLL_MS)) {
    for (const pid of await groupPids(directory)) kill(pid);
    try {
      return await tree.remove(directory);
    } catch (error) {
      if (codeOf(error) !== 'EBUSY' || Date.now() > deadline) throw error;
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
