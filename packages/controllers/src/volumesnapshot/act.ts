import type { Persisted } from '@vireo/api';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { type Client, type Draft, ignoreNotFound, keyOf, type Recorder } from '@vireo/kube';

/** The writes of the controller of VolumeSnapshots. */
export interface VolumeSnapshotActions {
  /** A merge patch, refused when the snapshot has changed since. */
  patch(snapshot: Persisted<VolumeSnapshot>, change: { metadata?: object; spec?: object }): Promise<void>;
  /** Whether there was something to write. */
  writeStatus(snapshot: Persisted<VolumeSnapshot>, status: object): Promise<boolean>;
  createContent(
    snapshot: Persisted<VolumeSnapshot>,
    draft: Draft<VolumeSnapshotContent>,
  ): Promise<Persisted<VolumeSnapshotContent>>;
  deleteContent(content: Persisted<VolumeSnapshotContent>): Promise<void>;
  event: Recorder['event'];
}

export function volumeSnapshotActions(client: Client, recorder: Recorder): VolumeSnapshotActions {
  const snapshots = client.of(VolumeSnapshot);
  const contents = client.of(VolumeSnapshotContent);
  return {
    async patch(snapshot, change) {
      await snapshots.patchIfUnchanged(snapshot, change);
    },
    writeStatus: async (snapshot, status) => (await snapshots.writeStatus(snapshot, status)) !== undefined,
    async createContent(snapshot, draft) {
      const { object: content, wasCreated } = await contents.createOrGet(draft);
      const message = `Waiting for a snapshot ${keyOf(snapshot)} to be created by the CSI driver.`;
      if (wasCreated) recorder.event(snapshot, 'Normal', 'CreatingSnapshot', message);
      return content;
    },
    async deleteContent({ metadata }) {
      await contents.delete(metadata.name).catch(ignoreNotFound);
    },
    event: (...event) => recorder.event(...event),
  };
}
