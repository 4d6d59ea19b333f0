import { hasEverRun, type Vmi } from '../kinds.ts';

/** A guest that fails sooner than this after it ran has not really started. */
const PROVEN_AFTER_MS = 10_000;

/** Whether an instance failed before its guest was of any use: the next one will hardly do better. */
export function diedYoung(vmi: Vmi): boolean {
  if (vmi.status?.phase !== 'Failed') return false;
  if (!hasEverRun(vmi)) return true;
  const [ranAt, failedAt] = [reachedAtMs(vmi, 'Running'), reachedAtMs(vmi, 'Failed')];
  return ranAt !== undefined && failedAt !== undefined && failedAt - ranAt < PROVEN_AFTER_MS;
}

function reachedAtMs({ status }: Vmi, wanted: string): number | undefined {
  const reached = status?.phaseTransitionTimestamps?.find(({ phase }) => phase === wanted)?.phaseTransitionTimestamp;
  return reached ? Date.parse(reached) : undefined;
}
