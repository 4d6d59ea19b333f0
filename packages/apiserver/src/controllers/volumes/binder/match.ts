import type { Persisted, PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { compareQuantities } from '@vireo/api/quantity.ts';
import { matchesLabelSelector } from '../../../labelSelector.ts';

/** Whether a volume is set aside for the claim, by the claim's name and, where it is given, its uid. */
export function isReservedFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const reference = spec?.claimRef;
  return (
    reference !== undefined &&
    reference.name === metadata.name &&
    reference.namespace === metadata.namespace &&
    (!reference.uid || reference.uid === metadata.uid)
  );
}

/** Why a volume cannot fulfil a claim; undefined where it can. */
export function mismatchReason(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const [has, wants] = [volume.spec ?? {}, claim.spec ?? {}];
  if ((has.volumeMode ?? 'Filesystem') !== (wants.volumeMode ?? 'Filesystem')) return 'incompatible volumeMode';
  if ((has.storageClassName ?? '') !== (wants.storageClassName ?? '')) return 'storageClassName does not match';
  if (!(wants.accessModes ?? []).every((mode) => has.accessModes?.includes(mode))) return 'incompatible accessMode';
  const request = wants.resources?.requests?.storage ?? '0';
  if (compareQuantities(has.capacity?.storage ?? '0', request) < 0) return 'requested PV is too small';
  return undefined;
}

/**
 * The volume that a claim should get: one set aside for it, or else the smallest of those that are free and fit.
 * `reaches` says whether the node that was chosen for the claim can use a volume.
 */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly Persisted<PersistentVolume>[],
  reaches: (volume: PersistentVolume) => boolean,
): Persisted<PersistentVolume> | undefined {
  const living = volumes.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const reserved = living.find((volume) => isReservedFor(volume, claim) && !mismatchReason(volume, claim));
  if (reserved) return reserved;
  const free = living.filter(
    (volume) =>
      !volume.spec?.claimRef &&
      volume.status?.phase === 'Available' &&
      !mismatchReason(volume, claim) &&
      (!claim.spec?.selector || matchesLabelSelector(claim.spec.selector, volume.metadata.labels)) &&
      reaches(volume),
  );
  return free.sort(bySize)[0];
}

const bySize = (a: PersistentVolume, b: PersistentVolume): number =>
  compareQuantities(a.spec?.capacity?.storage ?? '0', b.spec?.capacity?.storage ?? '0');
