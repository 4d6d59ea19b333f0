import { boolean, type Infer, list, oneOf, quantity, string, struct } from '../../schema.ts';
import { PersistentVolumeClaimVolumeSource as CorePersistentVolumeClaimVolumeSource } from '../core/podVolumeSources.ts';
import { DownwardAPIVolumeFile } from '../core/projectedVolume.ts';
import { optional, required, withoutDefaults } from '../customResource.ts';

export const ConfigMapVolumeSource = struct(
  'io.kubevirt.v1.ConfigMapVolumeSource',
  'A disk or directory with the content of a ConfigMap.',
  {
    name: optional(string, 'Name of the ConfigMap.'),
    optional: optional(boolean, 'Whether it may be missing.'),
    volumeLabel: optional(string, 'Label of the disk, such as cidata.'),
  },
);
export interface ConfigMapVolumeSource extends Infer<typeof ConfigMapVolumeSource> {}

export const ContainerDiskSource = struct(
  'io.kubevirt.v1.ContainerDiskSource',
  'A disk that comes in a container image. What the guest writes is gone when it stops.',
  {
    image: required(string, 'The image; the disk is a raw or qcow2 file in /disk.'),
    imagePullPolicy: optional(
      oneOf('Always', 'IfNotPresent', 'Never'),
      'Always, Never or IfNotPresent. Always when the tag is latest.',
    ),
    imagePullSecret: optional(string, 'Secret to pull the image with.'),
    path: optional(string, 'Path of the disk in the image, where /disk holds several files.'),
  },
);
export interface ContainerDiskSource extends Infer<typeof ContainerDiskSource> {}

export const ContainerPathVolumeSource = struct(
  'io.kubevirt.v1.ContainerPathVolumeSource',
  "A directory of the launcher's container.",
  {
    path: required(string, 'The path.'),
    readOnly: optional(boolean, 'Whether the guest can only read it; true when missing.'),
  },
);
export interface ContainerPathVolumeSource extends Infer<typeof ContainerPathVolumeSource> {}

export const DataVolumeSource = struct('io.kubevirt.v1.DataVolumeSource', 'A disk that a DataVolume fills.', {
  hotpluggable: optional(boolean, 'Whether it can be taken out and put in while the machine runs.'),
  name: required(string, 'Name of the DataVolume and of its claim.'),
});
export interface DataVolumeSource extends Infer<typeof DataVolumeSource> {}

export const DownwardAPIVolumeSource = struct(
  'io.kubevirt.v1.DownwardAPIVolumeSource',
  'A disk or directory with fields of the machine.',
  {
    fields: optional(list(withoutDefaults(DownwardAPIVolumeFile)), 'The files, and what each holds.'),
    volumeLabel: optional(string, 'Label of the disk.'),
  },
);
export interface DownwardAPIVolumeSource extends Infer<typeof DownwardAPIVolumeSource> {}

export const DownwardMetricsVolumeSource = struct(
  'io.kubevirt.v1.DownwardMetricsVolumeSource',
  'A small disk that tells the guest figures of its host.',
  {},
);
export interface DownwardMetricsVolumeSource extends Infer<typeof DownwardMetricsVolumeSource> {}

export const EmptyDiskSource = struct(
  'io.kubevirt.v1.EmptyDiskSource',
  'A blank disk. It is gone when the guest stops.',
  {
    capacity: required(quantity, 'Its size, such as 2Gi.'),
  },
);
export interface EmptyDiskSource extends Infer<typeof EmptyDiskSource> {}

export const EphemeralVolumeSource = struct(
  'io.kubevirt.v1.EphemeralVolumeSource',
  "A claim's disk that is only read: what the guest writes is gone when it stops.",
  {
    persistentVolumeClaim: optional(CorePersistentVolumeClaimVolumeSource, 'The claim.'),
  },
);
export interface EphemeralVolumeSource extends Infer<typeof EphemeralVolumeSource> {}

export const HostDisk = struct('io.kubevirt.v1.HostDisk', 'A disk image on the node.', {
  capacity: optional(quantity, 'Size of an image that is made.'),
  path: required(string, 'Path of the image on the node.'),
  shared: optional(boolean, 'Whether the path is the same on all nodes.'),
  type: required(string, 'Disk, which must be there, or DiskOrCreate.'),
});
export interface HostDisk extends Infer<typeof HostDisk> {}

export const MemoryDumpVolumeSource = struct(
  'io.kubevirt.v1.MemoryDumpVolumeSource',
  "A claim that the guest's memory is written to.",
  {
    claimName: required(string, 'Name of the claim.'),
    hotpluggable: optional(boolean, 'Whether it can be taken out and put in while the machine runs.'),
    readOnly: optional(boolean, 'Whether it can only be read.'),
  },
);
export interface MemoryDumpVolumeSource extends Infer<typeof MemoryDumpVolumeSource> {}

export const PersistentVolumeClaimVolumeSource = struct(
  'io.kubevirt.v1.PersistentVolumeClaimVolumeSource',
  'A disk on a persistent volume.',
  {
    claimName: required(string, 'Name of the claim.'),
    hotpluggable: optional(boolean, 'Whether it can be taken out and put in while the machine runs.'),
    readOnly: optional(boolean, 'Whether it can only be read.'),
  },
);
export interface PersistentVolumeClaimVolumeSource extends Infer<typeof PersistentVolumeClaimVolumeSource> {}

export const SecretVolumeSource = struct(
  'io.kubevirt.v1.SecretVolumeSource',
  'A disk or directory with the content of a Secret.',
  {
    optional: optional(boolean, 'Whether it may be missing.'),
    secretName: optional(string, 'Name of the Secret.'),
    volumeLabel: optional(string, 'Label of the disk.'),
  },
);
export interface SecretVolumeSource extends Infer<typeof SecretVolumeSource> {}

export const ServiceAccountVolumeSource = struct(
  'io.kubevirt.v1.ServiceAccountVolumeSource',
  'A disk or directory with the token of a service account.',
  {
    serviceAccountName: optional(string, 'Name of the service account.'),
  },
);
export interface ServiceAccountVolumeSource extends Infer<typeof ServiceAccountVolumeSource> {}

export const HotplugVolumeSource = struct(
  'io.kubevirt.v1.HotplugVolumeSource',
  'What can be plugged into a running machine. One of the two.',
  {
    dataVolume: optional(DataVolumeSource, 'A disk that a DataVolume fills.'),
    persistentVolumeClaim: optional(PersistentVolumeClaimVolumeSource, 'A disk on a persistent volume.'),
  },
);
export interface HotplugVolumeSource extends Infer<typeof HotplugVolumeSource> {}
