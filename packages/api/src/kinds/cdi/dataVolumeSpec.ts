import { boolean, type Infer, list, oneOf, string, struct } from '../../schema.ts';
import { PersistentVolumeClaimSpec } from '../core/persistentVolumeClaim.ts';
import { TypedLocalObjectReference, TypedObjectReference } from '../core/references.ts';
import { VolumeResourceRequirements } from '../core/resources.ts';
import { optional, withoutDefaults } from '../customResource.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { DataVolumeCheckpoint, DataVolumeSourceRef, DataVolumeSourceSpec } from './dataVolumeSource.ts';

export const StorageSpec = struct(
  'io.kubevirt.cdi.v1beta1.StorageSpec',
  'The claim to create. The storage profile of its class supplies what is not set.',
  {
    accessModes: optional(list(string), 'Access modes of the claim. Defaults to those of the storage profile.'),
    dataSource: optional(TypedLocalObjectReference, 'Object whose content the volume starts with.'),
    dataSourceRef: optional(TypedObjectReference, 'Object of any kind whose content the volume starts with.'),
    resources: optional(VolumeResourceRequirements, 'How much storage is wanted; room for the filesystem is added.'),
    selector: optional(LabelSelector, 'Labels of volumes that may be bound.'),
    storageClassName: optional(string, 'Name of the StorageClass. Defaults to the default class of the cluster.'),
    volumeMode: optional(
      oneOf('Block', 'Filesystem', 'FromStorageProfile'),
      'Volume mode of the claim: Filesystem, Block or FromStorageProfile.',
    ),
    volumeName: optional(string, 'Name of the PersistentVolume to bind.'),
  },
);
export interface StorageSpec extends Infer<typeof StorageSpec> {}

export const DataVolumeSpec = struct(
  'io.kubevirt.cdi.v1beta1.DataVolumeSpec',
  'The claim to create, and the data to fill it with. Set pvc or storage, and source or sourceRef.',
  {
    checkpoints: optional(list(DataVolumeCheckpoint), 'Stages of a multi-stage import, in order.'),
    contentType: optional(
      string,
      'Content of the volume: kubevirt for a disk image, or archive. Defaults to kubevirt.',
    ),
    finalCheckpoint: optional(boolean, 'Whether the last checkpoint is the last step.'),
    preallocation: optional(boolean, 'Whether all space is allocated at once.'),
    priorityClassName: optional(string, 'Priority class of the pods that do the work.'),
    pvc: optional(
      withoutDefaults(PersistentVolumeClaimSpec),
      'The claim to create, exactly as given. Set this or storage.',
    ),
    serviceAccountName: optional(string, 'Service account of the pods that do the work.'),
    source: optional(DataVolumeSourceSpec, 'Where the data comes from. This or sourceRef.'),
    sourceRef: optional(DataVolumeSourceRef, 'Object that names the source of the data, instead of source.'),
    storage: optional(
      StorageSpec,
      'The claim to create. The storage profile of its class supplies what is not set. Set this or pvc.',
    ),
  },
);
export interface DataVolumeSpec extends Infer<typeof DataVolumeSpec> {}
