import { boolean, type Infer, int32, list, map, opt, quantity, req, string, struct } from '../../schema.ts';
import { KeyToPath } from './keySelectors.ts';
import { PersistentVolumeClaimTemplate } from './persistentVolumeClaim.ts';
import { DownwardAPIVolumeFile } from './projectedVolume.ts';
import { LocalObjectReference } from './references.ts';

export const AzureFileVolumeSource = struct('io.k8s.api.core.v1.AzureFileVolumeSource', 'A file share at Azure.', {
  readOnly: opt(3, boolean, 'Whether it is mounted read-only.'),
  secretName: req(1, string, 'Secret with account name and key.'),
  shareName: req(2, string, 'Name of the share.'),
});
export interface AzureFileVolumeSource extends Infer<typeof AzureFileVolumeSource> {}

export const CSIVolumeSource = struct(
  'io.k8s.api.core.v1.CSIVolumeSource',
  "A volume that a CSI driver makes for the pod's lifetime.",
  {
    driver: req(1, string, 'Name of the driver.'),
    fsType: opt(3, string, { pointer: true, doc: 'File system to mount; the driver chooses when empty.' }),
    nodePublishSecretRef: opt(5, LocalObjectReference, 'Secret for the driver.'),
    readOnly: opt(2, boolean, { pointer: true, doc: 'Whether it is mounted read-only.' }),
    volumeAttributes: opt(4, map(string), 'Settings for the driver.'),
  },
);
export interface CSIVolumeSource extends Infer<typeof CSIVolumeSource> {}

export const CephFSVolumeSource = struct('io.k8s.api.core.v1.CephFSVolumeSource', 'A Ceph file system.', {
  monitors: req(1, list(string, 'atomic'), 'Addresses of the monitors.'),
  path: opt(2, string, 'Path to mount as the root.'),
  readOnly: opt(6, boolean, 'Whether it is mounted read-only.'),
  secretFile: opt(4, string, 'Key ring file on the node.'),
  secretRef: opt(5, LocalObjectReference, 'Secret with the credentials.'),
  user: opt(3, string, 'Ceph user.'),
});
export interface CephFSVolumeSource extends Infer<typeof CephFSVolumeSource> {}

export const CinderVolumeSource = struct('io.k8s.api.core.v1.CinderVolumeSource', 'A Cinder volume.', {
  fsType: opt(2, string, 'File system to mount; the driver chooses when empty.'),
  readOnly: opt(3, boolean, 'Whether it is mounted read-only.'),
  secretRef: opt(4, LocalObjectReference, 'Secret with the credentials.'),
  volumeID: req(1, string, 'ID of the volume.'),
});
export interface CinderVolumeSource extends Infer<typeof CinderVolumeSource> {}

export const ConfigMapVolumeSource = struct(
  'io.k8s.api.core.v1.ConfigMapVolumeSource',
  'Keys of a ConfigMap as files.',
  {
    defaultMode: opt(3, int32, { default: 420, pointer: true, doc: 'Permissions of the files.' }),
    items: opt(2, list(KeyToPath, 'atomic'), 'Which keys, and where; all when empty.'),
    name: opt([1, 1], string, 'Name of the ConfigMap.'),
    optional: opt(4, boolean, { pointer: true, doc: 'Whether it may be missing.' }),
  },
);
export interface ConfigMapVolumeSource extends Infer<typeof ConfigMapVolumeSource> {}

export const DownwardAPIVolumeSource = struct(
  'io.k8s.api.core.v1.DownwardAPIVolumeSource',
  'Fields of the pod as files.',
  {
    defaultMode: opt(2, int32, { default: 420, pointer: true, doc: 'Permissions of the files.' }),
    items: opt(1, list(DownwardAPIVolumeFile, 'atomic'), 'Which fields, and where.'),
  },
);
export interface DownwardAPIVolumeSource extends Infer<typeof DownwardAPIVolumeSource> {}

export const EmptyDirVolumeSource = struct(
  'io.k8s.api.core.v1.EmptyDirVolumeSource',
  'A directory that starts empty and goes with the pod.',
  {
    medium: opt(1, string, "Memory for a RAM disk; the node's disk when empty."),
    sizeLimit: opt(2, quantity, 'How much it may hold.'),
  },
);
export interface EmptyDirVolumeSource extends Infer<typeof EmptyDirVolumeSource> {}

export const EphemeralVolumeSource = struct(
  'io.k8s.api.core.v1.EphemeralVolumeSource',
  'A claim that lives and dies with the pod.',
  {
    volumeClaimTemplate: opt(1, PersistentVolumeClaimTemplate, 'The claim to make.'),
  },
);
export interface EphemeralVolumeSource extends Infer<typeof EphemeralVolumeSource> {}

export const FlexVolumeSource = struct('io.k8s.api.core.v1.FlexVolumeSource', 'A volume of an exec-based driver.', {
  driver: req(1, string, 'Name of the driver.'),
  fsType: opt(2, string, 'File system to mount; the driver chooses when empty.'),
  options: opt(5, map(string), 'Settings for the driver.'),
  readOnly: opt(4, boolean, 'Whether it is mounted read-only.'),
  secretRef: opt(3, LocalObjectReference, 'Secret with the credentials.'),
});
export interface FlexVolumeSource extends Infer<typeof FlexVolumeSource> {}

export const GitRepoVolumeSource = struct(
  'io.k8s.api.core.v1.GitRepoVolumeSource',
  'A clone of a git repository. No longer supported.',
  {
    directory: opt(3, string, 'Where to clone to.'),
    repository: req(1, string, 'URL of the repository.'),
    revision: opt(2, string, 'Commit to check out.'),
  },
);
export interface GitRepoVolumeSource extends Infer<typeof GitRepoVolumeSource> {}

