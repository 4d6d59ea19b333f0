import { type ConditionDraft, conditionOf, timestamp } from '@vireo/api';
import type {
  BackupTargetStatus,
  HarvesterBackup,
  HarvesterBackupStatus,
  HarvesterVolumeBackup,
} from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { harvesterConditions } from '../harvester/conditions.ts';
import type { BackupDocument } from './document.ts';

type Status = HarvesterBackupStatus;

/** Why a backup cannot be restored that could be: its data is not at the target any more. */
const DATA_MISSING = 'DataMissing';
/** Until everything is stored a backup is never said to be whole. */
const ALMOST = 99;

const withConditions = (status: Status, drafts: readonly ConditionDraft[], now: Date): Status => ({
  ...status,
  conditions: harvesterConditions(status.conditions, drafts, now),
});

/** A backup that has begun. */
export const begunStatus = (
  backup: HarvesterBackup,
  { sourceUID, backupTarget }: { readonly sourceUID: string; readonly backupTarget?: BackupTargetStatus | undefined },
  now: Date,
): Status =>
  withConditions(
    { ...backup.status, sourceUID, ...(backupTarget && { backupTarget }), progress: 0, readyToUse: false },
    [
      { type: 'InProgress', status: 'True' },
      { type: 'Ready', status: 'False', reason: 'InProgress' },
    ],
    now,
  );

/** Waiting for something that others have to do, or that has to get better. */
export const waitingStatus = (backup: HarvesterBackup, message: string, now: Date): Status =>
  withConditions({ ...backup.status }, [{ type: 'InProgress', status: 'True', reason: 'Waiting', message }], now);

/** The snapshot is taken: what is in the backup is known. */
export const takenStatus = (
  backup: HarvesterBackup,
  contents: Pick<
    Status,
    'creationTime' | 'csiDriverVolumeSnapshotClassNames' | 'secretBackups' | 'source' | 'volumeBackups'
  >,
  now: Date,
): Status => withConditions({ ...backup.status, ...contents }, [{ type: 'InProgress', status: 'True' }], now);

/** How far the volumes are, by name in percent. */
export function progressStatus(backup: HarvesterBackup, percentOf: (volume: string) => number, now: Date): Status {
  const { volumeBackups = [] } = backup.status ?? {};
  const volumes = volumeBackups.map((each) => ({ ...each, progress: percentOf(each.volumeName ?? '') }));
  return withConditions(
    { ...backup.status, volumeBackups: volumes, progress: Math.min(ALMOST, totalPercent(volumes)) },
    [{ type: 'InProgress', status: 'True' }],
    now,
  );
}

/** How much of all volumes is done, by their sizes. */
export function totalPercent(volumes: readonly Pick<HarvesterVolumeBackup, 'progress' | 'volumeSize'>[]): number {
  const total = volumes.reduce((bytes, { volumeSize = 0 }) => bytes + volumeSize, 0);
  if (total === 0) return 0;
  const done = volumes.reduce((bytes, { volumeSize = 0, progress = 0 }) => bytes + (volumeSize * progress) / 100, 0);
  return Math.floor((done / total) * 100);
}

/** The backup is whole. */
export const readyStatus = (backup: HarvesterBackup, now: Date): Status => {
  const { error: _, ...status } = backup.status ?? {};
  const volumes = (status.volumeBackups ?? []).map((each) => ({ ...each, progress: 100, readyToUse: true }));
  return withConditions(
    { ...status, progress: 100, readyToUse: true, volumeBackups: volumes },
    [
      { type: 'InProgress', status: 'False' },
      { type: 'Ready', status: 'True', message: 'Operation complete' },
      ...(backup.spec.type === 'snapshot' ? [] : [{ type: 'MetadataReady', status: 'True' }]),
    ],
    now,
  );
};

/** Given up for good. */
export const failedStatus = (backup: HarvesterBackup, message: string, now: Date): Status =>
  withConditions(
    { ...backup.status, readyToUse: false, error: { message, time: timestamp(now) } },
    [
      { type: 'InProgress', status: 'False', reason: 'Error', message },
      { type: 'Ready', status: 'False', reason: 'Error', message },
    ],
    now,
  );

/** Why a backup has failed for good; undefined where it has not. */
export function failureOf(backup: HarvesterBackup): string | undefined {
  const condition = conditionOf(backup, 'InProgress');
  return condition?.status === 'False' && condition.reason === 'Error' ? (condition.message ?? 'Error') : undefined;
}

/** A backup that was found at the target. */
export const foundStatus = ({ status }: BackupDocument, backupTarget: BackupTargetStatus, now: Date): Status =>
  withConditions(
    { ...status, backupTarget, conditions: [], progress: 100, readyToUse: true },
    [
      { type: 'InProgress', status: 'False' },
      { type: 'Ready', status: 'True', message: 'Operation complete' },
      { type: 'MetadataReady', status: 'True' },
    ],
    now,
  );

/** The data of a backup is gone: somebody else has removed it. */
export const missingStatus = (backup: HarvesterBackup, where: string, now: Date): Status => {
  const message = `the data of the backup is not there any more: ${where}`;
  return withConditions(
    { ...backup.status, readyToUse: false, error: { message, time: timestamp(now) } },
    [
      { type: 'InProgress', status: 'False' },
      { type: 'Ready', status: 'False', reason: DATA_MISSING, message },
      { type: 'MetadataReady', status: 'False', reason: DATA_MISSING },
    ],
    now,
  );
};

/** Whether the data of a backup that was whole is gone. */
export const isDataMissing = (backup: HarvesterBackup): boolean =>
  conditionOf(backup, 'Ready')?.reason === DATA_MISSING;
