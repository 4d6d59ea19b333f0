import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readHierarchies } from '@vireo/node/limits/hierarchies.ts';

const SHARE_FILES = { 1: 'cpu.shares', 2: 'cpu.weight' } as const;

/**
 * Groups like those of Vireo's guests, for guests beside them. Vireo gives each guest a share of the CPUs; where something
 * else is busy, guests without one get another part of the time, and the comparison would be of that.
 */
export class CpuShare implements AsyncDisposable {
  readonly #version: 1 | 2;
  readonly #parent: string;
  /** Of all guests together, and of one among them. */
  readonly #shares: readonly [all: string, one: string];
  readonly #groups: string[] = [];

  private constructor(version: 1 | 2, parent: string, shares: readonly [all: string, one: string]) {
    this.#version = version;
    this.#parent = parent;
    this.#shares = shares;
  }

  /** Like the groups that a guest of Vireo's is in; undefined where it is in none. */
  static async of(pid: number): Promise<CpuShare | undefined> {
    const tree = (await readHierarchies()).find(({ controllers }) => controllers.includes('cpu'));
    if (!tree) return undefined;
    const path = cpuGroup(await readFile(`/proc/${pid}/cgroup`, 'utf8'), tree.version) ?? '/';
    if (path.split('/').length < 3) return undefined;
    const one = join(tree.mount, path);
    const all = dirname(one);
    const share = (group: string): Promise<string> => readFile(join(group, SHARE_FILES[tree.version]), 'utf8');
    const parent = join(dirname(all), `vireo-bench-${process.pid}`);
    return new CpuShare(tree.version, parent, [await share(all), await share(one)]);
  }

  /** Puts a process into a group of its own. */
  async take(pid: number): Promise<void> {
    const [all, one] = this.#shares;
    if (this.#groups.length === 0) {
      await this.#make(this.#parent, all);
      if (this.#version === 2) await writeFile(join(this.#parent, 'cgroup.subtree_control'), '+cpu');
    }
    const group = join(this.#parent, String(pid));
    this.#groups.push(group);
    await this.#make(group, one);
    await writeFile(join(group, 'cgroup.procs'), String(pid));
  }

  async #make(group: string, share: string): Promise<void> {
    await mkdir(group);
    await writeFile(join(group, SHARE_FILES[this.#version]), share);
  }

  /** Their processes have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#groups.length === 0) return;
    for (const group of [...this.#groups, this.#parent]) await rmdir(group);
  }
}

/** The path of a process's group of the CPU controller, in `/proc/PID/cgroup`. */
export function cpuGroup(groups: string, version: 1 | 2): string | undefined {
  for (const line of groups.trim().split('\n')) {
    const [number, controllers = '', ...path] = line.split(':');
    const isIt = version === 2 ? number === '0' : controllers.split(',').includes('cpu');
    if (isIt) return path.join(':');
  }
  return undefined;
}

/** The process of a guest, by the directory of its libvirtd. */
export const guestPid = async (libvirt: string, domain: string): Promise<number> =>
  Number(await readFile(join(libvirt, 'run/qemu', `${domain}.pid`), 'utf8'));
