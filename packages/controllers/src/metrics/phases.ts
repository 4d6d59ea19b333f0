import { isDeleting } from '@vireo/api';
import { isFinal, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Informer, Metrics } from '@vireo/kube';

const BUCKETS = [0.5, 1, 2, 5, 10, 20, 30, 40, 50, 60, 90, 120, 180, 300, 600, 1200, 1800, 3600];

/** How long a change of phase took, by what it is measured from; nothing where a time is not known. */
export interface PhaseChange {
  readonly phase: string;
  readonly lastPhase: string;
  readonly sinceLastSeconds?: number;
  readonly sinceCreationSeconds?: number;
  readonly sinceDeletionSeconds?: number;
}

/** What an update of a VMI says of its phases; undefined where they are as before. */
export function phaseChange(old: Vmi, vmi: Vmi): PhaseChange | undefined {
  const { phase = '' } = vmi.status ?? {};
  const lastPhase = old.status?.phase ?? '';
  if (phase === lastPhase) return undefined;
  const at = reachedAt(vmi, phase);
  const since = (time: string | undefined): number | undefined =>
    // Clocks of different hosts may differ, and fast changes fall into one second: never less than nothing.
    at && time ? Math.max(0, (Date.parse(at) - Date.parse(time)) / 1000) : undefined;
  const { creationTimestamp, deletionTimestamp } = vmi.metadata;
  return {
    phase,
    lastPhase,
    sinceLastSeconds: since(lastPhase === '' ? creationTimestamp : reachedAt(vmi, lastPhase)),
    sinceCreationSeconds: since(creationTimestamp),
    ...(isDeleting(vmi) && isFinal(vmi) && { sinceDeletionSeconds: since(deletionTimestamp) }),
  };
}

const reachedAt = ({ status }: Vmi, phase: string): string | undefined =>
  status?.phaseTransitionTimestamps?.find((each) => each.phase === phase)?.phaseTransitionTimestamp;

/** Times the phases of VMIs as they change. */
export function observePhases(metrics: Metrics, vmis: Informer<Vmi>): void {
  const base = 'kubevirt_vmi_phase_transition_time';
  const what = 'Histogram of VM phase transitions duration';
  const between = metrics.histogram(
    { name: `${base}_seconds`, help: `${what} between different phases in seconds.`, labels: ['phase', 'last_phase'] },
    BUCKETS,
  );
  const since = (event: string) =>
    metrics.histogram(
      { name: `${base}_from_${event}_seconds`, help: `${what} from ${event} time in seconds.`, labels: ['phase'] },
      BUCKETS,
    );
  const [fromCreation, fromDeletion] = [since('creation'), since('deletion')];
  vmis.on({
    updated: (old, vmi) => {
      const change = phaseChange(old, vmi);
      if (!change) return;
      const { phase, lastPhase, sinceLastSeconds, sinceCreationSeconds, sinceDeletionSeconds } = change;
      if (sinceLastSeconds !== undefined) between([phase, lastPhase], sinceLastSeconds);
      if (sinceCreationSeconds !== undefined) fromCreation([phase], sinceCreationSeconds);
      if (sinceDeletionSeconds !== undefined) fromDeletion([phase], sinceDeletionSeconds);
    },
  });
}
