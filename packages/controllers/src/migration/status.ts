import { type ConditionDraft, hasEnded, isDeleting, type Persisted, type Pod, timestamp } from '@vireo/api';
import { setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import { isHandedOff, type Migration, type MigrationStatus } from '@vireo/api/kinds/kubevirt/migration.ts';
import { isFinal, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimsToStart } from '../claims.ts';
import { isPrepared } from '../vmi/launcher.ts';

/** What is known of one migration that has not ended. */
export interface MigrationFacts {
  readonly migration: Migration;
  readonly vmi: Vmi;
  /** The pod that the guest is to move to. */
  readonly target: Persisted<Pod> | undefined;
  /** Whether what is plugged into the guest is at the target, too. */
  readonly isAttached: boolean;
  /** Whether the VMI moves already, by another migration that has not ended. */
  readonly isOtherUnderWay: boolean;
}

/** The state that the VMI has of this migration; undefined before it is handed over, and when another took its place. */
export function ownState({ migration, vmi }: Pick<MigrationFacts, 'migration' | 'vmi'>) {
  const state = vmi.status?.migrationState;
  return state?.migrationUid === migration.metadata.uid ? state : undefined;
}

const PHASES = [
  '',
  'Pending',
  'Scheduling',
  'Scheduled',
  'PreparingTarget',
  'TargetReady',
  'Running',
  'Succeeded',
] as const;
const AFTER_HANDOFF: readonly string[] = ['PreparingTarget', 'TargetReady', 'Running'];
const WITH_POD: readonly string[] = ['Scheduling', 'Scheduled', ...AFTER_HANDOFF];

const phaseOf = ({ status }: Migration): string => status?.phase ?? '';

/** What has to hold for a phase to be left for the next; nothing is left of a migration that has come to its end. */
const STEPS: Readonly<Record<string, (facts: MigrationFacts) => boolean>> = {
  '': () => true,
  Pending: ({ target }) => target !== undefined,
  Scheduling: ({ target, isAttached }) => target !== undefined && isPrepared(target) && isAttached,
  Scheduled: (facts) => ownState(facts) !== undefined,
  PreparingTarget: (facts) => Boolean(ownState(facts)?.targetNode && ownState(facts)?.targetNodeAddress),
  TargetReady: (facts) => ownState(facts)?.startTimestamp != null,
  Running: (facts) => ownState(facts)?.completed === true,
};

/** Whether the guest is at the target and its node has said so. */
export function hasSucceeded(facts: Pick<MigrationFacts, 'migration' | 'vmi'>): boolean {
  const state = ownState(facts);
  return state?.completed === true && !state.failed;
}

/** The phases that a migration has reached, the last one last; none where it stays in its own. */
export function reachedPhases(facts: MigrationFacts): string[] {
  const reached: string[] = [];
  let phase = phaseOf(facts.migration);
  while (hasSucceeded(facts) ? phase !== 'Succeeded' : STEPS[phase]?.(facts)) {
    const next = PHASES[PHASES.indexOf(phase as (typeof PHASES)[number]) + 1];
    if (next === undefined) break;
    reached.push(next);
    phase = next;
  }
  return reached;
}

/** Whether the target was made for the claims that the VMI has: nodes open what the VMI names. */
const hasVolumesOf = ({ spec }: Vmi, target: Persisted<Pod>): boolean =>
  claimsToStart(spec.volumes).every(
    ({ volume, claim }) =>
      target.spec?.volumes?.find(({ name }) => name === volume)?.persistentVolumeClaim?.claimName === claim,
  );

/** Why a migration cannot go on, and whether its nodes have to stop it first. */
export interface Failure {
  readonly message: string;
  /** The words for the VMI, of a migration that was handed over and of which no node has said how it ended. */
  readonly toStop?: { readonly reason: string; readonly isAbort: boolean };
}

const CANCELED = 'Live migration has been aborted';
const TARGET_DOWN = 'Target pod is down';

/** The first reason that applies; undefined where nothing stands in the way. */
export function failureOf(facts: MigrationFacts): Failure | undefined {
  const { migration, vmi, target } = facts;
  const phase = phaseOf(migration);
  const state = ownState(facts);
  if (hasSucceeded(facts)) return undefined;
  if (isFinal(vmi)) return { message: 'Migration failed vmi shutdown during migration.' };
  if (state?.failed) return { message: 'source node reported migration failed' };
  const isOpen = state !== undefined && isHandedOff(vmi);
  const stopping = (reason: string, isAbort: boolean) => (isOpen ? { toStop: { reason, isAbort } } : {});
  if (isDeleting(migration)) return { message: 'Migration failed due to being canceled', ...stopping(CANCELED, true) };
  if (AFTER_HANDOFF.includes(phase) && !state)
    return {
      message: vmi.status?.migrationState?.migrationUid
        ? "VMI's migration state was taken over by another migration job during active migration."
        : "VMI's migration state was cleared during the active migration.",
    };
  if (target && (hasEnded(target) || isDeleting(target)))
    return {
      message: 'Migration failed because target pod shutdown during migration',
      ...stopping(TARGET_DOWN, false),
    };
  if (!target && WITH_POD.includes(phase))
    return {
      message: 'Migration target pod was removed during active migration.',
      ...stopping(TARGET_DOWN, false),
    };
  if (!state && target && !hasVolumesOf(vmi, target))
    return { message: 'The volumes of the VMI were changed while its migration was being prepared.' };
  if (!state && facts.isOtherUnderWay)
    return { message: 'VMI is not eligible for migration because another migration job is in progress.' };
  return undefined;
}

/** What a pass has found out beside the facts. */
export interface Outcome {
  readonly failure?: string | undefined;
  readonly sourcePod?: string | undefined;
  /** What the migration waits for before it begins. */
  readonly blocked?: ConditionDraft | undefined;
  /** Why the server refused the target pod for its quota. */
  readonly quota?: string | undefined;
}

const CONDITIONS = [
  'migrationAbortRequested',
  'migrationRejectedByResourceQuota',
  'migrationBlockedByBackup',
  'migrationBlockedByUtilityVolumes',
];

/** The status that a migration should have. */
export function migrationStatus(facts: MigrationFacts, outcome: Outcome, now: Date): MigrationStatus {
  const before = facts.migration.status ?? {};
  const reached = outcome.failure === undefined ? reachedPhases(facts) : ['Failed'];
  const phase = reached.at(-1) ?? before.phase ?? '';
  const isEnd = phase === 'Succeeded' || phase === 'Failed';
  const news = reached.map((each) => ({ phase: each, phaseTransitionTimestamp: timestamp(now) }));
  const conditions = setConditions(before.conditions, conditionDrafts(facts, outcome, isEnd), now, CONDITIONS);
  const { sourcePod } = outcome;
  const state = isEnd ? (ownState(facts) ?? before.migrationState) : before.migrationState;
  const failureReason = state?.failureReason ?? outcome.failure;
  return {
    ...before,
    phase,
    ...(conditions.length > 0 || before.conditions ? { conditions } : {}),
    ...(news.length > 0 && { phaseTransitionTimestamps: [...(before.phaseTransitionTimestamps ?? []), ...news] }),
    ...((state || sourcePod || (isEnd && failureReason)) && {
      migrationState: {
        ...(sourcePod !== undefined && { sourcePod }),
        ...state,
        ...(phase === 'Failed' && failureReason && { failureReason }),
      },
    }),
  };
}

function conditionDrafts(facts: MigrationFacts, { quota, blocked }: Outcome, isEnd: boolean): ConditionDraft[] {
  const isAborting = isDeleting(facts.migration) && ownState(facts) !== undefined;
  return [
    ...(blocked && !isEnd ? [blocked] : []),
    ...(isAborting
      ? [
          {
            type: 'migrationAbortRequested',
            status: 'True',
            reason: 'AbortRequested',
            message: 'The migration was deleted: it is aborted',
          },
        ]
      : []),
    ...(quota !== undefined && !isEnd
      ? [
          {
            type: 'migrationRejectedByResourceQuota',
            status: 'True',
            reason: 'RejectedByResourceQuota',
            message: quota,
          },
        ]
      : []),
  ];
}
