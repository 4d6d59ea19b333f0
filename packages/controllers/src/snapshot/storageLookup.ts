import { PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { StorageProfile } from '@vireo/api/kinds/cdi/storageProfile.ts';
import { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import type { AnyInformer, Informers } from '@vireo/kube';
import { backendStorageClaimKeys } from '../vmi/backendStorage.ts';
import type { StorageLookup } from './volumes.ts';

/** The storage of every namespace, as informers have it. */
export interface CachedStorage {
  of(namespace: string | undefined): StorageLookup;
  readonly informers: readonly AnyInformer[];
}

export function cachedStorage(informers: Informers): CachedStorage {
  const claims = informers.for(PersistentVolumeClaim, { indexes: { stateOf: backendStorageClaimKeys } });
  const classes = informers.for(StorageClass);
  const profiles = informers.for(StorageProfile);
  const snapshotClasses = informers.for(VolumeSnapshotClass);
  return {
    of: (namespace) => ({
      claim: (name) => claims.get(`${namespace}/${name}`),
      backendStorageClaims: (vm) => claims.byIndex('stateOf', `${namespace}/${vm}`),
      storageClass: (name) => classes.get(name),
      profile: (name) => profiles.get(name),
      get snapshotClasses() {
        return snapshotClasses.list();
      },
    }),
    informers: [claims, classes, profiles, snapshotClasses],
  };
}
