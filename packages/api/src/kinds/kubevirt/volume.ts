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
  'A volume that backs the disk or filesystem of the same name. Set exactly one source besides the name.',
  {
    cloudInitConfigDrive: optional(CloudInitConfigDriveSource, 'Disk with cloud-init data in the config drive format.'),
    cloudInitNoCloud: optional(CloudInitNoCloudSource, 'Disk with cloud-init data in the NoCloud format.'),
    configMap: optional(ConfigMapVolumeSource, 'Disk or directory with the content of a ConfigMap.'),
    containerDisk: optional(
      ContainerDiskSource,
      'Disk from a container image. What the guest writes is discarded when it stops.',
    ),
    containerPath: optional(ContainerPathVolumeSource, 'Directory of the launcher container, shared through virtiofs.'),
    dataVolume: optional(DataVolumeSource, 'Disk that a DataVolume fills.'),
    downwardAPI: optional(DownwardAPIVolumeSource, 'Disk or directory with fields of the VirtualMachineInstance.'),
    downwardMetrics: optional(DownwardMetricsVolumeSource, 'Small disk with metrics of the host.'),
    emptyDisk: optional(EmptyDiskSource, 'A blank disk that is gone when the guest stops.'),
    ephemeral: optional(
      EphemeralVolumeSource,
      'Disk of a claim with a writable overlay. Writes are discarded when the guest stops.',
    ),
    hostDisk: optional(HostDisk, "Disk image on the node's filesystem."),
    memoryDump: optional(MemoryDumpVolumeSource, "A claim that the guest's memory is written to."),
    name: required(string, 'Name that the disk or filesystem refers to.'),
    persistentVolumeClaim: optional(
      PersistentVolumeClaimVolumeSource,
      'Disk on a PersistentVolumeClaim in the same namespace.',
    ),
    secret: optional(SecretVolumeSource, 'Disk or directory with the content of a Secret.'),
    serviceAccount: optional(ServiceAccountVolumeSource, 'Disk or directory with the token of a service account.'),
    sysprep: optional(SysprepSource, 'CD-ROM with an answer file for Windows Setup.'),
  },
);
export interface Volume extends Infer<typeof Volume> {}

export const UtilityVolume = struct(
  'io.kubevirt.v1.UtilityVolume',
  'A claim that the launcher pod mounts and the guest does not see.',
  {
    claimName: required(string, 'Name of a PersistentVolumeClaim in the same namespace.'),
    name: required(string, 'Name of the volume in the spec.'),
    readOnly: optional(boolean, 'Whether the claim is mounted read-only.'),
    type: optional(string, 'Purpose of the volume: MemoryDump or Backup.'),
  },
);
export interface UtilityVolume extends Infer<typeof UtilityVolume> {}

type ClaimSource = Pick<Volume, 'persistentVolumeClaim' | 'dataVolume'>;

/** Whether the volume can come and go while its guest runs. */
export const isHotpluggable = ({ persistentVolumeClaim, dataVolume }: ClaimSource): boolean =>
  (persistentVolumeClaim ?? dataVolume)?.hotpluggable === true;

/** The claim that a volume's disk is on. A DataVolume has a claim of its own name. */
export const claimNameOf = ({ persistentVolumeClaim, dataVolume }: ClaimSource): string | undefined =>
  persistentVolumeClaim?.claimName ?? dataVolume?.name;

/** The claim that a volume writes to; what is lost at the stop anyway has none. */
export const writtenClaimNameOf = (volume: Volume): string | undefined =>
  claimNameOf(volume) ?? volume.memoryDump?.claimName;

/** Whether the volume is what the API has of an object, such as a ConfigMap: guests read it, and it may change. */
export const isConfigVolume = ({ configMap, secret, serviceAccount, downwardAPI }: Volume): boolean =>
  (configMap ?? secret ?? serviceAccount ?? downwardAPI) !== undefined;
