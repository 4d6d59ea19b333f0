import { type Infer, string, struct } from '../../schema.ts';
import { LocalObjectReference } from '../core/references.ts';
import { optional } from '../customResource.ts';

export const CloudInitConfigDriveSource = struct(
  'io.kubevirt.v1.CloudInitConfigDriveSource',
  'A disk with cloud-init data in the format of a config drive.',
  {
    networkData: optional(string, 'Network settings, as they are.'),
    networkDataBase64: optional(string, 'Network settings, in base64.'),
    networkDataSecretRef: optional(LocalObjectReference, 'Secret whose key networkdata holds the network settings.'),
    secretRef: optional(LocalObjectReference, 'Secret whose key userdata holds the user data.'),
    userData: optional(string, 'User data, as it is; a cloud-config starts with the line #cloud-config.'),
    userDataBase64: optional(string, 'User data, in base64.'),
  },
);
export interface CloudInitConfigDriveSource extends Infer<typeof CloudInitConfigDriveSource> {}

export const CloudInitNoCloudSource = struct(
  'io.kubevirt.v1.CloudInitNoCloudSource',
  'A disk with cloud-init data in the format NoCloud.',
  {
    networkData: optional(string, 'Network settings, as they are.'),
    networkDataBase64: optional(string, 'Network settings, in base64.'),
    networkDataSecretRef: optional(LocalObjectReference, 'Secret whose key networkdata holds the network settings.'),
    secretRef: optional(LocalObjectReference, 'Secret whose key userdata holds the user data.'),
    userData: optional(string, 'User data, as it is; a cloud-config starts with the line #cloud-config.'),
    userDataBase64: optional(string, 'User data, in base64.'),
  },
);
export interface CloudInitNoCloudSource extends Infer<typeof CloudInitNoCloudSource> {}

export const SysprepSource = struct(
  'io.kubevirt.v1.SysprepSource',
  'A CD-ROM with the answers that Windows asks for when it is set up. One of the two.',
  {
    configMap: optional(LocalObjectReference, 'ConfigMap with autounattend.xml or unattend.xml.'),
    secret: optional(LocalObjectReference, 'Secret with autounattend.xml or unattend.xml.'),
  },
);
export interface SysprepSource extends Infer<typeof SysprepSource> {}
