import {
  isConditionTrue,
  isDeleting,
  isSharedVolume,
  type Persisted,
  PersistentVolume,
  PersistentVolumeClaim,
  type StorageClass,
  timestamp,
} from '@vireo/api';
import { BOUND_MESSAGE } from '@vireo/api/kinds/cdi/names.ts';
import type { Origin } from '@vireo/api/kinds/cdi/origin.ts';
import { PROVISIONER_FINALIZER, SHARED_ID, SHARED_PROVISIONER } from '@vireo/api/kinds/core/volumeNames.ts';
import { formatBytes } from '@vireo/api/quantity.ts';
import { type Client, type EventRecorder, ignoreNotFound, ignoreNotFoundOrConflict } from '@vireo/kube';
import type { VolumeStore } from '../store.ts';
import type { VolumeStores } from '../stores.ts';
import { allowsOvercommit, isOurs, volumeNameFor } from './decide.ts';
import { NotReady } from './notReady.ts';
import { sizeText, volumeFor } from './volume.ts';

/** The writes of the provisioner. */
export interface ProvisionActions {
  /** Says on a claim why it has no volume yet. */
  explain(claim: Persisted<PersistentVolumeClaim>, cause: string): Promise<void>;
  provision(
    claim: Persisted<PersistentVolumeClaim>,
    storageClass: Persisted<StorageClass>,
    sizeBytes: number,
    origin: Origin,
  ): Promise<void>;
  grow(
    claim: Persisted<PersistentVolumeClaim>,
    storageClass: Persisted<StorageClass> | undefined,
    volume: Persisted<PersistentVolume>,
    sizeBytes: number,
  ): Promise<void>;
  remove(volume: Persisted<PersistentVolume>): Promise<void>;
  letGo(volume: Persisted<PersistentVolume>): Promise<void>;
  /** Removes what this node has made in vain: another node has a volume of that name, or nobody needs one any more. */
  discard(name: string): Promise<void>;
}

export interface ProvisionParts {
  readonly client: Client;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly stores: VolumeStores;
  readonly node: string;
  /** Writes what the volume begins with to a path; undefined for nothing. */
  readonly fill: (
    claim: Persisted<PersistentVolumeClaim>,
    origin: Origin,
    sizeBytes: number,
    store: VolumeStore,
  ) => Promise<((disk: string) => Promise<void>) | undefined>;
  /** Tells a guest that has the disk of a claim that it has grown. */
  readonly grown: (claim: Persisted<PersistentVolumeClaim>, disk: string, sizeBytes: number) => Promise<void>;
}

/** Condition of a claim that grows, and reason of the event that tells of it. */
const RESIZING = 'Resizing';
/** Reason of the event for a disk that is larger than what is free. */
const OVERCOMMITTED = 'StorageOvercommitted';

export function provisionActions({ client, recorder, stores, node, fill, grown }: ProvisionParts): ProvisionActions {
  const volumes = client.of(PersistentVolume);
  const claims = client.of(PersistentVolumeClaim);

  const release = (volume: Persisted<PersistentVolume>): Promise<void> =>
    volumes.removeFinalizer(volume, PROVISIONER_FINALIZER);

  /** What to warn of once the disk is there; throws where its class does not allow to promise more than is free. */
  async function overcommitWarning(
    store: VolumeStore,
    name: string,
    sizeBytes: number,
    storageClass: Persisted<StorageClass> | undefined,
  ): Promise<string | undefined> {
    const growthBytes = await store.growthBytes(name, sizeBytes);
    if (!allowsOvercommit(storageClass)) await store.expectSpace(growthBytes);
    const freeBytes = await store.freeBytes();
    if (growthBytes <= freeBytes) return undefined;
    return (
      `the claim is for ${formatBytes(sizeBytes)}, but ${store === stores.local ? `node ${node}` : store.root} has only ${formatBytes(freeBytes)} free: ` +
      'the disk takes space as the guest writes to it, and the guest is paused if the node runs out of space'
    );
  }

  /** Says on a claim that it grows, until it has. */
  async function announce(
    claim: Persisted<PersistentVolumeClaim>,
    volumeName: string,
  ): Promise<Persisted<PersistentVolumeClaim>> {
    if (isConditionTrue(claim, RESIZING)) return claim;
    recorder.event(claim, 'Normal', RESIZING, `External resizer is resizing volume ${volumeName}`);
    const condition = { type: RESIZING, status: 'True', lastTransitionTime: timestamp() };
    return claims.patchStatusIfUnchanged(claim, { conditions: [condition] });
  }

  return {
    async explain(claim, cause) {
      if (claim.metadata.annotations?.[BOUND_MESSAGE] === cause) return;
      const patch = { metadata: { annotations: { [BOUND_MESSAGE]: cause } } };
      // A claim that has gone meanwhile needs no explanation.
      await claims.patchExactly(claim, patch).catch(ignoreNotFoundOrConflict);
    },
    async provision(claim, storageClass, sizeBytes, origin) {
      const name = volumeNameFor(claim);
      // By the id others know which directory the volume is in.
      if (storageClass.provisioner === SHARED_PROVISIONER && !storageClass.metadata.annotations?.[SHARED_ID])
        throw new NotReady(`the directory of StorageClass ${storageClass.metadata.name} has not been checked yet`);
      const store = stores.ofClass(storageClass);
      const { namespace } = claim.metadata;
      await store.expectUsable();
      let warning: string | undefined;
      if (!(await store.has(name))) {
        const what = `External provisioner is provisioning volume for claim "${namespace}/${claim.metadata.name}"`;
        recorder.event(claim, 'Normal', 'Provisioning', what);
        warning = await overcommitWarning(store, name, sizeBytes, storageClass);
        await store.createDraft(name, sizeBytes, await fill(claim, origin, sizeBytes, store));
      }
      const made = { name, path: store.directory(name), sizeBytes, node };
      const { object: volume, wasCreated } = await volumes.createOrGet(volumeFor(claim, storageClass, made));
      // Another node was faster: the claim has its volume there.
      if (!isOurs(volume, node)) return isSharedVolume(volume) ? undefined : store.discardDraft(name);
      await store.publish(name);
      if (!wasCreated) return;
      recorder.event(claim, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${name}`);
      if (warning) recorder.event(claim, 'Warning', OVERCOMMITTED, warning);
    },
    async grow(claim, storageClass, volume, sizeBytes) {
      const capacity = { storage: sizeText(sizeBytes) };
      const volumeName = volume.metadata.name;
      const store = stores.ofVolume(volume);
      await store.expectUsable();
      const resizing = await announce(claim, volumeName);
      const warning = await overcommitWarning(store, volumeName, sizeBytes, storageClass);
      await grown(claim, store.disk(volumeName), sizeBytes);
      await store.grow(volumeName, sizeBytes);
      await volumes.patch(volumeName, { spec: { capacity } }, { type: 'merge' });
      await claims.patchStatusIfUnchanged(resizing, { capacity, conditions: null });
      recorder.event(claim, 'Normal', 'VolumeResizeSuccessful', `Resize volume succeeded: ${capacity.storage}`);
      if (warning) recorder.event(claim, 'Warning', OVERCOMMITTED, warning);
    },
    async remove(volume) {
      await stores.ofVolume(volume).remove(volume.metadata.name);
      await release(volume);
      if (!isDeleting(volume)) await volumes.deleteExactly(volume).catch(ignoreNotFound);
    },
    letGo: release,
    discard: (name) => stores.local.discardDraft(name),
  };
}
