import { createHash } from 'node:crypto';
import { defaultVirtStorageClass, type Persisted, type PersistentVolumeClaim, type StorageClass } from '@vireo/api';
import * as cdi from '@vireo/api/kinds/cdi/names.ts';
import type { StorageProfile } from '@vireo/api/kinds/cdi/storageProfile.ts';
import { BACKUP_IMPORT_SOURCE } from '@vireo/api/kinds/harvester/backupWork.ts';
import { IMAGE_ID } from '@vireo/api/kinds/harvester/names.ts';
import type { HarvesterBackup, HarvesterVolumeBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import type { HarvesterRestore, HarvesterVolumeRestore } from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { writtenClaimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { RESTORED_VM_NAME, RESTORED_VM_NAMESPACE } from '@vireo/api/kinds/snapshot/names.ts';
import { toBytes } from '@vireo/api/quantity.ts';
import type { Draft } from '@vireo/kube';
import { keptClaimAnnotations } from '../restore/claim.ts';

export type Restore = Persisted<HarvesterRestore>;

/** On claims and VMs that a restore has written: its name, and its name and uid. */
export const RESTORE_NAME = 'restore.harvesterhci.io/name';
export const LAST_RESTORE = 'restore.harvesterhci.io/last-restore-uid';
export const restoreMark = ({ metadata }: Restore): string => `${metadata.name}-${metadata.uid}`;

const LONGEST = 63;

/** A name that is no longer than labels may be, and that no other long one becomes. */
export function shorten(name: string): string {
  if (name.length <= LONGEST) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  // A name like `web.-1a2b3c4d` would be invalid.
  return `${name.slice(0, LONGEST - hash.length - 1).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}

/** The claim that a volume is restored to. */
const claimNameFor = ({ metadata }: Restore, volume: string): string => `restore-${metadata.uid}-${volume}`;

/** The storage of the cluster that is restored to, which may not be the one that was backed up. */
export interface RestoreStorage {
  readonly classes: readonly Persisted<StorageClass>[];
  profile(storageClass: string): StorageProfile | undefined;
}

/** The volumes that a restore brings back, each with the claim that it gets. Dumps of memory are of a guest that was. */
export function plannedRestores(
  restore: Restore,
  { status }: HarvesterBackup,
  storage: RestoreStorage,
): HarvesterVolumeRestore[] {
  const volumes = status?.source?.spec?.template.spec?.volumes ?? [];
  return (status?.volumeBackups ?? []).flatMap((backup) => {
    const { volumeName = '', name, volumeSize } = backup;
    if (volumes.find((each) => each.name === volumeName)?.memoryDump) return [];
    return [
      {
        volumeName,
        ...(name && { volumeBackupName: name }),
        ...(volumeSize !== undefined && { volumeSize }),
        progress: 0,
        persistentVolumeClaimSpec: {
          metadata: { name: claimNameFor(restore, volumeName), namespace: restore.metadata.namespace },
          spec: claimSpec(backup, storage),
        },
      },
    ];
  });
}

type ClaimSpec = NonNullable<PersistentVolumeClaim['spec']>;

/** What is asked for: as much as was there, of the same class, or of the default one where there is no such class. */
function claimSpec(
  { persistentVolumeClaim, volumeSize = 0 }: HarvesterVolumeBackup,
  storage: RestoreStorage,
): ClaimSpec {
  const {
    accessModes = ['ReadWriteOnce'],
    volumeMode = 'Filesystem',
    storageClassName,
    resources,
  } = persistentVolumeClaim?.spec ?? {};
  const asked = resources?.requests?.storage ?? '0';
  const request = toBytes(asked) >= BigInt(volumeSize) ? String(asked) : String(volumeSize);
  const isThere = storage.classes.some(({ metadata }) => metadata.name === storageClassName);
  const kept = { volumeMode, resources: { requests: { storage: request } } };
  if (isThere) return { accessModes, storageClassName, ...kept };
  const other = defaultVirtStorageClass(storage.classes)?.metadata.name;
  const sets = storage.profile(other ?? '')?.status?.claimPropertySets ?? [];
  const set = sets.find((each) => each.volumeMode === volumeMode) ?? sets[0];
  const offered: readonly string[] = set?.accessModes ?? [];
  const fits = accessModes.every((mode) => offered.includes(mode));
  return {
    ...kept,
    accessModes: fits || !set?.accessModes ? accessModes : set.accessModes,
    ...(other && { storageClassName: other }),
  };
}

/** The claim that a volume is restored to, which the data comes to by itself. */
export function claimDraft(
  restore: Restore,
  backup: HarvesterBackup,
  { volumeName, persistentVolumeClaimSpec: claim }: HarvesterVolumeRestore,
): Draft<PersistentVolumeClaim> {
  const kept = backup.status?.volumeBackups?.find((each) => each.volumeName === volumeName);
  const source = backup.status?.source?.metadata;
  const metadata = kept?.persistentVolumeClaim?.metadata;
  const contentType = metadata?.annotations?.[cdi.CONTENT_TYPE];
  const isSnapshot = backup.spec.type === 'snapshot';
  // What the data began with is not where it comes from.
  const { [IMAGE_ID]: _, ...annotations } = keptClaimAnnotations(metadata?.annotations);
  return {
    metadata: {
      name: claim?.metadata?.name,
      namespace: restore.metadata.namespace,
      labels: {
        ...metadata?.labels,
        [RESTORED_VM_NAME]: source?.name ?? '',
        [RESTORED_VM_NAMESPACE]: source?.namespace ?? '',
      },
      annotations: {
        ...annotations,
        ...(contentType && { [cdi.CONTENT_TYPE]: contentType }),
        // The data is brought now and not when somebody needs it: the target may be another one then.
        ...(!isSnapshot && { [cdi.IMPORT_SOURCE]: BACKUP_IMPORT_SOURCE, [cdi.BIND_IMMEDIATE]: 'true' }),
        [RESTORE_NAME]: restore.metadata.name,
        [LAST_RESTORE]: restoreMark(restore),
      },
    },
    spec: {
      ...claim?.spec,
      ...(isSnapshot && {
        dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: kept?.name ?? '' },
      }),
    },
  };
}

/** The claims of a VM that is replaced which nobody needs any more, unless they are to stay. */
export function replacedClaims(
  vm: Vm | undefined,
  { spec }: HarvesterRestore,
  planned: readonly HarvesterVolumeRestore[],
): string[] {
  if (!vm || spec.newVM || spec.deletionPolicy === 'retain') return [];
  const restored = new Set(planned.map(({ volumeName }) => volumeName));
  return (vm.spec.template.spec?.volumes ?? []).flatMap((volume) =>
    restored.has(volume.name) ? (writtenClaimNameOf(volume) ?? []) : [],
  );
}
