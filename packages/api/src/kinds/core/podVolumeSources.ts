import { boolean, type Infer, int32, list, map, opt, quantity, req, string, struct } from '../../schema.ts';
import { KeyToPath } from './keySelectors.ts';
import { PersistentVolumeClaimTemplate } from './persistentVolumeClaim.ts';
import { DownwardAPIVolumeFile } from './projectedVolume.ts';
import { LocalObjectReference } from './references.ts';

export const AzureFileVolumeSource = struct('io.k8s.api.core.v1.AzureFileVolumeSource', 'File share of Azure.', {
  readOnly: opt(3, boolean, 'Whether the volume is mounted read-only.'),
  secretName: req(1, string, 'Secret with account name and key.'),
  shareName: req(2, string, 'Name of the share.'),
});
export interface AzureFileVolumeSource extends Infer<typeof AzureFileVolumeSource> {}

export const CSIVolumeSource = struct(
  'io.k8s.api.core.v1.CSIVolumeSource',
  'A volume that a CSI driver creates for the lifetime of the pod.',
  {
    driver: req(1, string, 'Name of the CSI driver.'),
    fsType: opt(3, string, { pointer: true, doc: 'Type of the filesystem to mount. If empty, the driver chooses.' }),
    nodePublishSecretRef: opt(5, LocalObjectReference, 'Secret for mounting the volume.'),
    readOnly: opt(2, boolean, { pointer: true, doc: 'Whether the volume is mounted read-only.' }),
    volumeAttributes: opt(4, map(string), 'Driver-specific attributes of the volume.'),
  },
);
export interface CSIVolumeSource extends Infer<typeof CSIVolumeSource> {}

export const CephFSVolumeSource = struct('io.k8s.api.core.v1.CephFSVolumeSource', 'Ceph file system (CephFS).', {
  monitors: req(1, list(string, 'atomic'), 'Addresses of the monitors.'),
  path: opt(2, string, 'Path to mount as the root.'),
  readOnly: opt(6, boolean, 'Whether the volume is mounted read-only.'),
  secretFile: opt(4, string, 'Key ring file on the node.'),
  secretRef: opt(5, LocalObjectReference, 'Secret with the credentials for the storage.'),
  user: opt(3, string, 'Name of the Ceph user.'),
});
export interface CephFSVolumeSource extends Infer<typeof CephFSVolumeSource> {}

