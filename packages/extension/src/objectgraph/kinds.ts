import {
  ConfigMap,
  ControllerRevision,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PriorityClass,
  Secret,
  ServiceAccount,
  StorageClass,
} from '@vireo/api';
import { DataImportCron } from '@vireo/api/kinds/cdi/dataImportCron.ts';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { KeyPair } from '@vireo/api/kinds/harvester/keyPair.ts';
import { HarvesterQuota } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import { ScheduleVmBackup } from '@vireo/api/kinds/harvester/scheduleVmBackup.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { HarvesterRestore } from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import { HarvesterTemplate } from '@vireo/api/kinds/harvester/virtualMachineTemplate.ts';
import { VirtualMachineTemplateVersion } from '@vireo/api/kinds/harvester/virtualMachineTemplateVersion.ts';
import {
  VirtualMachineClusterInstancetype,
  VirtualMachineInstancetype,
} from '@vireo/api/kinds/instancetype/virtualMachineInstancetype.ts';
import {
  VirtualMachineClusterPreference,
  VirtualMachinePreference,
} from '@vireo/api/kinds/instancetype/virtualMachinePreference.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { VirtualMachinePool } from '@vireo/api/kinds/pool/virtualMachinePool.ts';
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import type { ResourceRef } from '@vireo/kube';

/** What a VM needs an object for. */
export type DependencyType = 'storage' | 'compute' | 'config' | 'network';

/** The kinds of dynamic resource allocation are the cluster's: the embedded server does not serve them. */
const resourceKind = (kind: string, plural: string): ResourceRef => ({
  group: 'resource.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced: true,
});
export const ResourceClaim = resourceKind('ResourceClaim', 'resourceclaims');
export const ResourceClaimTemplate = resourceKind('ResourceClaimTemplate', 'resourceclaimtemplates');

const BY_TYPE: Readonly<Record<DependencyType, readonly ResourceRef[]>> = {
  storage: [
    DataVolume,
    DataSource,
    DataImportCron,
    PersistentVolumeClaim,
    PersistentVolume,
    StorageClass,
    VolumeSnapshot,
    VolumeSnapshotContent,
    VirtualMachineSnapshot,
    VirtualMachineSnapshotContent,
    VirtualMachineRestore,
    HarvesterBackup,
    ScheduleVmBackup,
    HarvesterRestore,
    VirtualMachineExport,
    VirtualMachineImage,
  ],
  compute: [
    VirtualMachine,
    VirtualMachineInstance,
    VirtualMachineInstanceReplicaSet,
    VirtualMachinePool,
    Pod,
    ResourceClaim,
    ResourceClaimTemplate,
  ],
  config: [
    ConfigMap,
    Secret,
    ServiceAccount,
    ControllerRevision,
    PriorityClass,
    VirtualMachineInstancetype,
    VirtualMachineClusterInstancetype,
    VirtualMachinePreference,
    VirtualMachineClusterPreference,
    KeyPair,
    HarvesterTemplate,
    VirtualMachineTemplateVersion,
    HarvesterQuota,
  ],
  network: [NetworkAttachmentDefinition],
};

/** Every kind that can be in a graph. */
export const GRAPH_KINDS: readonly ResourceRef[] = Object.values(BY_TYPE).flat();

const TYPES = new Map(
  Object.entries(BY_TYPE).flatMap(([type, kinds]) => kinds.map((kind) => [kindKey(kind), type as DependencyType])),
);

/** `group/Kind`: one kind whatever the version. */
export function kindKey({ group, kind }: Pick<ResourceRef, 'group' | 'kind'>): string {
  return `${group}/${kind}`;
}

export const dependencyType = (kind: ResourceRef): DependencyType => TYPES.get(kindKey(kind)) ?? 'compute';

/** The kind that a reference names by group and kind; undefined where graphs do not know it. */
export const graphKind = (group: string, kind: string): ResourceRef | undefined =>
  GRAPH_KINDS.find((each) => each.group === group && each.kind === kind);
