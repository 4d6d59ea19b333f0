import { isDeleting } from '@vireo/api';
import { CONTENT_PROTECTION } from '@vireo/api/kinds/snapshot/names.ts';
import type { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { type Client, ignoreNotFound, type Recorder } from '@vireo/kube';
import type { SnapshotActions } from './act.ts';
import { Content } from './kinds.ts';
import { contentStatus } from './status.ts';

/** Tells how the content of a snapshot is doing, also when the snapshot is long gone, and lets it go when it is deleted. */
export async function reconcileContent(
  content: Content,
  taken: readonly VolumeSnapshot[],
  { act, client, recorder }: { act: SnapshotActions; client: Client; recorder: Recorder },
  now: Date,
): Promise<void> {
  // Its VolumeSnapshots belong to it and go after it.
  if (isDeleting(content)) return client.of(Content).removeFinalizer(content, CONTENT_PROTECTION).catch(ignoreNotFound);
  const status = contentStatus(content, taken, now);
  const isWritten = await act.writeContentStatus(content, status);
  const message = status.error?.message ?? '';
  if (isWritten && message.endsWith('missing') && content.status?.error?.message !== message)
    recorder.event(content, 'Warning', 'VolumeSnapshotMissing', message);
}
