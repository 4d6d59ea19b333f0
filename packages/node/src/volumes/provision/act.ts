import {
  isDeleting,
  isReason,
  type Persisted,
  PersistentVolume,
  PersistentVolumeClaim,
  type StorageClass,
} from '@vireo/api';
import { BOUND_MESSAGE } from '@vireo/api/kinds/cdi/names.ts';
import { PROVISIONER_FINALIZER, SELECTED_NODE } from '@vireo/api/kinds/core/volumeNames.ts';
import { type Client, type EventRecorder, ignoreNotFound, ignoreNotFoundOrConflict } from '@vireo/kube';
import type { VolumeStore } from '../store.ts';
import { isOurs, type Origin, volumeNameFor } from './decide.ts';
import { sizeText, volumeFor } from './volume.ts';

/** The writes of the provisioner. */
export interface ProvisionActions {
  /** Chooses this node for a claim, unless another is faster. */
  select(claim: Persisted<PersistentVolumeClaim>): Promise<void>;
  /** Says on the claim of a DataVolume why it has no volume yet; undefined: it has one. */
  explain(claim: Persisted<PersistentVolumeClaim>, cause: string | undefined): Promise<void>;
  provision(
    claim: Persisted<PersistentVolumeClaim>,
    storageClass: Persisted<StorageClass>,
    sizeBytes: number,
    origin: Origin,
  ): Promise<void>;
  grow(claim: Persisted<PersistentVolumeClaim>, volume: Persisted<PersistentVolume>, sizeBytes: number): Promise<void>;
  remove(volume: Persisted<PersistentVolume>): Promise<void>;
  letGo(volume: Persisted<PersistentVolume>): Promise<void>;
}

export interface ProvisionParts {
  readonly client: Client;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly store: VolumeStore;
  readonly node: string;
  /** Writes what the volume begins with to a path; undefined for nothing. */
  readonly fill: (
    claim: Persisted<PersistentVolumeClaim>,
    origin: Origin,
    sizeBytes: number,
  ) => Promise<((disk: string) => Promise<void>) | undefined>;
  /** Tells a guest that has the disk of a claim that it has grown. */
  readonly grown: (claim: Persisted<PersistentVolumeClaim>, disk: string, sizeBytes: number) => Promise<void>;
}

export function provisionActions({ client, recorder, store, node, fill, grown }: ProvisionParts): ProvisionActions {
  const volumes = client.of(PersistentVolume);
  const claims = client.of(PersistentVolumeClaim);

  const release = (volume: Persisted<PersistentVolume>): Promise<void> =>
    volumes.removeFinalizer(volume, PROVISIONER_FINALIZER);

  return {
    async select(claim) {
      await claims.patchIfUnchanged(claim, { metadata: { annotations: { [SELECTED_NODE]: node } } });
    },
    async explain(claim, cause) {
      if (claim.metadata.annotations?.[BOUND_MESSAGE] === cause) return;
      const patch = { metadata: { annotations: { [BOUND_MESSAGE]: cause ?? null } } };
      // A claim that has gone meanwhile needs no explanation.
      await claims.patchExactly(claim, patch).catch(ignoreNotFoundOrConflict);
    },
    async provision(claim, storageClass, sizeBytes, origin) {
      const name = volumeNameFor(claim);
      const { namespace } = claim.metadata;
      if (!(await store.has(name))) {
        const what = `External provisioner is provisioning volume for claim "${namespace}/${claim.metadata.name}"`;
        recorder.event(claim, 'Normal', 'Provisioning', what);
        await store.expectSpace(sizeBytes);
        await store.create(name, sizeBytes, await fill(claim, origin, sizeBytes));
      }
      const made = { name, path: store.directory(name), sizeBytes, node };
      try {
        await volumes.create(volumeFor(claim, storageClass, made));
      } catch (error) {
        if (!isReason(error, 'AlreadyExists')) throw error;
        const existing = await volumes.get(name);
        // Another node was faster: the claim has its volume there.
        if (!isOurs(existing, node)) await store.remove(name);
        return;
      }
      recorder.event(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${name}`);
    },
    async grow(claim, volume, sizeBytes) {
      const capacity = { storage: sizeText(sizeBytes) };
      const volumeName = volume.metadata.name;
      recorder.event(claim, 'Normal', 'Resizing', `External resizer is resizing volume ${volumeName}`);
      await store.expectSpace(sizeBytes);
      await grown(claim, store.disk(volumeName), sizeBytes);
      await store.grow(volumeName, sizeBytes);
      await volumes.patch(volumeName, { spec: { capacity } }, { type: 'merge' });
      await claims.patchStatusIfUnchanged(claim, { capacity, conditions: null });
      recorder.event(claim, 'Normal', 'VolumeResizeSuccessful', `Resize volume succeeded: ${capacity.storage}`);
    },
    async remove(volume) {
      await store.remove(volume.metadata.name);
      await release(volume);
      if (!isDeleting(volume)) await volumes.deleteExactly(volume).catch(ignoreNotFound);
    },
    letGo: release,
  };
}
