import { boolean, type Infer, list, oneOf, quantity, string, struct } from '../../schema.ts';
import { PersistentVolumeClaimVolumeSource as CorePersistentVolumeClaimVolumeSource } from '../core/podVolumeSources.ts';
import { DownwardAPIVolumeFile } from '../core/projectedVolume.ts';
import { optional, required, withoutDefaults } from '../customResource.ts';

export const ConfigMapVolumeSource = struct(
  'io.kubevirt.v1.ConfigMapVolumeSource',
  'Disk or directory with the content of a ConfigMap.',
  {
    name: optional(string, 'Name of a ConfigMap in the same namespace.'),
    optional: optional(boolean, 'Whether the guest starts if the ConfigMap does not exist.'),
    volumeLabel: optional(string, 'Label of the disk, such as cidata.'),
  },
);
export interface ConfigMapVolumeSource extends Infer<typeof ConfigMapVolumeSource> {}

export const ContainerDiskSource = struct(
  'io.kubevirt.v1.ContainerDiskSource',
  'Disk from a container image. What the guest writes is discarded when it stops.',
  {
    image: required(string, 'The image; the disk is a raw or qcow2 file in /disk.'),
    imagePullPolicy: optional(
      oneOf('Always', 'IfNotPresent', 'Never'),
      'Always, Never or IfNotPresent. Always when the tag is latest.',
    ),
    imagePullSecret: optional(string, 'Secret in the same namespace with the credentials to pull the image.'),
    path: optional(string, 'Path of the disk in the image, where /disk holds several files.'),
  },
);
export interface ContainerDiskSource extends Infer<typeof ContainerDiskSource> {}

export const ContainerPathVolumeSource = struct(
  'io.kubevirt.v1.ContainerPathVolumeSource',
  'Directory of the launcher container, shared through virtiofs.',
  {
    path: required(string, 'Absolute path in the launcher container.'),
    readOnly: optional(boolean, 'Whether the guest can only read the directory. Defaults to true.'),
  },
);
export interface ContainerPathVolumeSource extends Infer<typeof ContainerPathVolumeSource> {}

export const DataVolumeSource = struct('io.kubevirt.v1.DataVolumeSource', 'Disk that a DataVolume fills.', {
  hotpluggable: optional(boolean, 'Whether the volume can be unplugged and plugged in again while the guest runs.'),
  name: required(string, 'Name of the DataVolume, which is also the name of its claim.'),
});
export interface DataVolumeSource extends Infer<typeof DataVolumeSource> {}

export const DownwardAPIVolumeSource = struct(
  'io.kubevirt.v1.DownwardAPIVolumeSource',
  'Disk or directory with fields of the VirtualMachineInstance.',
  {
    fields: optional(
      list(withoutDefaults(DownwardAPIVolumeFile)),
      'Files of the volume and the field that each contains.',
    ),
    volumeLabel: optional(string, 'Volume label of the disk that the guest sees.'),
  },
);
export interface DownwardAPIVolumeSource extends Infer<typeof DownwardAPIVolumeSource> {}

export const DownwardMetricsVolumeSource = struct(
  'io.kubevirt.v1.DownwardMetricsVolumeSource',
  'Small disk from which the guest reads metrics of its host.',
  {},
);
export interface DownwardMetricsVolumeSource extends Infer<typeof DownwardMetricsVolumeSource> {}

export const EmptyDiskSource = struct(
  'io.kubevirt.v1.EmptyDiskSource',
  'Empty disk. It is discarded when the guest stops.',
  {
    capacity: required(quantity, 'Size of the disk, such as 2Gi.'),
  },
);
export interface EmptyDiskSource extends Infer<typeof EmptyDiskSource> {}

export const EphemeralVolumeSource = struct(
  'io.kubevirt.v1.EphemeralVolumeSource',
  'Disk of a claim with a writable overlay. The claim is only read; writes are discarded when the guest stops.',
  {
    persistentVolumeClaim: optional(
      CorePersistentVolumeClaimVolumeSource,
      'Claim that backs the disk, in the same namespace.',
    ),
  },
);
export interface EphemeralVolumeSource extends Infer<typeof EphemeralVolumeSource> {}

export const HostDisk = struct('io.kubevirt.v1.HostDisk', "Disk image on the node's filesystem.", {
  capacity: optional(quantity, 'Size of the disk image, if it is created.'),
  path: required(string, 'Path of the image on the node.'),
  shared: optional(boolean, 'Whether the path is the same on all nodes.'),
  type: required(string, 'Disk, which must be there, or DiskOrCreate.'),
});
export interface HostDisk extends Infer<typeof HostDisk> {}

export const MemoryDumpVolumeSource = struct(
  'io.kubevirt.v1.MemoryDumpVolumeSource',
  "Claim to which the guest's memory is dumped.",
  {
    claimName: required(string, 'Name of a PersistentVolumeClaim in the same namespace.'),
    hotpluggable: optional(boolean, 'Whether the volume can be unplugged and plugged in again while the guest runs.'),
    readOnly: optional(boolean, 'Whether the claim is mounted read-only.'),
  },
);
export interface MemoryDumpVolumeSource extends Infer<typeof MemoryDumpVolumeSource> {}

export const PersistentVolumeClaimVolumeSource = struct(
  'io.kubevirt.v1.PersistentVolumeClaimVolumeSource',
  'Disk on a PersistentVolumeClaim in the same namespace.',
  {
    claimName: required(string, 'Name of a PersistentVolumeClaim in the same namespace.'),
    hotpluggable: optional(boolean, 'Whether the volume can be unplugged and plugged in again while the guest runs.'),
    readOnly: optional(boolean, 'Whether the guest can only read the disk.'),
  },
);
export interface PersistentVolumeClaimVolumeSource extends Infer<typeof PersistentVolumeClaimVolumeSource> {}

export const SecretVolumeSource = struct(
  'io.kubevirt.v1.SecretVolumeSource',
  'Disk or directory with the content of a Secret.',
  {
    optional: optional(boolean, 'Whether the guest starts if the Secret does not exist.'),
    secretName: optional(string, 'Name of a Secret in the same namespace.'),
    volumeLabel: optional(string, 'Volume label of the disk that the guest sees.'),
  },
);
export interface SecretVolumeSource extends Infer<typeof SecretVolumeSource> {}

export const ServiceAccountVolumeSource = struct(
  'io.kubevirt.v1.ServiceAccountVolumeSource',
  'Disk or directory with the token of a service account.',
  {
    serviceAccountName: optional(string, 'Name of a service account in the same namespace.'),
  },
);
export interface ServiceAccountVolumeSource extends Infer<typeof ServiceAccountVolumeSource> {}

export const HotplugVolumeSource = struct(
  'io.kubevirt.v1.HotplugVolumeSource',
  'Source of a volume that can be hotplugged. Set one of the two fields.',
  {
    dataVolume: optional(DataVolumeSource, 'Disk that a DataVolume fills.'),
    persistentVolumeClaim: optional(
      PersistentVolumeClaimVolumeSource,
      'Disk on a PersistentVolumeClaim in the same namespace.',
    ),
  },
);
export interface HotplugVolumeSource extends Infer<typeof HotplugVolumeSource> {}