export const GlusterfsVolumeSource = struct('io.k8s.api.core.v1.GlusterfsVolumeSource', 'A Glusterfs volume.', {
  endpoints: req(1, string, 'Endpoints object with the servers.'),
  path: req(2, string, 'Name of the volume.'),
  readOnly: opt(3, boolean, 'Whether it is mounted read-only.'),
});
export interface GlusterfsVolumeSource extends Infer<typeof GlusterfsVolumeSource> {}

export const ISCSIVolumeSource = struct('io.k8s.api.core.v1.ISCSIVolumeSource', 'An iSCSI disk.', {
  chapAuthDiscovery: opt(8, boolean, 'Whether discovery uses CHAP.'),
  chapAuthSession: opt(11, boolean, 'Whether sessions use CHAP.'),
  fsType: opt(5, string, 'File system to mount; the driver chooses when empty.'),
  initiatorName: opt(12, string, { pointer: true, doc: 'Name of the initiator.' }),
  iqn: req(2, string, 'Name of the target.'),
  iscsiInterface: opt(4, string, { default: 'default', doc: 'Interface to use.' }),
  lun: req(3, int32, 'Number of the unit.'),
  portals: opt(7, list(string, 'atomic'), 'Further portals, for multipath.'),
  readOnly: opt(6, boolean, 'Whether it is mounted read-only.'),
  secretRef: opt(10, LocalObjectReference, 'Secret with the credentials.'),
  targetPortal: req(1, string, 'Address of the target.'),
});
export interface ISCSIVolumeSource extends Infer<typeof ISCSIVolumeSource> {}

export const ImageVolumeSource = struct('io.k8s.api.core.v1.ImageVolumeSource', 'The content of an image.', {
  pullPolicy: opt(2, string, 'Always, Never or IfNotPresent.'),
  reference: opt(1, string, 'The image.'),
});
export interface ImageVolumeSource extends Infer<typeof ImageVolumeSource> {}

export const PersistentVolumeClaimVolumeSource = struct(
  'io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource',
  'The volume of a claim.',
  {
    claimName: req(1, string, 'Name of the claim.'),
    readOnly: opt(2, boolean, 'Whether it is mounted read-only.'),
  },
);
export interface PersistentVolumeClaimVolumeSource extends Infer<typeof PersistentVolumeClaimVolumeSource> {}

export const RBDVolumeSource = struct('io.k8s.api.core.v1.RBDVolumeSource', 'A Rados block device.', {
  fsType: opt(3, string, 'File system to mount; the driver chooses when empty.'),
  image: req(2, string, 'Name of the image.'),
  keyring: opt(6, string, { default: '/etc/ceph/keyring', doc: 'Key ring file on the node.' }),
  monitors: req(1, list(string, 'atomic'), 'Addresses of the monitors.'),
  pool: opt(4, string, { default: 'rbd', doc: 'Name of the pool.' }),
  readOnly: opt(8, boolean, 'Whether it is mounted read-only.'),
  secretRef: opt(7, LocalObjectReference, 'Secret with the credentials.'),
  user: opt(5, string, { default: 'admin', doc: 'Ceph user.' }),
});
export interface RBDVolumeSource extends Infer<typeof RBDVolumeSource> {}

export const ScaleIOVolumeSource = struct('io.k8s.api.core.v1.ScaleIOVolumeSource', 'A ScaleIO volume.', {
  fsType: opt(9, string, { default: 'xfs', doc: 'File system to mount; the driver chooses when empty.' }),
  gateway: req(1, string, 'Address of the gateway.'),
  protectionDomain: opt(5, string, 'Protection domain of the volume.'),
  readOnly: opt(10, boolean, 'Whether it is mounted read-only.'),
  secretRef: req(3, LocalObjectReference, 'Secret with the credentials.'),
  sslEnabled: opt(4, boolean, 'Whether to speak TLS.'),
  storageMode: opt(7, string, { default: 'ThinProvisioned', doc: 'ThickProvisioned or ThinProvisioned.' }),
  storagePool: opt(6, string, 'Pool of the volume.'),
  system: req(2, string, 'Name of the storage system.'),
  volumeName: opt(8, string, 'Name of the volume.'),
});
export interface ScaleIOVolumeSource extends Infer<typeof ScaleIOVolumeSource> {}

export const SecretVolumeSource = struct('io.k8s.api.core.v1.SecretVolumeSource', 'Keys of a Secret as files.', {
  defaultMode: opt(3, int32, { default: 420, pointer: true, doc: 'Permissions of the files.' }),
  items: opt(2, list(KeyToPath, 'atomic'), 'Which keys, and where; all when empty.'),
  optional: opt(4, boolean, { pointer: true, doc: 'Whether it may be missing.' }),
  secretName: opt(1, string, 'Name of the Secret.'),
});
export interface SecretVolumeSource extends Infer<typeof SecretVolumeSource> {}

export const StorageOSVolumeSource = struct('io.k8s.api.core.v1.StorageOSVolumeSource', 'A StorageOS volume.', {
  fsType: opt(3, string, 'File system to mount; the driver chooses when empty.'),
  readOnly: opt(4, boolean, 'Whether it is mounted read-only.'),
  secretRef: opt(5, LocalObjectReference, 'Secret with the credentials.'),
  volumeName: opt(1, string, 'Name of the volume.'),
  volumeNamespace: opt(2, string, 'Namespace of the volume.'),
});
export interface StorageOSVolumeSource extends Infer<typeof StorageOSVolumeSource> {}
