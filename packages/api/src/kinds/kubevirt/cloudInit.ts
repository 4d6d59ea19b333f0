import { type Infer, string, struct } from '../../schema.ts';
import { LocalObjectReference } from '../core/references.ts';
import { optional } from '../customResource.ts';

export const CloudInitConfigDriveSource = struct(
  'io.kubevirt.v1.CloudInitConfigDriveSource',
  'Disk with cloud-init data in the config drive format.',
  {
    networkData: optional(string, 'Network configuration as plain text.'),
    networkDataBase64: optional(string, 'Network configuration, encoded in base64.'),
    networkDataSecretRef: optional(LocalObjectReference, 'Secret whose key networkdata holds the network settings.'),
    secretRef: optional(LocalObjectReference, 'Secret whose key userdata holds the user data.'),
    userData: optional(string, 'User data as plain text. A cloud-config starts with the line #cloud-config.'),
    userDataBase64: optional(string, 'User data for cloud-init, encoded in base64.'),
  },
);
export interface CloudInitConfigDriveSource extends Infer<typeof CloudInitConfigDriveSource> {}

export const CloudInitNoCloudSource = struct(
  'io.kubevirt.v1.CloudInitNoCloudSource',
  'Disk with cloud-init data in the NoCloud format. It carries the volume label cidata.',
  {
    networkData: optional(string, 'Network configuration as plain text.'),
    networkDataBase64: optional(string, 'Network configuration, encoded in base64.'),
    networkDataSecretRef: optional(LocalObjectReference, 'Secret whose key networkdata holds the network settings.'),
    secretRef: optional(LocalObjectReference, 'Secret whose key userdata holds the user data.'),
    userData: optional(string, 'User data as plain text. A cloud-config starts with the line #cloud-config.'),
    userDataBase64: optional(string, 'User data for cloud-init, encoded in base64.'),
  },
);
export interface CloudInitNoCloudSource extends Infer<typeof CloudInitNoCloudSource> {}

export const SysprepSource = struct(
  'io.kubevirt.v1.SysprepSource',
  'CD-ROM with an answer file for Windows Setup. Set configMap or secret.',
  {
    configMap: optional(LocalObjectReference, 'ConfigMap with a key autounattend.xml or unattend.xml.'),
    secret: optional(LocalObjectReference, 'Secret with a key autounattend.xml or unattend.xml.'),
  },
);
export interface SysprepSource extends Infer<typeof SysprepSource> {}
