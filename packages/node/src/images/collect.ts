/** A disk in the cache. */
export interface CacheEntry {
  readonly name: string;
  /** Whether a VM stands on it. */
  readonly isUsed: boolean;
  readonly lastUsedMs: number;
  readonly sizeBytes: number;
}

export interface Space {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** A VM that is stopped over the holidays finds its image again. */
const KEPT_UNUSED_MS = 14 * 24 * 3_600_000;
/** From here on disks are removed before their time, down to there: kubelet's figures. */
const HIGH_THRESHOLD = 0.85;
const LOW_THRESHOLD = 0.8;
/** Between being found and being linked by its VM. */
const JUST_USED_MS = 120_000;

/** Which disks go: those that nobody has used for long, and under pressure the longest unused of the others. */
export function disksToRemove(entries: readonly CacheEntry[], space: Space, nowMs: number): string[] {
  const { freeBytes, totalBytes } = space;
  const unused = entries
    .filter(({ isUsed, lastUsedMs }) => !isUsed && nowMs - lastUsedMs >= JUST_USED_MS)
    .sort((a, b) => a.lastUsedMs - b.lastUsedMs);
  let takenBytes = totalBytes - freeBytes;
  const isFull = takenBytes > totalBytes * HIGH_THRESHOLD;
  const removed: string[] = [];
  for (const { name, lastUsedMs, sizeBytes } of unused) {
    const isOld = nowMs - lastUsedMs >= KEPT_UNUSED_MS;
    const isUnderPressure = isFull && takenBytes > totalBytes * LOW_THRESHOLD;
    if (!isOld && !isUnderPressure) continue;
    removed.push(name);
    takenBytes -= sizeBytes;
  }
  return removed;
}
