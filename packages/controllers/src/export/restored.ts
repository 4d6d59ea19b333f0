import { controllerReference, type Persisted, type PersistentVolumeClaim } from '@vireo/api';
import { BIND_IMMEDIATE } from '@vireo/api/kinds/cdi/names.ts';
import { restoredClaimName } from '@vireo/api/kinds/export/names.ts';
import { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import type { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import type { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import type { Draft } from '@vireo/kube';

/** Finds VolumeSnapshots by name in the namespace of the export. */
export interface VolumeSnapshotLookup {
  volumeSnapshot(name: string): VolumeSnapshot | undefined;
}

/** The claims that an export of a snapshot reads: one of each volume that the snapshot has. */
export function restoredClaims(
  exported: Persisted<VirtualMachineExport>,
  { spec }: VirtualMachineSnapshotContent,
  lookup: VolumeSnapshotLookup,
): Draft<PersistentVolumeClaim>[] {
  const { name, namespace } = exported.metadata;
  return (spec.volumeBackups ?? []).flatMap(({ persistentVolumeClaim: was, volumeSnapshotName }) => {
    const claim = was.metadata?.name;
    if (!volumeSnapshotName || !claim) return [];
    const { accessModes, volumeMode, storageClassName, resources } = was.spec ?? {};
    const restoreSize = lookup.volumeSnapshot(volumeSnapshotName)?.status?.restoreSize;
    return [
      {
        metadata: {
          name: restoredClaimName(name, claim),
          namespace,
          // Nobody but the export uses it: there is no consumer to wait for.
          annotations: { [BIND_IMMEDIATE]: '' },
          ownerReferences: [controllerReference(exported, VirtualMachineExport)],
        },
        spec: {
          accessModes: [...(accessModes ?? ['ReadWriteOnce'])],
          ...(volumeMode && { volumeMode }),
          ...(storageClassName !== undefined && { storageClassName }),
          resources: { requests: { storage: larger(resources?.requests?.storage, restoreSize) } },
          dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: volumeSnapshotName },
        },
      },
    ];
  });
}

function larger(requested: string | number = '0', restoreSize: string | number = '0'): string | number {
  return toBytes(restoreSize) > toBytes(requested) ? restoreSize : requested;
}
