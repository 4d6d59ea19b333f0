import { type CrdOptions, toCrd } from '../../crd.ts';
import type { Kind } from '../../kind.ts';
import type { KubeObject } from '../../meta.ts';
import type { CustomResourceDefinition } from '../apiextensions/customResourceDefinition.ts';
import { VirtualMachineBackup } from '../backup/virtualMachineBackup.ts';
import { VirtualMachineBackupTracker } from '../backup/virtualMachineBackupTracker.ts';
import { CDI } from '../cdi/cdi.ts';
import { CDIConfig } from '../cdi/cdiConfig.ts';
import { DataImportCron } from '../cdi/dataImportCron.ts';
import { DataSource } from '../cdi/dataSource.ts';
import { DataVolume } from '../cdi/dataVolume.ts';
import { VolumeCloneSource, VolumeImportSource, VolumeUploadSource } from '../cdi/populators.ts';
import { StorageProfile } from '../cdi/storageProfile.ts';
import { VirtualMachineClone } from '../clone/virtualMachineClone.ts';
import { NetworkAttachmentDefinition } from '../cni/networkAttachmentDefinition.ts';
import { inVersion } from '../customResource.ts';
import { VirtualMachineExport } from '../export/virtualMachineExport.ts';
import { Inventory } from '../harvester/inventory.ts';
import { KeyPair } from '../harvester/keyPair.ts';
import { HarvesterQuota } from '../harvester/resourceQuota.ts';
import { ScheduleVmBackup } from '../harvester/scheduleVmBackup.ts';
import { Setting } from '../harvester/setting.ts';
import { UpgradeLog } from '../harvester/upgradeLog.ts';
import { HarvesterBackup } from '../harvester/virtualMachineBackup.ts';
import { VirtualMachineImage } from '../harvester/virtualMachineImage.ts';
import { HarvesterRestore } from '../harvester/virtualMachineRestore.ts';
import { HarvesterTemplate } from '../harvester/virtualMachineTemplate.ts';
import { VirtualMachineTemplateVersion } from '../harvester/virtualMachineTemplateVersion.ts';
import {
  VirtualMachineClusterInstancetype,
  VirtualMachineInstancetype,
} from '../instancetype/virtualMachineInstancetype.ts';
import { VirtualMachineClusterPreference, VirtualMachinePreference } from '../instancetype/virtualMachinePreference.ts';
import { MigrationPolicy } from '../migrations/migrationPolicy.ts';
import { Plugin } from '../plugin/plugin.ts';
import { VirtualMachinePool } from '../pool/virtualMachinePool.ts';
import { VirtualMachineRestore } from '../snapshot/virtualMachineRestore.ts';
import { VirtualMachineSnapshot } from '../snapshot/virtualMachineSnapshot.ts';
import { VirtualMachineSnapshotContent } from '../snapshot/virtualMachineSnapshotContent.ts';
import { VirtualMachineTemplate } from '../template/virtualMachineTemplate.ts';
import { VirtualMachineTemplateRequest } from '../template/virtualMachineTemplateRequest.ts';
import { VolumeSnapshot } from '../volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotClass } from '../volumesnapshot/volumeSnapshotClass.ts';
import { VolumeSnapshotContent } from '../volumesnapshot/volumeSnapshotContent.ts';
import { KubeVirt } from './kubeVirt.ts';
import { VirtualMachine } from './virtualMachine.ts';
import { VirtualMachineInstance } from './virtualMachineInstance.ts';
import { VirtualMachineInstanceMigration } from './virtualMachineInstanceMigration.ts';
import { VirtualMachineInstancePreset } from './virtualMachineInstancePreset.ts';
import { VirtualMachineInstanceReplicaSet } from './virtualMachineInstanceReplicaSet.ts';

/** One kind in all its versions, and how its definition is made. */
interface Definition {
  readonly versions: readonly Kind[];
  readonly options: CrdOptions;
}

const virt: CrdOptions = { labels: { 'kubevirt.io': '' } };
const operator: CrdOptions = { labels: { 'operator.kubevirt.io': '' } };
const harvester: CrdOptions = { labels: { 'app.kubernetes.io/part-of': 'harvester' } };
const importer: CrdOptions = { labels: { 'cdi.kubevirt.io': '' } };
/** Groups below k8s.io are guarded: a definition has to name the review that approved it. */
const approved: CrdOptions = {
  annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-csi/external-snapshotter/pull/814' },
};

