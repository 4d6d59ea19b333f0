import { PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { StorageProfile } from '@vireo/api/kinds/cdi/storageProfile.ts';
import { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import type { AnyInformer, Informers } from '@vireo/kube';
import { STATE_LABEL } from '../vmi/stateClaim.ts';
import type { StorageLookup } from './volumes.ts';

/** The machine whose firmware's state a claim holds. */
function machineOf({ metadata }: PersistentVolumeClaim): string[] {
  const machine = metadata.labels?.[STATE_LABEL];
  return machine === undefined ? [] : [`${metadata.namespace}/${machine}`];
}

/** The storage of every namespace, as informers have it. */
export interface CachedStorage {
  of(namespace: string | undefined): StorageLookup;
  readonly informers: readonly AnyInformer[];
}

export function cachedStorage(informers: Informers): CachedStorage {
  const claims = informers.for(PersistentVolumeClaim, { indexes: { persistentState: machineOf } });
  const classes = informers.for(StorageClass);
  const profiles = informers.for(StorageProfile);
  const snapshotClasses = informers.for(VolumeSnapshotClass);
  return {
    of: (namespace) => ({
      claim: (name) => claims.get(`${namespace}/${name}`),
      stateClaims: (machine) => claims.byIndex('persistentState', `${namespace}/${machine}`),
      storageClass: (name) => classes.get(name),
      profile: (name) => profiles.get(name),
      get snapshotClasses() {
        return snapshotClasses.list();
      },
    }),
    informers: [claims, classes, profiles, snapshotClasses],
  };
}
