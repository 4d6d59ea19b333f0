import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import type { GuestLimits } from '@vireo/hypervisor';
import { exists } from '../exists.ts';
import type { NodeLayout } from '../libvirtd/layout.ts';
import { withDescendants } from './descendants.ts';
import { childGroups, clearGroup, type GroupTree, groupPids, kernelTree, writeGroupFile } from './groupTree.ts';
import { type Hierarchy, readHierarchies } from './hierarchies.ts';
import { type GroupFile, limitFiles, parentFiles } from './limitFiles.ts';
import { type OutOfMemory, readOutOfMemory } from './outOfMemory.ts';
import { type LimitSupport, probeLimits } from './place.ts';
import { ensureUnit, isSystemdRunning, stopUnit, UNIT_SLICE } from './systemd.ts';

/** What the groups of a home hang on. */
type Home = Pick<NodeLayout, 'run' | 'vmis'>;

interface GuestGroupsOptions {
  readonly hierarchies?: readonly Hierarchy[];
  readonly isSystemd?: boolean;
  readonly tree?: GroupTree;
}

/** Holds the process that keeps our unit; no guest has that name. */
const KEEPER = 'keeper';

/**
 * The cgroups of a home, one for each guest. They are ours and not libvirt's: they outlive QEMU, so that it can be told
 * afterwards whether the kernel has killed it for want of memory, and QEMU's helpers can be in them as well.
 */
export class GuestGroups {
  readonly support: LimitSupport;
  readonly #home: Home;
  readonly #isSystemd: boolean;
  readonly #tree: GroupTree;
  /** Whether our unit is known to run. */
  #hasUnit = false;
  /** The last change: one at a time, for the parent goes with its last group. */
  #changes: Promise<unknown> = Promise.resolve();

  private constructor(home: Home, support: LimitSupport, options: { isSystemd: boolean; tree: GroupTree }) {
    this.support = support;
    this.#home = home;
    this.#isSystemd = options.isSystemd;
    this.#tree = options.tree;
  }

  /** Finds out what this host can limit, and removes the groups that an earlier run has left of guests that are gone. */
  static async open(home: Home, options: GuestGroupsOptions = {}): Promise<GuestGroups> {
    const { tree = kernelTree, isSystemd = await isSystemdRunning() } = options;
    const support = await probeLimits(options.hierarchies ?? (await readHierarchies()), { isSystemd });
    const groups = new GuestGroups(home, support, { isSystemd, tree });
    await groups.#removeStale();
    return groups;
  }

  /** Whether anything of a guest can be limited here. */
  get isEnabled(): boolean {
    return this.#limiting.length > 0;
  }

  /** Puts a guest's process into its group, with these limits. Called again, it changes the limits. */
  limit(uid: string, pid: number, limits: GuestLimits): Promise<void> {
    return this.#change(async () => {
      await this.#make(uid);
      for (const each of this.#limiting)
        for (const file of limitFiles(each, limits)) await writeGroupFile(this.#directory(each, uid), file);
      await this.#put(uid, pid);
    });
  }

