import type { MigrationProgress } from '@vireo/api/kinds/kubevirt/migration.ts';

/** What libvirt says of a move. */
interface JobStats {
  number(name: string): number | undefined;
}

/**
 * How far a move is, by what libvirt counts; undefined before it counts. `bytes`: what there is to move. libvirt counts
 * memory only when disks are copied.
 */
export function progressOf(stats: JobStats, bytes: number): MigrationProgress | undefined {
  const [counted = 0, remaining = 0] = ['data_total', 'data_remaining'].map((name) => stats.number(name));
  if (counted <= 0) return undefined;
  const totalBytes = Math.max(counted, bytes);
  const remainingBytes = remaining + totalBytes - counted;
  const percent = Math.floor((100 * Math.max(0, totalBytes - remainingBytes)) / totalBytes);
  return { percent, totalBytes, remainingBytes };
}

/** Most moves are over by then, and nobody has to be told. */
const FIRST_MS = 2_000;
const SHORTEST_MS = 5_000;
const LONGEST_MS = 30_000;

/** Chooses the moments at which the progress of a move is written: seldom, and less often the longer it takes. */
export class ProgressSchedule {
  #nextMs = FIRST_MS;
  #pauseMs = SHORTEST_MS;
  #last: MigrationProgress | undefined;

  /** Whether this is to be written, so long after the beginning. */
  isDue(progress: MigrationProgress | undefined, elapsedMs: number): progress is MigrationProgress {
    if (!progress || elapsedMs < this.#nextMs) return false;
    const { percent, remainingBytes } = this.#last ?? {};
    if (progress.percent === percent && progress.remainingBytes === remainingBytes) return false;
    this.#last = progress;
    this.#nextMs = elapsedMs + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_MS);
    return true;
  }
}
