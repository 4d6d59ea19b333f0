import { timestamp } from '@vireo/api';
import type { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';

/** The status that follows from the content. */
export function snapshotStatus(
  { status: before = {} }: VolumeSnapshot,
  content: VolumeSnapshotContent,
): NonNullable<VolumeSnapshot['status']> {
  const { status = {} } = content;
  const { creationTime, restoreSize, readyToUse, error } = status;
  return {
    ...before,
    boundVolumeSnapshotContentName: content.metadata.name,
    readyToUse: readyToUse ?? false,
    ...(creationTime !== undefined && {
      creationTime: new Date(Number(creationTime) / 1e6).toISOString().replace(/\.\d+Z$/, 'Z'),
    }),
    ...(restoreSize !== undefined && { restoreSize: String(restoreSize) }),
    error,
  };
}

/** The status of a snapshot that cannot be made now. */
export const failedStatus = ({ status }: VolumeSnapshot, message: string, now: Date) => ({
  ...status,
  readyToUse: false,
  error: { message, time: timestamp(now) },
});
