import type { Migration, MigrationState } from '../data/nodeKinds.ts';

/** How a migration is doing, for people. */
export interface MigrationWords {
  readonly name: string;
  readonly phase: string;
  readonly text: string;
  readonly isUnderWay: boolean;
  readonly hasFailed: boolean;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const PHASES: Readonly<Record<string, string>> = {
  Pending: 'waits for its turn',
  Scheduling: 'looks for a node',
  Scheduled: 'has found a node',
  PreparingTarget: 'prepares the other node',
  TargetReady: 'is about to begin',
  Running: 'copies memory and disks',
  Succeeded: 'has arrived',
  Failed: 'has failed',
};

export function migrationWords({ metadata, spec, status }: Migration, node: string | undefined): MigrationWords {
  const phase = status?.phase || 'Pending';
  const state: MigrationState = status?.migrationState ?? {};
  const from = state.sourceNode ?? node;
  const to = state.targetNode ?? spec?.addedNodeSelector?.['kubernetes.io/hostname'];
  const blocked = status?.conditions?.find(({ type, status: is }) => /Blocked|Rejected/.test(type) && is === 'True');
  const why = phase === 'Failed' ? state.failureReason : (blocked?.message ?? blocked?.reason);
  return {
    name: metadata.name,
    phase,
    text: [PHASES[phase] ?? phase, why].filter(Boolean).join(': '),
    isUnderWay: phase !== 'Succeeded' && phase !== 'Failed',
    hasFailed: phase === 'Failed',
    from,
    to,
  };
}

/** The newest migration of an instance. */
export const newestOf = (vmiName: string, migrations: readonly Migration[]): Migration | undefined =>
  migrations
    .filter(({ spec }) => spec?.vmiName === vmiName)
    .sort((a, b) => ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? 1 : -1))[0];
