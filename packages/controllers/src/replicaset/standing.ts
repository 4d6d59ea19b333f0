import { findCondition, hasStatus } from '../conditions.ts';
import { isDeleting, isFinal, type Vmi } from '../kinds.ts';

/**
 * What an instance is to its set.
 *
 * - `going`: deleted, and perhaps still shutting down. Its replacement does not wait for the end.
 * - `finished`: its guest has ended; it is replaced and deleted.
 * - `losing`: its launcher is being taken away under it; it is replaced and deleted at once.
 * - `starting`, `ready`: it counts.
 */
export type Standing = 'going' | 'finished' | 'losing' | 'starting' | 'ready';

export function standingOf(vmi: Vmi): Standing {
  if (isDeleting(vmi)) return 'going';
  if (isFinal(vmi)) return 'finished';
  const ready = findCondition(vmi.status?.conditions, 'Ready');
  if (ready?.status === 'False' && ready.reason === 'PodTerminating') return 'losing';
  return hasStatus(vmi.status?.conditions, 'Ready', 'True') ? 'ready' : 'starting';
}

/** The instances of a set by what they are to it. */
export interface Census {
  /** Those that count as replicas. */
  readonly active: readonly Vmi[];
  readonly readyCount: number;
  /** Those that are of no use any more and that nobody has deleted yet. */
  readonly spent: readonly Vmi[];
}

export function census(members: readonly Vmi[]): Census {
  const active: Vmi[] = [];
  const spent: Vmi[] = [];
  let readyCount = 0;
  for (const vmi of members) {
    const standing = standingOf(vmi);
    if (standing === 'finished' || standing === 'losing') spent.push(vmi);
    if (standing === 'starting' || standing === 'ready') active.push(vmi);
    if (standing === 'ready') readyCount += 1;
  }
  return { active, readyCount, spent };
}

export const together = (a: Census, b: Census): Census => ({
  active: [...a.active, ...b.active],
  readyCount: a.readyCount + b.readyCount,
  spent: [...a.spent, ...b.spent],
});
