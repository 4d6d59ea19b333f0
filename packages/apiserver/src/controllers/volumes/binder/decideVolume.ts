import type { PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { BOUND_BY_CONTROLLER, PROVISIONED_BY } from '@vireo/api/kinds/core/volumeNames.ts';

/** What has to happen to a volume. */
export type VolumeDecision =
  | { readonly action: 'phase'; readonly phase: 'Available' | 'Bound' }
  /** Its claim is gone; what becomes of the data, its maker decides by the reclaim policy. */
  | { readonly action: 'release' }
  /** It was meant for a claim that has found another: free for all, or reserved for the claim's name as before. */
  | { readonly action: 'unbind'; readonly keepsName: boolean }
  /** The claim has to be looked at first. */
  | { readonly action: 'none' };

/** Decides about a volume; `claim` is the one that its claimRef names, whatever its uid. */
export function decideVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumeDecision {
  const reference = volume.spec?.claimRef;
  if (!reference?.uid) return { action: 'phase', phase: 'Available' };
  if (!claim || claim.metadata.uid !== reference.uid) return { action: 'release' };
  const name = claim.spec?.volumeName ?? '';
  if (name === volume.metadata.name) return { action: 'phase', phase: 'Bound' };
  if (name === '') return { action: 'none' };
  const { annotations = {} } = volume.metadata;
  // Made for the claim and too late: nobody else could want it.
  if (annotations[PROVISIONED_BY] !== undefined && volume.spec?.persistentVolumeReclaimPolicy === 'Delete')
    return { action: 'release' };
  return { action: 'unbind', keepsName: annotations[BOUND_BY_CONTROLLER] === undefined };
}
