import { conditionOf, mergeConditions, type StorageClass } from '@vireo/api';
import type { CDI, CDIStatus } from '@vireo/api/kinds/cdi/cdi.ts';
import type { CDIConfig, CDIConfigStatus } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import type { StorageProfile, StorageProfileStatus } from '@vireo/api/kinds/cdi/storageProfile.ts';
import { SHARED_PROVISIONER } from '@vireo/api/kinds/core/volumeNames.ts';
import type { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';

/** The release of CDI whose API this is. */
const VERSION = 'v1.64.0';

/** The importer is part of us: while this is written, it is there. */
export function installationStatus({ status = {} }: CDI, now: Date): CDIStatus {
  const drafts = [
    { type: 'Available', status: 'True' },
    { type: 'Progressing', status: 'False' },
    { type: 'Degraded', status: 'False' },
  ];
  // Reasons of somebody who says the same stay.
  const differing = drafts.filter((each) => conditionOf({ status }, each.type)?.status !== each.status);
  const conditions = mergeConditions(status.conditions, differing, now);
  const versions = { observedVersion: VERSION, operatorVersion: VERSION, targetVersion: VERSION };
  return { ...status, ...versions, phase: 'Deployed', conditions };
}

/** Who takes uploads. */
export interface UploadServer {
  readonly url: string | undefined;
  /** PEM of what it is trusted by. */
  readonly trust: string | undefined;
}

/** What is in force. A volume of ours is the disk as a whole: no file system takes a share of it. */
export function configStatus({ spec }: CDIConfig, { url: served, trust }: UploadServer): CDIConfigStatus {
  const { filesystemOverhead = {}, preallocation = false, uploadProxyURLOverride } = spec;
  const url = uploadProxyURLOverride ?? served;
  return {
    filesystemOverhead: { global: '0', ...filesystemOverhead },
    preallocation,
    ...(spec.importProxy && { importProxy: spec.importProxy }),
    ...(url !== undefined && { uploadProxyURL: url }),
    ...(url !== undefined && trust !== undefined && { uploadProxyCA: trust }),
  };
}

/** What claims of a class are best made like. */
export function profileStatus(
  { spec }: StorageProfile,
  { metadata, provisioner }: StorageClass,
  snapshotClass: VolumeSnapshotClass | undefined,
): StorageProfileStatus {
  const mode = provisioner === SHARED_PROVISIONER ? 'ReadWriteMany' : 'ReadWriteOnce';
  const claimPropertySets = spec.claimPropertySets ?? [
    { accessModes: [mode], volumeMode: 'Filesystem' },
    { accessModes: [mode], volumeMode: 'Block' },
  ];
  const name = spec.snapshotClass ?? snapshotClass?.metadata.name;
  return {
    claimPropertySets,
    cloneStrategy: spec.cloneStrategy ?? 'copy',
    dataImportCronSourceFormat: spec.dataImportCronSourceFormat ?? 'pvc',
    provisioner,
    storageClass: metadata.name,
    ...(name !== undefined && { snapshotClass: name }),
  };
}