export const CinderVolumeSource = struct('io.k8s.api.core.v1.CinderVolumeSource', 'Volume of OpenStack Cinder.', {
  fsType: opt(2, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
  readOnly: opt(3, boolean, 'Whether the volume is mounted read-only.'),
  secretRef: opt(4, LocalObjectReference, 'Secret with the credentials for the storage.'),
  volumeID: req(1, string, 'ID of the volume.'),
});
export interface CinderVolumeSource extends Infer<typeof CinderVolumeSource> {}

export const ConfigMapVolumeSource = struct(
  'io.k8s.api.core.v1.ConfigMapVolumeSource',
  'Files from the keys of a ConfigMap.',
  {
    defaultMode: opt(3, int32, { default: 420, pointer: true, doc: 'Permissions of the files. Defaults to 0644.' }),
    items: opt(
      2,
      list(KeyToPath, 'atomic'),
      'Keys to write and the paths of their files. If empty, all keys are written.',
    ),
    name: opt([1, 1], string, 'Name of the ConfigMap.'),
    optional: opt(4, boolean, { pointer: true, doc: 'Whether the pod starts if the ConfigMap does not exist.' }),
  },
);
export interface ConfigMapVolumeSource extends Infer<typeof ConfigMapVolumeSource> {}

export const DownwardAPIVolumeSource = struct(
  'io.k8s.api.core.v1.DownwardAPIVolumeSource',
  'Files from fields of the pod.',
  {
    defaultMode: opt(2, int32, { default: 420, pointer: true, doc: 'Permissions of the files. Defaults to 0644.' }),
    items: opt(1, list(DownwardAPIVolumeFile, 'atomic'), 'Fields of the pod and the files they are written to.'),
  },
);
export interface DownwardAPIVolumeSource extends Infer<typeof DownwardAPIVolumeSource> {}

export const EmptyDirVolumeSource = struct(
  'io.k8s.api.core.v1.EmptyDirVolumeSource',
  'A directory that is empty at first and is deleted with the pod.',
  {
    medium: opt(1, string, "Medium of the directory: Memory for a RAM disk. If empty, the node's disk."),
    sizeLimit: opt(2, quantity, 'Maximum amount of data in the directory.'),
  },
);
export interface EmptyDirVolumeSource extends Infer<typeof EmptyDirVolumeSource> {}

export const EphemeralVolumeSource = struct(
  'io.k8s.api.core.v1.EphemeralVolumeSource',
  'A claim that is created and deleted with the pod.',
  {
    volumeClaimTemplate: opt(1, PersistentVolumeClaimTemplate, 'Template of the claim to create.'),
  },
);
export interface EphemeralVolumeSource extends Infer<typeof EphemeralVolumeSource> {}

export const FlexVolumeSource = struct('io.k8s.api.core.v1.FlexVolumeSource', 'A volume of an exec-based driver.', {
  driver: req(1, string, 'Name of the driver.'),
  fsType: opt(2, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
  options: opt(5, map(string), 'Driver-specific options of the volume.'),
  readOnly: opt(4, boolean, 'Whether the volume is mounted read-only.'),
  secretRef: opt(3, LocalObjectReference, 'Secret with the credentials for the storage.'),
});
export interface FlexVolumeSource extends Infer<typeof FlexVolumeSource> {}

export const GitRepoVolumeSource = struct(
  'io.k8s.api.core.v1.GitRepoVolumeSource',
  'Clone of a git repository. No longer supported.',
  {
    directory: opt(3, string, 'Directory to clone the repository into.'),
    repository: req(1, string, 'URL of the repository.'),
    revision: opt(2, string, 'Commit to check out.'),
  },
);
export interface GitRepoVolumeSource extends Infer<typeof GitRepoVolumeSource> {}

export const GlusterfsVolumeSource = struct(
  'io.k8s.api.core.v1.GlusterfsVolumeSource',
  'Volume of a Gluster cluster. Deprecated.',
  {
    endpoints: req(1, string, 'Name of an Endpoints object with the servers.'),
    path: req(2, string, 'Name of the volume.'),
    readOnly: opt(3, boolean, 'Whether the volume is mounted read-only.'),
  },
);
export interface GlusterfsVolumeSource extends Infer<typeof GlusterfsVolumeSource> {}

export const ISCSIVolumeSource = struct('io.k8s.api.core.v1.ISCSIVolumeSource', 'Disk of an iSCSI target.', {
  chapAuthDiscovery: opt(8, boolean, 'Whether discovery authenticates with CHAP.'),
  chapAuthSession: opt(11, boolean, 'Whether sessions authenticate with CHAP.'),
  fsType: opt(5, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
  initiatorName: opt(12, string, { pointer: true, doc: 'Name of the iSCSI initiator.' }),
  iqn: req(2, string, 'Qualified name (IQN) of the target.'),
  iscsiInterface: opt(4, string, { default: 'default', doc: 'Name of the iSCSI interface. Defaults to default.' }),
  lun: req(3, int32, 'Number of the LUN.'),
  portals: opt(7, list(string, 'atomic'), 'Further portals of the target, for multipath.'),
  readOnly: opt(6, boolean, 'Whether the volume is mounted read-only.'),
  secretRef: opt(10, LocalObjectReference, 'Secret with the credentials for the storage.'),
  targetPortal: req(1, string, 'Address of the target, as host:port.'),
});
export interface ISCSIVolumeSource extends Infer<typeof ISCSIVolumeSource> {}

export const ImageVolumeSource = struct('io.k8s.api.core.v1.ImageVolumeSource', 'Content of a container image.', {
  pullPolicy: opt(2, string, 'When to pull the image: Always, Never or IfNotPresent.'),
  reference: opt(1, string, 'Reference of the container image.'),
});
export interface ImageVolumeSource extends Infer<typeof ImageVolumeSource> {}

export const PersistentVolumeClaimVolumeSource = struct(
  'io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource',
  'Volume of a PersistentVolumeClaim.',
  {
    claimName: req(1, string, 'Name of a PersistentVolumeClaim in the same namespace.'),
    readOnly: opt(2, boolean, 'Whether the volume is mounted read-only.'),
  },
);
export interface PersistentVolumeClaimVolumeSource extends Infer<typeof PersistentVolumeClaimVolumeSource> {}

export const RBDVolumeSource = struct('io.k8s.api.core.v1.RBDVolumeSource', 'Block device of Ceph (RBD).', {
  fsType: opt(3, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
  image: req(2, string, 'Name of the image.'),
  keyring: opt(6, string, { default: '/etc/ceph/keyring', doc: 'Key ring file on the node.' }),
  monitors: req(1, list(string, 'atomic'), 'Addresses of the monitors.'),
  pool: opt(4, string, { default: 'rbd', doc: 'Name of the Ceph pool.' }),
  readOnly: opt(8, boolean, 'Whether the volume is mounted read-only.'),
  secretRef: opt(7, LocalObjectReference, 'Secret with the credentials for the storage.'),
  user: opt(5, string, { default: 'admin', doc: 'Name of the Ceph user.' }),
});
export interface RBDVolumeSource extends Infer<typeof RBDVolumeSource> {}

export const ScaleIOVolumeSource = struct('io.k8s.api.core.v1.ScaleIOVolumeSource', 'Volume of ScaleIO. Deprecated.', {
  fsType: opt(9, string, { default: 'xfs', doc: 'Type of the filesystem to mount. If empty, the driver chooses.' }),
  gateway: req(1, string, 'Address of the gateway.'),
  protectionDomain: opt(5, string, 'Protection domain of the volume.'),
  readOnly: opt(10, boolean, 'Whether the volume is mounted read-only.'),
  secretRef: req(3, LocalObjectReference, 'Secret with the credentials for the storage.'),
  sslEnabled: opt(4, boolean, 'Whether to connect with TLS.'),
  storageMode: opt(7, string, {
    default: 'ThinProvisioned',
    doc: 'Provisioning of the volume: ThickProvisioned or ThinProvisioned. Defaults to ThinProvisioned.',
  }),
  storagePool: opt(6, string, 'Storage pool of the volume.'),
  system: req(2, string, 'Name of the storage system.'),
  volumeName: opt(8, string, 'Name of the volume.'),
});
export interface ScaleIOVolumeSource extends Infer<typeof ScaleIOVolumeSource> {}

export const SecretVolumeSource = struct('io.k8s.api.core.v1.SecretVolumeSource', 'Files from the keys of a Secret.', {
  defaultMode: opt(3, int32, { default: 420, pointer: true, doc: 'Permissions of the files. Defaults to 0644.' }),
  items: opt(
    2,
    list(KeyToPath, 'atomic'),
    'Keys to write and the paths of their files. If empty, all keys are written.',
  ),
  optional: opt(4, boolean, { pointer: true, doc: 'Whether the pod starts if the Secret does not exist.' }),
  secretName: opt(1, string, 'Name of the Secret.'),
});
export interface SecretVolumeSource extends Infer<typeof SecretVolumeSource> {}

export const StorageOSVolumeSource = struct(
  'io.k8s.api.core.v1.StorageOSVolumeSource',
  'Volume of a StorageOS cluster. Deprecated.',
  {
    fsType: opt(3, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
    readOnly: opt(4, boolean, 'Whether the volume is mounted read-only.'),
    secretRef: opt(5, LocalObjectReference, 'Secret with the credentials for the storage.'),
    volumeName: opt(1, string, 'Name of the volume.'),
    volumeNamespace: opt(2, string, 'Namespace of the volume.'),
  },
);
export interface StorageOSVolumeSource extends Infer<typeof StorageOSVolumeSource> {}
