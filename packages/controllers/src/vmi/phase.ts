import { hasEnded, isDeleting, type Persisted, type Pod, timestamp } from '@vireo/api';
import { isHandedOff } from '@vireo/api/kinds/kubevirt/migration.ts';
import { isFinal, isHandedOver, type Vmi, type VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { endedAtMs, isDownOrGoing, isPrepared } from './launcher.ts';

/**
 * How long a node may take to say how the guest ended, after it has said that the launcher did. Without that time a
 * guest that shut itself down would now and then be reported as failed.
 */
export const END_REPORT_TIMEOUT_MS = 10_000;

/**
 * The phase of a VMI after a look at its launcher. Once handed over, only its node tells how the guest is: a launcher that
 * is gone, or that somebody else has marked as failed, ends no guest.
 */
export function nextPhase(vmi: Vmi, pod: Persisted<Pod> | undefined, nowMs: number): string {
  const phase = vmi.status?.phase ?? '';
  if (isFinal(vmi)) return phase;
  // The launcher that a guest moves away from ends before the other node has said that the guest is there.
  if (isHandedOver(vmi)) return pod && !isHandedOff(vmi) && isEndReportOverdue(pod, nowMs) ? 'Failed' : phase;
  if (!pod) return isDeleting(vmi) || phase === 'Scheduling' ? 'Failed' : 'Pending';
  if (isDownOrGoing(pod)) return 'Failed';
  return isPrepared(pod) ? 'Scheduled' : 'Scheduling';
}

/** Only a node reports that containers have terminated; the garbage collector of pods marks them as failed and knows nothing. */
function isEndReportOverdue(pod: Persisted<Pod>, nowMs: number): boolean {
  const endedMs = endedAtMs(pod);
  return hasEnded(pod) && endedMs !== undefined && nowMs - endedMs >= END_REPORT_TIMEOUT_MS;
}

const PHASE_ORDER = ['Pending', 'Scheduling', 'Scheduled'];

/** The times of phases with those that were reached since; what happened too fast to be written is among them. */
export function phaseTimes(before: VmiStatus, phase: string, now: Date): VmiStatus['phaseTransitionTimestamps'] {
  const known = before.phaseTransitionTimestamps ?? [];
  if (phase === before.phase) return before.phaseTransitionTimestamps;
  const from = PHASE_ORDER.indexOf(before.phase ?? '');
  const to = PHASE_ORDER.indexOf(phase);
  const passed = to < 0 ? [phase] : PHASE_ORDER.slice(from + 1, to + 1);
  const news = passed.map((name) => ({ phase: name, phaseTransitionTimestamp: timestamp(now) }));
  return [...known, ...news];
}
