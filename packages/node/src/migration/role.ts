import type { Pod } from '@vireo/api';
import {
  BLOCKED_TARGET_ANNOTATION,
  isTargetGivenUp,
  MIGRATION_JOB_LABEL,
} from '@vireo/api/kinds/kubevirt/migration.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { OutcomeAnswer } from './peerProtocol.ts';

export type MigrationState = NonNullable<VmiStatus['migrationState']>;

/** A migration that was handed over to the two nodes. */
export type HandedOver = MigrationState & {
  readonly migrationUid: string;
  readonly sourceNode: string;
  readonly targetNode: string;
  readonly targetPod: string;
};

/** The migration of a VMI that is its nodes' to carry out; undefined where there is none, or it has ended. */
export function currentMigration(vmi: Vmi | undefined): HandedOver | undefined {
  const state = vmi?.status?.migrationState;
  if (!state || state.completed || state.failed || state.endTimestamp) return undefined;
  const { migrationUid, sourceNode, targetNode, targetPod } = state;
  return migrationUid && sourceNode && targetNode && targetPod ? (state as HandedOver) : undefined;
}

/** Whether a VMI says that its guest runs on the target of a migration. */
export function hasMoved(vmi: Vmi | undefined, { migrationUid, targetNode }: HandedOver): boolean {
  const { nodeName, migrationState } = vmi?.status ?? {};
  return nodeName === targetNode && migrationState?.migrationUid === migrationUid && migrationState.completed === true;
}

/** Where a guest is by what its VMI says, as the server has it; undefined while only the target knows. */
export function writtenOutcome(vmi: Vmi | undefined, migration: HandedOver): OutcomeAnswer | undefined {
  if (hasMoved(vmi, migration)) return { outcome: 'running' };
  const { migrationUid, failureReason } = vmi?.status?.migrationState ?? {};
  if (!vmi || migrationUid !== migration.migrationUid || !isTargetGivenUp(vmi)) return undefined;
  return { outcome: 'gone', reason: failureReason };
}

/** What a node has to do with the guest of a VMI that it has something of. */
export type MigrationRole =
  /** The guest is here, and nothing moves it; or it is nobody's yet. */
  | 'owner'
  /** The guest is here and is to go. */
  | 'source'
  /** The guest is to come, or has just come and its VMI does not say so yet. */
  | 'target'
  /** The guest is elsewhere. */
  | 'former';

/** Which of them a node is. `pod`: the launcher on the node. */
export function migrationRole(vmi: Vmi, pod: Pod | undefined, node: string): MigrationRole {
  const { nodeName, migrationState } = vmi.status ?? {};
  const migration = currentMigration(vmi);
  if (!nodeName || nodeName === node) return migration?.sourceNode === node ? 'source' : 'owner';
  if (migration?.targetNode === node && migration.targetPod === pod?.metadata.name) return 'target';
  // It was made for a migration, and is not the launcher that the guest has left.
  const isMadeForMigration = pod?.metadata.labels?.[MIGRATION_JOB_LABEL] !== undefined;
  return isMadeForMigration && migrationState?.sourcePod !== pod?.metadata.name ? 'target' : 'former';
}

/** Whether the guest does not come by the migration that a launcher was made for. */
export function isTargetOver(vmi: Vmi, pod: Pod | undefined): boolean {
  const { migrationUid, completed, failed, endTimestamp } = vmi.status?.migrationState ?? {};
  return (
    migrationUid !== undefined &&
    pod?.metadata.labels?.[MIGRATION_JOB_LABEL] === migrationUid &&
    Boolean(completed || failed || endTimestamp || isTargetGivenUp(vmi))
  );
}

/** Whether a test wants the target of a migration not to get ready. */
export const isTargetBlocked = ({ metadata }: Vmi): boolean =>
  metadata.annotations?.[BLOCKED_TARGET_ANNOTATION] !== undefined;
