import type { FilesystemOverhead } from '../cdi/cdiConfig.ts';
import { filesystemOverheadOf } from '../cdi/filesystemOverhead.ts';
import { PREALLOCATION_DONE } from '../cdi/names.ts';
import type { PersistentVolumeClaim } from '../core/persistentVolumeClaim.ts';
import type { PersistentVolumeClaimInfo } from './volumeStatus.ts';

/** What a VMI says of the claim that a volume is on. `overhead`: what the importer says that file systems take. */
export function claimInfo(
  { metadata, spec, status }: PersistentVolumeClaim,
  overhead?: FilesystemOverhead,
): PersistentVolumeClaimInfo {
  const volumeMode = (spec?.volumeMode ?? 'Filesystem') as 'Block' | 'Filesystem';
  const filesystemOverhead = volumeMode === 'Block' ? '0' : filesystemOverheadOf(overhead, spec?.storageClassName);
  return {
    claimName: metadata.name,
    accessModes: [...(spec?.accessModes ?? [])],
    volumeMode,
    requests: { ...spec?.resources?.requests },
    ...(status?.capacity && { capacity: { ...status.capacity } }),
    ...(filesystemOverhead !== undefined && { filesystemOverhead }),
    ...(metadata.annotations?.[PREALLOCATION_DONE] === 'true' && { preallocated: true }),
  };
}