/** `old` versions are served as well, and whoever uses one gets a deprecation warning. */
function withOld<T extends KubeObject>(
  kind: Kind<T>,
  old: string | readonly string[],
  options: CrdOptions,
): Definition {
  const versions = [old].flat();
  const warning = (version: string) => `${kind.group}/${version} is deprecated; use ${kind.group}/${kind.version}`;
  return {
    versions: [kind, ...versions.map((version) => inVersion(kind, version))],
    options: { ...options, deprecated: Object.fromEntries(versions.map((version) => [version, warning(version)])) },
  };
}

/** `version` is served as well. */
const withAlso = <T extends KubeObject>(kind: Kind<T>, version: string, options: CrdOptions): Definition => ({
  versions: [kind, inVersion(kind, version)],
  options,
});

const alone = <T extends KubeObject>(kind: Kind<T>, options: CrdOptions): Definition => ({ versions: [kind], options });

const presetWarning = 'VirtualMachineInstancePreset is deprecated; use VirtualMachineInstancetype';

const definitions: readonly Definition[] = [
  withOld(VirtualMachine, 'v1alpha3', virt),
  withOld(VirtualMachineInstance, 'v1alpha3', virt),
  withOld(VirtualMachineInstanceReplicaSet, ['v1alpha3', 'v1alpha2'], virt),
  withOld(VirtualMachineInstanceMigration, 'v1alpha3', virt),
  withOld(KubeVirt, 'v1alpha3', operator),
  withAlso(VirtualMachineInstancePreset, 'v1alpha3', {
    ...virt,
    deprecated: { v1: presetWarning, v1alpha3: presetWarning },
  }),
  withAlso(VirtualMachinePool, 'v1alpha1', virt),
  withAlso(VirtualMachineSnapshot, 'v1alpha1', virt),
  withAlso(VirtualMachineSnapshotContent, 'v1alpha1', virt),
  withAlso(VirtualMachineRestore, 'v1alpha1', virt),
  withAlso(VirtualMachineClone, 'v1alpha1', virt),
  withOld(VirtualMachineExport, 'v1beta1', virt),
  alone(VirtualMachineInstancetype, virt),
  alone(VirtualMachineClusterInstancetype, virt),
  alone(VirtualMachinePreference, virt),
  alone(VirtualMachineClusterPreference, virt),
  alone(MigrationPolicy, virt),
  alone(VirtualMachineBackup, virt),
  alone(VirtualMachineBackupTracker, virt),
  withOld(VirtualMachineTemplate, 'v1alpha1', virt),
  withOld(VirtualMachineTemplateRequest, 'v1alpha1', virt),
  alone(Plugin, virt),
  alone(DataVolume, importer),
  alone(DataSource, importer),
  alone(DataImportCron, importer),
  alone(StorageProfile, importer),
  alone(CDIConfig, importer),
  alone(CDI, importer),
  alone(VolumeImportSource, importer),
  alone(VolumeUploadSource, importer),
  alone(VolumeCloneSource, importer),
  alone(VolumeSnapshot, approved),
  alone(VolumeSnapshotContent, approved),
  alone(VolumeSnapshotClass, approved),
  alone(NetworkAttachmentDefinition, {}),
  alone(VirtualMachineImage, harvester),
  alone(UpgradeLog, harvester),
  alone(HarvesterTemplate, harvester),
  alone(VirtualMachineTemplateVersion, harvester),
  alone(KeyPair, harvester),
  alone(HarvesterQuota, harvester),
  alone(Inventory, harvester),
  alone(HarvesterBackup, harvester),
  alone(HarvesterRestore, harvester),
  alone(ScheduleVmBackup, harvester),
  alone(Setting, harvester),
];

/** Every kind around virtual machines, one entry a version: KubeVirt's, the importer's, volume snapshots, networks, Harvester's. */
export const kubevirtKinds: readonly Kind[] = definitions.flatMap(({ versions }) => versions);

/** The definitions that make a Kubernetes server serve `kubevirtKinds`, ours or any other. */
export const kubevirtCrds = (): CustomResourceDefinition[] =>
  definitions.map(({ versions, options }) => toCrd(versions, options));
