import { conditionOf } from '../../conditions.ts';
import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { isDeleting } from '../../objects.ts';
import { boolean, type Infer, int64, list, oneOf, string, struct, time } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { ageDate } from '../customColumns.ts';
import { int, optional, required } from '../customResource.ts';
import { SnapshotPersistentVolumeClaim } from '../snapshot/virtualMachineSnapshotContent.ts';
import { HarvesterCondition } from './harvesterParts.ts';
import { HARVESTER_GROUP } from './names.ts';

export const HarvesterVolumeRestore = struct('io.harvesterhci.v1beta1.VolumeRestore', 'One volume of a restore.', {
  longhornEngineName: optional(string, 'Not used: Vireo restores volumes by itself.'),
  persistentVolumeClaimSpec: optional(SnapshotPersistentVolumeClaim, 'The claim that the volume is restored to.'),
  progress: optional(int, 'Percent of the volume that is restored.'),
  volumeBackupName: optional(string, 'Name of the VolumeSnapshot that the data comes from.'),
  volumeName: optional(string, 'Name of the volume in the VM.'),
  volumeSize: optional(int64, 'Size of the volume in bytes.'),
});
export interface HarvesterVolumeRestore extends Infer<typeof HarvesterVolumeRestore> {}

export const HarvesterRestoreSpec = struct(
  'io.harvesterhci.v1beta1.VirtualMachineRestoreSpec',
  'The backup to restore, and the VM that it becomes. It never changes.',
  {
    deletionPolicy: optional(
      oneOf('delete', 'retain'),
      'What becomes of the claims that a VM had before it was replaced. Defaults to delete.',
    ),
    haltAfterRestore: optional(boolean, 'Whether the VM stays stopped. Otherwise it is started.'),
    keepMacAddress: optional(boolean, 'Whether a new VM gets the MAC addresses of the one that was backed up.'),
    newVM: optional(boolean, 'Whether a new VM is created. Otherwise the target is replaced.'),
    target: required(TypedLocalObjectReference, 'The VirtualMachine to create or to replace.'),
    virtualMachineBackupName: required(string, 'Name of the VirtualMachineBackup.'),
    virtualMachineBackupNamespace: optional(
      string,
      'Namespace of the VirtualMachineBackup. Defaults to that of the restore.',
    ),
  },
);
export interface HarvesterRestoreSpec extends Infer<typeof HarvesterRestoreSpec> {}

export const HarvesterRestoreStatus = struct(
  'io.harvesterhci.v1beta1.VirtualMachineRestoreStatus',
  'Progress of a VirtualMachineRestore.',
  {
    complete: optional(boolean, 'Whether everything is restored.'),
    conditions: optional(list(HarvesterCondition, 'atomic'), 'Conditions: Ready and InProgress.'),
    deletedVolumes: optional(list(string, 'atomic'), 'Claims of the VM before it was replaced, which are deleted.'),
    progress: optional(int, 'Percent of the data that is restored.'),
    restores: optional(list(HarvesterVolumeRestore, 'atomic'), 'The volumes that are restored.'),
    restoreTime: optional(time, 'When everything was restored.'),
    targetUID: optional(string, 'UID of the VM.'),
  },
);
export interface HarvesterRestoreStatus extends Infer<typeof HarvesterRestoreStatus> {}

export const HarvesterRestoreSchema = struct(
  'io.harvesterhci.v1beta1.VirtualMachineRestore',
  'Restores a VirtualMachineBackup, to a new VM or in place of one.',
  {
    ...objectFields,
    spec: required(HarvesterRestoreSpec, 'Desired state of the VirtualMachineRestore.'),
    status: optional(HarvesterRestoreStatus, 'Observed state of the VirtualMachineRestore. The system writes it.'),
  },
);
export interface HarvesterRestore extends Infer<typeof HarvesterRestoreSchema> {}

/** Harvester's VirtualMachineRestore, which is not the one of KubeVirt. */
export const HarvesterRestore = defineKind<HarvesterRestore>({
  group: HARVESTER_GROUP,
  version: 'v1beta1',
  kind: 'VirtualMachineRestore',
  plural: 'virtualmachinerestores',
  namespaced: true,
  schema: HarvesterRestoreSchema,
  columns: [
    { name: 'Target_Kind', type: 'string', jsonPath: '.spec.target.kind', description: 'Kind of the target.' },
    { name: 'Target_Name', type: 'string', jsonPath: '.spec.target.name', description: 'Name of the target.' },
    {
      name: 'Complete',
      type: 'boolean',
      jsonPath: '.status.complete',
      description: 'Whether everything is restored.',
    },
    ageDate,
    // As in Harvester, where the path leads nowhere.
    {
      name: 'Error',
      type: 'date',
      jsonPath: '.status.error.message',
      description: 'Always empty: see the conditions.',
    },
  ],
});

export const isRestoreComplete = ({ status }: HarvesterRestore): boolean => status?.complete === true;

/** Why a restore has failed for good; undefined where it has not. */
export function restoreFailure(restore: HarvesterRestore): string | undefined {
  const condition = conditionOf(restore, 'InProgress');
  return condition?.status === 'False' && condition.reason === 'Error' ? (condition.message ?? 'Error') : undefined;
}

/** Whether a restore has not ended, whether it has begun or not. */
export const isRestoreUnfinished = (restore: HarvesterRestore): boolean =>
  !isRestoreComplete(restore) && restoreFailure(restore) === undefined;

/** Keeps a restore until what it has begun is ended or undone. */
export const RESTORE_PROTECTION = 'harvesterhci.io/vmrestore-protection';

/** Whether a restore still needs its backup: to go on, or to undo what it has begun. */
export const needsBackup = (restore: HarvesterRestore): boolean =>
  !isRestoreComplete(restore) &&
  ((restore.metadata.finalizers ?? []).includes(RESTORE_PROTECTION) ||
    (isRestoreUnfinished(restore) && !isDeleting(restore)));

/** The backup that a restore is of. */
export const backupKeyOf = ({ metadata, spec }: HarvesterRestore): string =>
  `${spec.virtualMachineBackupNamespace || metadata.namespace}/${spec.virtualMachineBackupName}`;

/** Reason of the condition Ready, and of an event, of a restore whose VM names networks that are not there. */
export const NETWORKS_MISSING = 'NetworksMissing';

/** What is to be done about NetworkAttachmentDefinitions, as `namespace/name`, that a restored VM names in vain. */
export const networksMissing = (vm: string, missing: readonly string[]): string =>
  `NetworkAttachmentDefinition ${missing.join(', ')} does not exist; VirtualMachine ${vm} cannot start until you create it or change spec.template.spec.networks: backups contain no networks`;
