import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CpuManagerPolicy } from '@vireo/api/kinds/harvester/cpuManager.ts';
import { formatCpuList, type HostTopology } from '@vireo/hypervisor';
import type { Log } from '@vireo/kube';
import { VolumeError } from '../disks/volumeError.ts';
import { replaceFile } from '../replaceFile.ts';
import type { GuestProcess } from '../shutdown/guestProcesses.ts';
import { chooseCpus, reservedCpus } from './chooseCpus.ts';
import { type Claim, readClaims, runningClaims } from './claims.ts';

const run = promisify(execFile);

export interface CpuManagerOptions {
  readonly topology: HostTopology;
  /** The CPUs that guests may run on. */
  readonly allowed: readonly number[];
  /** Where it is kept which guest has which CPUs. */
  readonly file: string;
  /** The node's name. */
  readonly node: string;
  readonly guests: () => Promise<readonly GuestProcess[]>;
  readonly log: Log;
}

/**
 * Hands out CPUs of this host, as a kubelet with the static policy does: a VMI with dedicated ones has them until it is
 * gone, and the guests of all others are kept off them. Never the first core: something must run the rest.
 */
export class CpuManager {
  readonly #options: CpuManagerOptions;
  readonly #assignable: readonly number[];
  /** By the VMI's uid. */
  readonly #claims: Map<string, Claim>;
  #work: Promise<unknown> = Promise.resolve();
  #policy: CpuManagerPolicy = 'static';
  /** Whether guests were kept off CPUs, and so may have to be let back. */
  #isConfining: boolean;

  private constructor(options: CpuManagerOptions, claims: Map<string, Claim>) {
    this.#options = options;
    const reserved = new Set(reservedCpus(options.topology));
    this.#assignable = options.allowed.filter((cpu) => !reserved.has(cpu));
    this.#claims = claims;
    this.#isConfining = claims.size > 0;
  }

  /** Takes over what an earlier run has handed out to VMIs that are still there. */
  static async open(options: CpuManagerOptions, isThere: (uid: string) => boolean): Promise<CpuManager> {
    const { file, log, node } = options;
    const claims = await readClaims(file).catch(async (error: unknown) => {
      log.warn('the list of dedicated CPUs cannot be read; going by the guests that run', nodeReference(node), {
        file,
        error,
      });
      return runningClaims(await options.guests(), reservedCpus(options.topology));
    });
    const manager = new CpuManager(options, claims);
    await manager.#save();
    const gone = [...manager.#claims.keys()].filter((uid) => !isThere(uid));
    for (const uid of gone) await manager.release(uid);
    return manager;
  }

  /** How many CPUs it can hand out at most. */
  get dedicableCount(): number {
    return this.#assignable.length;
  }

  /** With `none`, CPUs that VMIs have stay theirs, and nobody gets others. */
  set policy(policy: CpuManagerPolicy) {
    this.#policy = policy;
  }

  get topology(): HostTopology {
    return this.#options.topology;
  }

  /** The CPUs of a VMI: those that it has, or as many as it wants out of those that are free. */
  claim(uid: string, key: string, count: number): Promise<readonly number[]> {
    return this.#inTurn(async () => {
      const known = this.#claims.get(uid);
      if (known?.cpus.length === count) return known.cpus;
      if (this.#policy === 'none') {
        throw new VolumeError(
          'UnexpectedAdmissionError',
          `dedicatedCpuPlacement needs the CPU manager of node ${this.#options.node}, which is disabled; ` +
            "Harvester's action enableCPUManager enables it",
        );
      }
      const taken = new Set([...this.#claims].flatMap(([owner, { cpus }]) => (owner === uid ? [] : cpus)));
      const free = new Set(this.#assignable.filter((cpu) => !taken.has(cpu)));
      const cpus = chooseCpus(this.topology, free, count);
      if (!cpus) {
        throw new VolumeError(
          'UnexpectedAdmissionError',
          `not enough CPUs for dedicatedCpuPlacement on node ${this.#options.node}: ${count} requested, ` +
            `${free.size} free of ${this.#assignable.length} that can be dedicated`,
        );
      }
      this.#claims.set(uid, { key, cpus });
      await this.#save();
      await this.#confine();
      return cpus;
    });
  }

  /** Gives the CPUs of a VMI back, if it has any. */
  release(uid: string): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#claims.delete(uid)) return;
      await this.#save();
      await this.#confine();
    });
  }

  /** Keeps a guest that has just started off the CPUs that others have to themselves. */
  confineShared(guest: GuestProcess): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#claims.size > 0) await this.#confineAll([guest]);
    });
  }

  async #confine(): Promise<void> {
    if (this.#claims.size === 0 && !this.#isConfining) return;
    await this.#confineAll(await this.#options.guests());
    this.#isConfining = this.#claims.size > 0;
  }

  async #confineAll(guests: readonly GuestProcess[]): Promise<void> {
    const { allowed, log, node } = this.#options;
    const claims = [...this.#claims.values()];
    const dedicated = new Set(claims.flatMap(({ cpus }) => cpus));
    const shared = formatCpuList(allowed.filter((cpu) => !dedicated.has(cpu)));
    const owners = new Set(claims.map(({ key }) => key));
    for (const { pid, key } of guests) {
      if (owners.has(key)) continue;
      // All threads; those that come later inherit it. One that has ended needs nothing.
      await run('taskset', ['--all-tasks', '--cpu-list', '--pid', shared, String(pid)]).catch((error: Error) => {
        if (isAlive(pid))
          log.warn('a guest cannot be kept off dedicated CPUs', nodeReference(node), { guest: key, error });
      });
    }
  }

  async #save(): Promise<void> {
    const { file } = this.#options;
    const text = `${JSON.stringify(Object.fromEntries(this.#claims), undefined, 2)}\n`;
    await replaceFile(file, text, { flush: true });
  }

  /** One after the other: two that choose at the same time would choose the same. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => {});
    return done;
  }
}

const nodeReference = (name: string) => ({ kind: 'Node', name });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
