import { isDeleting, type Persisted, type PersistentVolumeClaim, type StorageClass } from '@vireo/api';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import type { StorageProfile } from '@vireo/api/kinds/cdi/storageProfile.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { writtenClaimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { DEFAULT_CLASS } from '@vireo/api/kinds/volumesnapshot/names.ts';
import type { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import { currentBackendStorageClaim, STATE_LABEL } from '../vmi/backendStorage.ts';

/** Finds claims and their storage in one namespace. */
export interface StorageLookup {
  claim(name: string): PersistentVolumeClaim | undefined;
  /** The claims that hold what the firmware of a VM remembers. */
  backendStorageClaims(vm: string): readonly Persisted<PersistentVolumeClaim>[];
  storageClass(name: string): Persisted<StorageClass> | undefined;
  profile(storageClass: string): StorageProfile | undefined;
  readonly snapshotClasses: readonly VolumeSnapshotClass[];
}

/** One volume of a VM that is on a claim. */
export interface SourceVolume {
  readonly volume: string;
  readonly claimName: string;
  readonly claim: PersistentVolumeClaim | undefined;
  /** The class to take its snapshot with; undefined: it cannot be in one. */
  readonly snapshotClass: VolumeSnapshotClass | undefined;
}

/** What a VM's firmware state is called among the volumes of a snapshot. */
export const stateVolumeOf = (vm: string): string => `${STATE_LABEL}-${vm}`;

/** The volumes of a VM that are on claims, with what its firmware remembers as one of them. */
export function sourceVolumes({ metadata, spec }: Vm, lookup: StorageLookup): SourceVolume[] {
  const { name } = metadata;
  const named = (spec.template.spec?.volumes ?? []).flatMap((volume) => {
    const claimName = writtenClaimNameOf(volume);
    return claimName ? [{ volume: volume.name, claimName }] : [];
  });
  const state = currentBackendStorageClaim(lookup.backendStorageClaims(name))?.metadata.name;
  const all = state === undefined ? named : [...named, { volume: stateVolumeOf(name), claimName: state }];
  return all.map((each) => {
    const claim = lookup.claim(each.claimName);
    return { ...each, claim, snapshotClass: claim && snapshotClassOf(claim, lookup) };
  });
}

/** The class that a claim's storage is kept with: what its profile says, the only one of its driver, or the default. */
export function snapshotClassOf(claim: PersistentVolumeClaim, lookup: StorageLookup): VolumeSnapshotClass | undefined {
  const storageClass = lookup.storageClass(claim.spec?.storageClassName ?? '');
  if (!storageClass) return undefined;
  const preferred = lookup.profile(storageClass.metadata.name)?.status?.snapshotClass;
  const own = lookup.snapshotClasses.filter(({ driver }) => driver === storageClass.provisioner);
  return (
    own.find(({ metadata }) => metadata.name === preferred) ??
    (own.length === 1 ? own[0] : own.find(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true'))
  );
}

/** Why the claims of a VM cannot be kept now; undefined when they can. */
export function storageProblem(volumes: readonly SourceVolume[]): string | undefined {
  for (const { volume, claimName, claim } of volumes) {
    const about = (what: string): string => `volume ${volume}: PersistentVolumeClaim ${claimName} ${what}`;
    if (!claim) return about('does not exist');
    if (isDeleting(claim)) return about('is being deleted');
    if (claim.status?.phase !== 'Bound') return about('has no volume yet');
    if (waitsForData(claim)) return about('is not populated yet');
  }
  return undefined;
}

/** Which volumes of a VM a snapshot has, and which it has not. */
export function volumeLists(
  { spec }: Pick<Vm, 'spec'>,
  included: readonly string[],
): { includedVolumes: string[]; excludedVolumes: string[] } {
  const all = (spec.template.spec?.volumes ?? []).map(({ name }) => name);
  return {
    includedVolumes: [...included].sort(),
    excludedVolumes: all.filter((name) => !included.includes(name)).sort(),
  };
}
