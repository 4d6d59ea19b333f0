import { boolean, type Infer, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';
import { CloudInitConfigDriveSource, CloudInitNoCloudSource, SysprepSource } from './cloudInit.ts';
import {
  ConfigMapVolumeSource,
  ContainerDiskSource,
  ContainerPathVolumeSource,
  DataVolumeSource,
  DownwardAPIVolumeSource,
  DownwardMetricsVolumeSource,
  EmptyDiskSource,
  EphemeralVolumeSource,
  HostDisk,
  MemoryDumpVolumeSource,
  PersistentVolumeClaimVolumeSource,
  SecretVolumeSource,
  ServiceAccountVolumeSource,
} from './volumeSources.ts';

export const Volume = struct(
  'io.kubevirt.v1.Volume',
  'What feeds the disk or filesystem of the same name. One source besides the name.',
  {
    cloudInitConfigDrive: optional(CloudInitConfigDriveSource, 'cloud-init data in the format of a config drive.'),
    cloudInitNoCloud: optional(CloudInitNoCloudSource, 'cloud-init data in the format NoCloud.'),
    configMap: optional(ConfigMapVolumeSource, 'The content of a ConfigMap.'),
    containerDisk: optional(
      ContainerDiskSource,
      'A disk that comes in a container image. What the guest writes is gone when it stops.',
    ),
    containerPath: optional(ContainerPathVolumeSource, "A directory of the launcher's container."),
    dataVolume: optional(DataVolumeSource, 'A disk that a DataVolume fills.'),
    downwardAPI: optional(DownwardAPIVolumeSource, 'Fields of the machine.'),
    downwardMetrics: optional(DownwardMetricsVolumeSource, 'Figures of the host.'),
    emptyDisk: optional(EmptyDiskSource, 'A blank disk that is gone when the guest stops.'),
    ephemeral: optional(
      EphemeralVolumeSource,
      "A claim's disk that is only read: what the guest writes is gone when it stops.",
    ),
    hostDisk: optional(HostDisk, 'A disk image on the node.'),
    memoryDump: optional(MemoryDumpVolumeSource, "A claim that the guest's memory is written to."),
    name: required(string, 'Name that the disk or filesystem refers to.'),
    persistentVolumeClaim: optional(PersistentVolumeClaimVolumeSource, 'A disk on a persistent volume.'),
    secret: optional(SecretVolumeSource, 'The content of a Secret.'),
    serviceAccount: optional(ServiceAccountVolumeSource, 'The token of a service account.'),
    sysprep: optional(SysprepSource, 'The answers that Windows asks for when it is set up.'),
  },
);
export interface Volume extends Infer<typeof Volume> {}

export const UtilityVolume = struct(
  'io.kubevirt.v1.UtilityVolume',
  'A claim that the launcher uses and the guest does not see.',
  {
    claimName: required(string, 'Name of the claim.'),
    name: required(string, 'Name of the volume in the machine.'),
    readOnly: optional(boolean, 'Whether it can only be read.'),
    type: optional(string, 'What it is for: MemoryDump or Backup.'),
  },
);
export interface UtilityVolume extends Infer<typeof UtilityVolume> {}
