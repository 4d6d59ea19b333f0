import type { Persisted, PersistentVolumeClaim } from '@vireo/api';
import type { HarvesterBackupStatus, HarvesterVolumeBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { secretsOf } from '@vireo/api/kinds/kubevirt/namedByVmi.ts';
import type { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import type { Content } from '../snapshot/kinds.ts';

/** Finds the snapshots of single volumes, and what their drivers keep, by name. */
export interface VolumeSnapshotLookup {
  volumeSnapshot(name: string): Persisted<VolumeSnapshot> | undefined;
  content(name: string): Persisted<VolumeSnapshotContent> | undefined;
}

/** What the driver keeps of a volume of a backup. */
export function contentOfVolume(
  { name = '' }: HarvesterVolumeBackup,
  lookup: VolumeSnapshotLookup,
): Persisted<VolumeSnapshotContent> | undefined {
  return lookup.content(lookup.volumeSnapshot(name)?.status?.boundVolumeSnapshotContentName ?? '');
}

/** What the backup has in it that is made of a snapshot. Secrets are named, and what is in them goes to the target only. */
export function backupContents(
  { spec, status }: Content,
  lookup: VolumeSnapshotLookup,
): Pick<
  HarvesterBackupStatus,
  'creationTime' | 'csiDriverVolumeSnapshotClassNames' | 'secretBackups' | 'source' | 'volumeBackups'
> {
  const vm = spec.source.virtualMachine;
  const classes: Record<string, string> = {};
  const volumeBackups = (spec.volumeBackups ?? []).map((volume): HarvesterVolumeBackup => {
    const snapshot = lookup.volumeSnapshot(volume.volumeSnapshotName ?? '');
    const driver = lookup.content(snapshot?.status?.boundVolumeSnapshotContentName ?? '')?.spec.driver;
    const snapshotClass = snapshot?.spec.volumeSnapshotClassName;
    if (driver && snapshotClass) classes[driver] = snapshotClass;
    return {
      name: volume.volumeSnapshotName,
      volumeName: volume.volumeName,
      ...(driver && { csiDriverName: driver }),
      ...(snapshot?.status?.creationTime && { creationTime: snapshot.status.creationTime }),
      persistentVolumeClaim: volume.persistentVolumeClaim,
      volumeSize: Number(toBytes(snapshot?.status?.restoreSize ?? requestOf(volume.persistentVolumeClaim.spec))),
      progress: 0,
      readyToUse: false,
    };
  });
  const template = vm?.spec?.template.spec;
  return {
    ...(status?.creationTime && { creationTime: status.creationTime }),
    csiDriverVolumeSnapshotClassNames: classes,
    secretBackups: (template ? secretsOf(template) : []).map((name) => ({ name })),
    source: { metadata: vm?.metadata ?? {}, ...(vm?.spec && { spec: vm.spec }) },
    volumeBackups,
  };
}

const requestOf = (spec: PersistentVolumeClaim['spec']): string | number => spec?.resources?.requests?.storage ?? 0;
