import { statfs } from 'node:fs/promises';
import { type Clock, type Log, pause } from '@vireo/kube';

/** The space of a file system. */
export interface DiskSpace {
  readonly directory: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface DiskState extends DiskSpace {
  /** Whether so little is free that no more VMs are to come. */
  readonly isUnderPressure: boolean;
  /** What is free for volumes, which may be on another file system. */
  readonly freeStorageBytes: number;
}

const MIB = 1024 ** 2;
/** Pressure begins when less than a tenth is free, and on a large disk less than this. */
const PRESSURE_SHARE = 0.1;
const PRESSURE_BYTES = 5 * 1024 * MIB;
/** It ends only when so many times that is free, so that it does not come and go. */
const RELIEF_FACTOR = 1.5;
/** With less, a guest that was paused because the disk was full would be paused again at once. */
const RESUME_SHARE = 0.01;
const MIN_RESUME_BYTES = 32 * MIB;
const MAX_RESUME_BYTES = 512 * MIB;
const POLL_MS = 5_000;

export const hasPressure = (space: DiskSpace, wasUnderPressure: boolean): boolean =>
  headroom(space) < (wasUnderPressure ? RELIEF_FACTOR : 1);

/** How many times as much is free as where pressure begins. */
const headroom = ({ freeBytes, totalBytes }: DiskSpace): number =>
  freeBytes / Math.min(totalBytes * PRESSURE_SHARE, PRESSURE_BYTES);

/** Whether guests that were paused because the disk was full can go on. */
export const hasRoomToResume = ({ freeBytes, totalBytes }: DiskSpace): boolean =>
  freeBytes >= Math.min(Math.max(totalBytes * RESUME_SHARE, MIN_RESUME_BYTES), MAX_RESUME_BYTES);

export interface DiskWatchOptions {
  /** Where volumes are kept. */
  readonly volumes: string;
  /** More directories that guests write to, perhaps on other file systems: one under pressure is enough. */
  readonly others?: readonly string[];
  readonly readSpace?: (directory: string) => Promise<DiskSpace>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Knows how full the disk of this node is. */
export class DiskWatch {
  readonly #options: DiskWatchOptions;
  readonly #listeners = new Set<(state: DiskState) => void>();
  #state: DiskState | undefined;
  /** Each directory has a hysteresis of its own. */
  #underPressure: ReadonlySet<string> = new Set();

  constructor(options: DiskWatchOptions) {
    this.#options = options;
  }

  /** What was read last. */
  get state(): DiskState | undefined {
    return this.#state;
  }

  /** Calls back when pressure begins or ends; the result ends it. */
  onPressureChange(callback: (state: DiskState) => void): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  async read(): Promise<DiskState> {
    const { volumes, others = [], readSpace = readDiskSpace } = this.#options;
    const [storage, ...rest] = await Promise.all([readSpace(volumes), ...others.map(readSpace)]);
    const spaces = [storage, ...rest];
    const under = spaces.filter((space) => hasPressure(space, this.#underPressure.has(space.directory)));
    this.#underPressure = new Set(under.map(({ directory }) => directory));
    const fullest = (under.length > 0 ? under : spaces).reduce((a, b) => (headroom(b) < headroom(a) ? b : a));
    const before = this.#state?.isUnderPressure ?? false;
    const state = { ...fullest, isUnderPressure: under.length > 0, freeStorageBytes: storage.freeBytes };
    this.#state = state;
    if (state.isUnderPressure !== before) for (const listener of this.#listeners) listener(state);
    return state;
  }

  /** Reads again and again until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted) {
      await pause(POLL_MS, signal, clock);
      if (signal.aborted) return;
      await this.read().catch((error: unknown) => log.warn('cannot read the free disk space', undefined, { error }));
    }
  }
}

export async function readDiskSpace(directory: string): Promise<DiskSpace> {
  const { blocks, bavail, bsize } = await statfs(directory);
  return { directory, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