  /**
   * Puts another process of a guest, and what it has started, into the group of that guest, which may not have its
   * limits yet.
   */
  async join(uid: string, pid: number): Promise<void> {
    if (!this.isEnabled) return;
    await this.#change(async () => {
      await this.#make(uid);
      for (const each of await withDescendants(pid)) await this.#put(uid, each);
    });
  }

  /** What the kernel tells of processes of this guest that it has killed for want of memory; undefined if there are none. */
  async outOfMemory(uid: string): Promise<OutOfMemory | undefined> {
    const memory = this.#limiting.find(({ controllers }) => controllers.includes('memory'));
    return memory && readOutOfMemory(this.#directory(memory, uid), memory.version);
  }

  /** Ends what is left of a guest, and removes its group. */
  async remove(uid: string): Promise<void> {
    await this.#change(async () => {
      for (const each of this.#used) await clearGroup(this.#directory(each, uid), this.#tree);
      await this.#removeParent();
    });
  }

  /** Ends what is left of all guests, and removes their groups: for a home that nothing is to run of. */
  async removeAll(): Promise<void> {
    for (const uid of await this.uids()) await this.remove(uid);
  }

  /** The guests that have a group. */
  async uids(): Promise<string[]> {
    const names = await Promise.all(this.#used.map((each) => childGroups(join(each.mount, this.#path))));
    return [...new Set(names.flat())].filter((name) => name !== KEEPER);
  }

  get #limiting(): readonly Hierarchy[] {
    return this.support.hierarchies.filter(({ controllers }) => controllers.length > 0);
  }

  /** The trees that a guest has a group in. systemd's own is one of them: it must not find a guest in Vireo's unit. */
  get #used(): readonly Hierarchy[] {
    return this.#isSystemd && this.isEnabled ? this.support.hierarchies : this.#limiting;
  }

  get #unit(): string {
    return `vireo-${basename(this.#home.run)}.service`;
  }

  /** The path of the group that all others are in, in each tree. */
  get #path(): string {
    return this.#isSystemd ? `/${UNIT_SLICE}/${this.#unit}` : `/vireo-${basename(this.#home.run)}`;
  }

  #directory({ mount }: Hierarchy, uid: string): string {
    return join(mount, this.#path, uid);
  }

  #change<T>(action: () => Promise<T>): Promise<T> {
    const next = this.#changes.then(action);
    this.#changes = next.catch(() => undefined);
    return next;
  }

  async #make(uid: string): Promise<void> {
    for (const each of this.#used) {
      const parent = join(each.mount, this.#path);
      if (!this.#isSystemd) await this.#makeParent(each, parent);
      else if (!this.#hasUnit || !(await exists(parent))) await this.#takeUnit(each, parent);
      await this.#tree.make(join(parent, uid));
    }
    this.#hasUnit = this.#isSystemd;
  }

  /** All of it each time: an earlier run may have been killed in the middle. */
  async #makeParent(hierarchy: Hierarchy, parent: string): Promise<void> {
    await share(hierarchy, hierarchy.mount);
    await this.#tree.make(parent);
    for (const file of parentFiles(hierarchy, availableParallelism())) await writeGroupFile(parent, file);
    await share(hierarchy, parent);
  }

  /** Has systemd start our unit, and makes room for groups in it. Its other files are systemd's. */
  async #takeUnit(hierarchy: Hierarchy, parent: string): Promise<void> {
    await ensureUnit(this.#unit, `Guests of Vireo in ${this.#home.vmis}`);
    await this.#tree.make(parent);
    if (hierarchy.version === 1) return;
    // A group that others are in has no processes of its own.
    const keeper = join(parent, KEEPER);
    await this.#tree.make(keeper);
    for (const pid of await groupPids(parent)) await writeGroupFile(keeper, processFile(pid));
    await share(hierarchy, parent);
  }

  async #put(uid: string, pid: number): Promise<void> {
    for (const each of this.#used) await writeGroupFile(this.#directory(each, uid), processFile(pid));
  }

  /** The parent goes with its last group: a home that runs nothing leaves nothing. */
  async #removeParent(): Promise<void> {
    const parents = this.#used.map((each) => join(each.mount, this.#path));
    if ((await this.uids()).length > 0 || !(await someExist(parents))) return;
    this.#hasUnit = false;
    if (this.#isSystemd) await stopUnit(this.#unit);
    // systemd removes what it has made.
    for (const parent of parents) await this.#tree.remove(parent);
  }

  /** A guest that is gone has neither files nor processes. */
  async #removeStale(): Promise<void> {
    for (const uid of await this.uids()) {
      const pids = await Promise.all(this.#used.map((each) => groupPids(this.#directory(each, uid))));
      if (pids.flat().length === 0 && !(await exists(join(this.#home.vmis, uid)))) await this.remove(uid);
    }
  }
}

const someExist = async (paths: readonly string[]): Promise<boolean> =>
  (await Promise.all(paths.map(exists))).includes(true);

const processFile = (pid: number): GroupFile => ({ name: 'cgroup.procs', value: String(pid) });

/** Lets the groups in a group of version 2 have limits. */
async function share({ version, controllers }: Hierarchy, directory: string): Promise<void> {
  if (version === 1 || controllers.length === 0) return;
  const value = controllers.map((controller) => `+${controller}`).join(' ');
  await writeGroupFile(directory, { name: 'cgroup.subtree_control', value });
}
