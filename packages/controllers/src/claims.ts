import type { PersistentVolumeClaim } from '@vireo/api';
import type { Vmi } from './kinds.ts';

type Volumes = Vmi['spec']['volumes'];

/** A volume that lives on a claim. */
export interface ClaimVolume {
  readonly volume: string;
  readonly claim: string;
}

/** The volumes that need a claim before the machine can start. A DataVolume has a claim of its own name. */
export function claimVolumes(volumes: Volumes): ClaimVolume[] {
  return (volumes ?? []).flatMap(({ name, persistentVolumeClaim, dataVolume, ephemeral }) => {
    const source = persistentVolumeClaim ?? dataVolume;
    // What can be plugged in later does not hold up the start.
    if (source?.hotpluggable) return [];
    const claim =
      persistentVolumeClaim?.claimName ?? dataVolume?.name ?? ephemeral?.persistentVolumeClaim?.claimName ?? '';
    return claim ? [{ volume: name, claim }] : [];
  });
}

export type ClaimLookup = (claim: string) => PersistentVolumeClaim | undefined;

/** The first volume whose claim does not exist. */
export const missingClaim = (volumes: Volumes, claimOf: ClaimLookup): ClaimVolume | undefined =>
  claimVolumes(volumes).find(({ claim }) => !claimOf(claim));

/** Whether a claim exists and has no volume yet. */
export const hasUnboundClaim = (volumes: Volumes, claimOf: ClaimLookup): boolean =>
  claimVolumes(volumes).some(({ claim }) => {
    const found = claimOf(claim);
    return found !== undefined && found.status?.phase !== 'Bound';
  });
