import { fieldError, type Kind } from '@vireo/api';
import { CDI } from '@vireo/api/kinds/cdi/cdi.ts';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import { DataImportCron } from '@vireo/api/kinds/cdi/dataImportCron.ts';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { StorageProfile } from '@vireo/api/kinds/cdi/storageProfile.ts';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import * as kubevirt from '@vireo/api/kinds/kubevirt/index.ts';
import { MigrationPolicy } from '@vireo/api/kinds/migrations/migrationPolicy.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import type { ValidatingRule } from './rule.ts';

type KindName = Pick<Kind, 'group' | 'kind'>;

/** The kinds that something acts on, or that only hold data for those that something acts on. */
const SUPPORTED_KINDS: readonly KindName[] = [
  kubevirt.VirtualMachine,
  kubevirt.VirtualMachineInstance,
  kubevirt.VirtualMachineInstancePreset,
  kubevirt.VirtualMachineInstanceReplicaSet,
  kubevirt.VirtualMachineInstanceMigration,
  kubevirt.VirtualMachinePool,
  MigrationPolicy,
  kubevirt.KubeVirt,
  kubevirt.VirtualMachineExport,
  kubevirt.VirtualMachineInstancetype,
  kubevirt.VirtualMachineClusterInstancetype,
  kubevirt.VirtualMachinePreference,
  kubevirt.VirtualMachineClusterPreference,
  CDI,
  CDIConfig,
  DataImportCron,
  DataSource,
  DataVolume,
  NetworkAttachmentDefinition,
  StorageProfile,
  kubevirt.VirtualMachineSnapshot,
  kubevirt.VirtualMachineSnapshotContent,
  kubevirt.VirtualMachineRestore,
  kubevirt.VirtualMachineClone,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
  kubevirt.VirtualMachineImage,
  kubevirt.UpgradeLog,
  kubevirt.VirtualMachineTemplate,
  kubevirt.VirtualMachineTemplateRequest,
  kubevirt.HarvesterTemplate,
  kubevirt.VirtualMachineTemplateVersion,
  kubevirt.KeyPair,
  kubevirt.HarvesterQuota,
  kubevirt.Inventory,
  kubevirt.HarvesterBackup,
  kubevirt.HarvesterRestore,
  kubevirt.ScheduleVmBackup,
  kubevirt.Setting,
];

export const isSupportedKind = ({ group, kind }: KindName): boolean =>
  SUPPORTED_KINDS.some((each) => each.group === group && each.kind === kind);

/** Kinds that are served, so that tools find them, and that nothing acts on yet. */
export const UNSUPPORTED_KINDS: readonly Kind[] = kubevirt.kubevirtKinds.filter((kind) => !isSupportedKind(kind));

/** An object that nobody will ever act on is refused at once, rather than left to wait for ever. */
export const unsupportedKinds: ValidatingRule = {
  type: 'validating',
  isEarly: true,
  webhook: 'not-run-validator.kubevirt.io',
  path: '/not-run-validate-create',
  kinds: UNSUPPORTED_KINDS,
  operations: ['CREATE'],
  validate: async ({ object: { apiVersion, kind } }) => ({
    errors: [fieldError('kind', `Vireo does not run ${kind} (${apiVersion}) yet`, 'FieldValueNotSupported')],
  }),
};
