import type { Migration, MigrationState, MovingVmi } from '../data/nodeKinds.ts';

/** A guest that is on its way to another node. */
export interface Move {
  readonly to: string | undefined;
  /** How far it is; undefined where nobody says. */
  readonly percent: number | undefined;
  readonly remainingBytes: number | undefined;
}

/** On instances, by Vireo's nodes; KubeVirt's say only in the logs how far a migration is. */
const PROGRESS = 'vireo.io/migration-progress';

/** Where a guest is going, and how far it is; undefined if it stays. */
export function moveOf({ metadata, status }: MovingVmi): Move | undefined {
  const { startTimestamp, endTimestamp, targetNode } = status?.migrationState ?? {};
  if (startTimestamp === undefined || endTimestamp !== undefined) return undefined;
  return { to: targetNode, ...progressIn(metadata.annotations?.[PROGRESS]) };
}

function progressIn(text: string | undefined): Omit<Move, 'to'> {
  try {
    const { percent, remainingBytes }: { percent?: unknown; remainingBytes?: unknown } = JSON.parse(text ?? '{}') ?? {};
    return {
      percent: typeof percent === 'number' ? Math.min(100, Math.max(0, Math.floor(percent))) : undefined,
      remainingBytes: typeof remainingBytes === 'number' && remainingBytes >= 0 ? remainingBytes : undefined,
    };
  } catch {
    return { percent: undefined, remainingBytes: undefined };
  }
}

/** `Migrating to node-2 · 43 %`. */
export const moveText = ({ to, percent }: Pick<Move, 'to' | 'percent'>): string =>
  `Migrating${to === undefined ? '' : ` to ${to}`}${percent === undefined ? '' : ` · ${percent} %`}`;

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
  Pending: 'waiting for its turn',
  Scheduling: 'looking for a node',
  Scheduled: 'node found',
  PreparingTarget: 'preparing the target node',
  TargetReady: 'about to start',
  Running: 'copying memory and disks',
  Succeeded: 'succeeded',
  Failed: 'failed',
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
