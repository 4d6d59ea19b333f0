import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int64, list, string, struct } from '../../schema.ts';
import { ageDate } from '../customColumns.ts';
import { int, optional, required, within } from '../customResource.ts';
import { HarvesterCondition } from './harvesterParts.ts';
import { HARVESTER_GROUP } from './names.ts';
import { BackupError, HarvesterBackupSpec, HarvesterVolumeBackup } from './virtualMachineBackup.ts';

/** On backups, a label: the schedule that made them. */
export const SCHEDULE_LABEL = 'harvesterhci.io/svmbackupId';

export const ScheduledBackupInfo = struct(
  'io.harvesterhci.v1beta1.VMBackupInfo',
  'A backup that the schedule has made.',
  {
    error: optional(BackupError, 'Why the backup failed.'),
    name: optional(string, 'Name of the VirtualMachineBackup.'),
    readyToUse: optional(boolean, 'Whether the backup can be restored.'),
    volumeBackupInfo: optional(list(HarvesterVolumeBackup, 'atomic'), 'The volumes of the backup.'),
  },
);
export interface ScheduledBackupInfo extends Infer<typeof ScheduledBackupInfo> {}

export const ScheduleVmBackupSpec = struct(
  'io.harvesterhci.v1beta1.ScheduleVMBackupSpec',
  'When a VM is backed up, and how many of its backups are kept.',
  {
    cron: required(string, 'When backups are made, as in a CronJob, in UTC.'),
    maxFailure: optional(within(2, undefined, int), {
      default: 4,
      doc: 'Number of failed backups in a row after which the schedule suspends itself.',
    }),
    retain: optional(within(2, 250, int), { default: 8, doc: 'Number of backups that are kept.' }),
    suspend: optional(boolean, { default: false, doc: 'Whether no backups are made.' }),
    vmbackup: required(HarvesterBackupSpec, 'Spec of the VirtualMachineBackups.'),
  },
);
export interface ScheduleVmBackupSpec extends Infer<typeof ScheduleVmBackupSpec> {}

export const ScheduleVmBackupStatus = struct(
  'io.harvesterhci.v1beta1.ScheduleVMBackupStatus',
  'The backups of a schedule, and how they went.',
  {
    conditions: optional(
      list(HarvesterCondition, 'atomic'),
      'Conditions: BackupSuspend says whether and why no backups are made.',
    ),
    failure: optional(int64, 'Number of failed backups since the last that went well.'),
    suspended: optional(boolean, 'Whether no backups are made.'),
    vmbackupInfo: optional(list(ScheduledBackupInfo, 'atomic'), 'The backups that there are, the oldest first.'),
  },
);
export interface ScheduleVmBackupStatus extends Infer<typeof ScheduleVmBackupStatus> {}

export const ScheduleVmBackupSchema = struct(
  'io.harvesterhci.v1beta1.ScheduleVMBackup',
  'Backs up a VM again and again.',
  {
    ...objectFields,
    spec: required(ScheduleVmBackupSpec, 'Desired state of the ScheduleVMBackup.'),
    status: optional(ScheduleVmBackupStatus, 'Observed state of the ScheduleVMBackup. The system writes it.'),
  },
);
export interface ScheduleVmBackup extends Infer<typeof ScheduleVmBackupSchema> {}

export const ScheduleVmBackup = defineKind<ScheduleVmBackup>({
  group: HARVESTER_GROUP,
  version: 'v1beta1',
  kind: 'ScheduleVMBackup',
  plural: 'schedulevmbackups',
  namespaced: true,
  shortNames: ['svmbackup', 'svmbackups'],
  schema: ScheduleVmBackupSchema,
  columns: [
    { name: 'Cron', type: 'string', jsonPath: '.spec.cron', description: 'When backups are made.' },
    { name: 'Retain', type: 'integer', jsonPath: '.spec.retain', description: 'Number of backups that are kept.' },
    { name: 'Max_Failure', type: 'integer', jsonPath: '.spec.maxFailure', description: 'Failures that suspend it.' },
    {
      name: 'Type',
      type: 'string',
      jsonPath: '.spec.vmbackup.type',
      description: 'The type of the backups: backup or snapshot.',
    },
    {
      name: 'Source',
      type: 'string',
      jsonPath: '.spec.vmbackup.source.name',
      description: 'Name of the VM.',
    },
    { name: 'Suspended', type: 'boolean', jsonPath: '.status.suspended', description: 'Whether it is suspended.' },
    ageDate,
  ],
});
