import { type Persisted, PersistentVolume, PersistentVolumeClaim, timestamp } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import {
  BETA_STORAGE_PROVISIONER,
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  STORAGE_PROVISIONER,
} from '@vireo/api/kinds/core/volumeNames.ts';
import type { Client } from '@vireo/kube';
import { isReservedFor } from './match.ts';

/** The writes of the binder. Each write is refused when its object has changed since. */
export interface BinderActions {
  /** Joins the two, volume first: a volume that is spoken for is never given twice. */
  bind(volume: Persisted<PersistentVolume>, claim: Persisted<PersistentVolumeClaim>): Promise<void>;
  provision(claim: Persisted<PersistentVolumeClaim>, provisioner: string): Promise<void>;
  setClaimPhase(claim: Persisted<PersistentVolumeClaim>, phase: 'Pending' | 'Lost'): Promise<void>;
  setVolumePhase(
    volume: Persisted<PersistentVolume>,
    phase: 'Available' | 'Bound' | 'Released',
  ): Promise<Persisted<PersistentVolume>>;
  unbind(volume: Persisted<PersistentVolume>, keepsName: boolean): Promise<void>;
}

export function binderActions(client: Client, now: () => Date): BinderActions {
  const volumes = client.of(PersistentVolume);
  const claims = client.of(PersistentVolumeClaim);

  async function setVolumePhase(
    volume: Persisted<PersistentVolume>,
    phase: string,
  ): Promise<Persisted<PersistentVolume>> {
    if (volume.status?.phase === phase) return volume;
    const status = { phase, lastPhaseTransitionTime: timestamp(now()), message: null, reason: null };
    return volumes.patchStatusIfUnchanged(volume, status);
  }

  async function setClaimStatus(
    claim: Persisted<PersistentVolumeClaim>,
    status: NonNullable<PersistentVolumeClaim['status']>,
  ): Promise<void> {
    const { phase, accessModes, capacity } = claim.status ?? {};
    if (deepEqual({ phase, accessModes, capacity }, { accessModes: undefined, capacity: undefined, ...status })) return;
    await claims.patchStatusIfUnchanged(claim, status);
  }

  async function reserve(
    volume: Persisted<PersistentVolume>,
    claim: Persisted<PersistentVolumeClaim>,
  ): Promise<Persisted<PersistentVolume>> {
    if (volume.spec?.claimRef?.uid === claim.metadata.uid) return volume;
    const { name, namespace, uid, resourceVersion } = claim.metadata;
    const claimRef = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', name, namespace, uid, resourceVersion };
    const chosen = !isReservedFor(volume, claim);
    return volumes.patchIfUnchanged(volume, {
      ...(chosen && { metadata: { annotations: { [BOUND_BY_CONTROLLER]: 'yes' } } }),
      spec: { claimRef },
    });
  }

  return {
    async bind(volume, claim) {
      const reserved = await reserve(volume, claim);
      await setVolumePhase(reserved, 'Bound');
      const name = volume.metadata.name;
      const isComplete = claim.spec?.volumeName === name && claim.metadata.annotations?.[BIND_COMPLETED] !== undefined;
      const chosen = !claim.spec?.volumeName;
      const complete = isComplete
        ? claim
        : await claims.patchIfUnchanged(claim, {
            metadata: {
              annotations: { [BIND_COMPLETED]: 'yes', ...(chosen && { [BOUND_BY_CONTROLLER]: 'yes' }) },
            },
            spec: { volumeName: name },
          });
      const { accessModes, capacity } = volume.spec ?? {};
      // A resize in progress has its own word on the capacity; only its end is ours to repeat.
      const known = complete.status?.phase === 'Bound' ? complete.status.capacity : capacity;
      await setClaimStatus(complete, { phase: 'Bound', accessModes, capacity: known });
    },
    async provision(claim, provisioner) {
      const { annotations = {} } = claim.metadata;
      if (annotations[STORAGE_PROVISIONER] !== provisioner)
        await claims.patchIfUnchanged(claim, {
          metadata: { annotations: { [STORAGE_PROVISIONER]: provisioner, [BETA_STORAGE_PROVISIONER]: provisioner } },
        });
    },
    setClaimPhase: (claim, phase) =>
      claim.status?.phase === phase ? Promise.resolve() : setClaimStatus(claim, { ...claim.status, phase }),
    setVolumePhase,
    async unbind(volume, keepsName) {
      const annotations = { [BOUND_BY_CONTROLLER]: null };
      const spec = { claimRef: keepsName ? { uid: null, resourceVersion: null } : null };
      await setVolumePhase(await volumes.patchIfUnchanged(volume, { metadata: { annotations }, spec }), 'Available');
    },
  };
}
