/** Names and predicates of migrations that several packages need. */

import type { Persisted } from '../../meta.ts';
import type { Pod } from '../core/pod.ts';
import type { VirtualMachineInstance } from './virtualMachineInstance.ts';
import { VirtualMachineInstanceMigration } from './virtualMachineInstanceMigration.ts';
import { isMigrating } from './vmi.ts';

export type Migration = Persisted<VirtualMachineInstanceMigration>;
export const Migration = VirtualMachineInstanceMigration;
export type MigrationStatus = NonNullable<Migration['status']>;

/** Keeps a migration until it has ended and its target pod is taken care of. */
export const MIGRATION_FINALIZER = 'kubevirt.io/migrationJobFinalize';
/** On migrations: the VMI that they are of. */
export const VMI_NAME_LABEL = 'kubevirt.io/vmi-name';
/** On launcher and attachment pods: the uid of the migration that they were made for. */
export const MIGRATION_JOB_LABEL = 'kubevirt.io/migrationJobUID';
/** On the same pods: the name of that migration. */
export const MIGRATION_JOB_NAME_ANNOTATION = 'kubevirt.io/migrationJobName';
/** On VMIs: the node that they move to. */
export const MIGRATION_TARGET_NODE_LABEL = 'kubevirt.io/migrationTargetNodeName';
/** On target pods: when the guest was seen there. Whoever routes addresses by pods moves them on it. */
export const MIGRATION_TARGET_READY_ANNOTATION = 'kubevirt.io/migration-target-ready-timestamp';
/** On VMIs that move for longer than a moment, by the node that they leave: how far, as JSON. */
export const MIGRATION_PROGRESS_ANNOTATION = 'vireo.io/migration-progress';
/** On migrations that bring a VMI up to date. */
export const WORKLOAD_UPDATE_MIGRATION_ANNOTATION = 'kubevirt.io/workloadUpdateMigration';

/** For tests, on VMIs: their migrations fail as soon as they have begun. */
export const FORCED_FAILURE_ANNOTATION = 'kubevirt.io/func-test-force-launcher-migration-failure';
/** For tests, on VMIs: the target of a migration does not get ready for the guest. */
export const BLOCKED_TARGET_ANNOTATION = 'kubevirt.io/func-test-block-migration-target-preparation';
/** For tests, on migrations and their target pods: an image that no node has, so that the pod stays pending. */
export const TARGET_IMAGE_ANNOTATION = 'kubevirt.io/func-test-migration-target-image-override';

/** Why the file systems of a guest that moves are not frozen: nobody would know to thaw them where it comes to. */
export const MIGRATING_FREEZE = 'Cannot freeze file systems while VMI migration is in progress';

/**
 * Why a guest that moves is neither paused nor resumed: it goes on where it comes to as it was when it left, and one that
 * stands still because it may have left must not go on.
 */
export const MIGRATING_PAUSE = 'Cannot pause or unpause VMI while VMI migration is in progress';

/** What `MIGRATION_PROGRESS_ANNOTATION` says. */
export interface MigrationProgress {
  /** Of the data that there is to move now: a guest that writes adds to it. */
  readonly percent: number;
  readonly totalBytes: number;
  readonly remainingBytes: number;
}

/** How far the migration of a VMI is; undefined where its node has said nothing. */
export function migrationProgress({ metadata }: VirtualMachineInstance): MigrationProgress | undefined {
  const text = metadata.annotations?.[MIGRATION_PROGRESS_ANNOTATION];
  try {
    const { percent, totalBytes, remainingBytes } = JSON.parse(text ?? '{}') as Partial<MigrationProgress>;
    return typeof percent === 'number' && typeof totalBytes === 'number' && typeof remainingBytes === 'number'
      ? { percent, totalBytes, remainingBytes }
      : undefined;
  } catch {
    // Whatever stands there, it is nobody's word.
    return undefined;
  }
}

/** Values of labels are not longer; names of VMIs may be. */
const LONGEST_LABEL = 63;

/** The label of migrations of a VMI; none where its name is too long. */
export const vmiNameLabel = (vmiName: string): Readonly<Record<string, string>> =>
  vmiName.length <= LONGEST_LABEL ? { [VMI_NAME_LABEL]: vmiName } : {};

/** Selects the migrations of a VMI; those of others as well where its name is too long for a label. */
export const selectMigrationsOf = (vmiName: string): { readonly labelSelector?: string } =>
  vmiName.length <= LONGEST_LABEL ? { labelSelector: `${VMI_NAME_LABEL}=${vmiName}` } : {};

export const isFinalMigration = ({ status }: VirtualMachineInstanceMigration): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Whether a migration of the VMI was handed over to its nodes and has not ended: its guest may be on its way. */
export function isHandedOff({ status }: VirtualMachineInstance): boolean {
  const { migrationUid, completed, failed } = status?.migrationState ?? {};
  return migrationUid !== undefined && !completed && !failed;
}

/** Whether a guest may be at the target of its migration, as far as its VMI tells. */
export const mayBeAtTarget = (vmi: VirtualMachineInstance): boolean =>
  isMigrating(vmi) && vmi.status?.nodeName === vmi.status?.migrationState?.sourceNode;

/**
 * Whether the target of a migration that goes on was given up: whoever gives a node up writes why the migration fails
 * before it has ended. The source may then have the guest go on, and the target must not. Either this is written first, or
 * that the guest has come: the server refuses the other.
 */
export const isTargetGivenUp = (vmi: VirtualMachineInstance): boolean =>
  mayBeAtTarget(vmi) && vmi.status?.migrationState?.failureReason !== undefined;

/** Whether a guest is moving to a node of which nobody has said that it is off. */
export const isMovingTo = (node: string, vmi: VirtualMachineInstance): boolean =>
  mayBeAtTarget(vmi) && vmi.status?.migrationState?.targetNode === node && !isTargetGivenUp(vmi);

/** Whether a launcher pod was made for a migration whose guest has not come to it. */
export const isMigrationTarget = ({ metadata, spec }: Pod, { status }: VirtualMachineInstance): boolean =>
  metadata.labels?.[MIGRATION_JOB_LABEL] !== undefined && spec?.nodeName !== status?.nodeName;
