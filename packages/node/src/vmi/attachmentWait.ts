import type { NodeContext } from '../context.ts';
import type { ClaimProblem } from '../volumes/claimDisk.ts';
import type { LocalVmi } from './localVmi.ts';

/** An attachment pod mostly comes within this: until then no status says that a volume waits for it. */
export const ATTACHMENT_GRACE_MS = 1_000;

/** What is said of a volume whose claim no attachment pod names yet. `expected`: nothing, for it may come at any moment. */
export function waitForAttachment(
  { key, cache }: Pick<LocalVmi, 'key' | 'cache'>,
  volume: string,
  claim: string,
  { volumes, clock }: Pick<NodeContext, 'volumes' | 'clock'>,
): ClaimProblem | 'expected' {
  const claimKey = `${key.slice(0, key.indexOf('/'))}/${claim}`;
  const problem = volumes.claimProblem(claimKey);
  if (problem) {
    cache.awaited.delete(volume);
    return problem;
  }
  const sinceMs = cache.awaited.get(volume) ?? clock.now();
  cache.awaited.set(volume, sinceMs);
  if (clock.now() - sinceMs < ATTACHMENT_GRACE_MS) return 'expected';
  const message = `PersistentVolumeClaim ${claimKey} is bound, but volume ${volume} is waiting for its attachment pod: see the events of the VirtualMachineInstance and of pods hp-volume-*`;
  return { phase: 'Bound', reason: 'PVCNotReady', message };
}
