import { boolean, type Infer, int32, list, map, opt, req, string, struct } from '../../schema.ts';
import { ObjectReference, SecretReference } from './references.ts';

export const AzureFilePersistentVolumeSource = struct(
  'io.k8s.api.core.v1.AzureFilePersistentVolumeSource',
  'File share of Azure, as a persistent volume.',
  {
    readOnly: opt(3, boolean, 'Whether the volume is mounted read-only.'),
    secretName: req(1, string, 'Secret with account name and key.'),
    secretNamespace: opt(4, string, { pointer: true, doc: 'Namespace of the Secret.' }),
    shareName: req(2, string, 'Name of the share.'),
  },
);
export interface AzureFilePersistentVolumeSource extends Infer<typeof AzureFilePersistentVolumeSource> {}

export const CSIPersistentVolumeSource = struct(
  'io.k8s.api.core.v1.CSIPersistentVolumeSource',
  'A volume of a CSI driver.',
  {
    controllerExpandSecretRef: opt(9, SecretReference, 'Secret for expanding the volume.'),
    controllerPublishSecretRef: opt(6, SecretReference, 'Secret for attaching the volume.'),
    driver: req(1, string, 'Name of the CSI driver.'),
    fsType: opt(4, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
    nodeExpandSecretRef: opt(10, SecretReference, 'Secret for growing the volume on the node.'),
    nodePublishSecretRef: opt(8, SecretReference, 'Secret for mounting the volume.'),
    nodeStageSecretRef: opt(7, SecretReference, 'Secret for preparing the volume on the node.'),
    readOnly: opt(3, boolean, 'Whether the volume is mounted read-only.'),
    volumeAttributes: opt(5, map(string), 'Driver-specific attributes of the volume.'),
    volumeHandle: req(2, string, 'ID of the volume at the driver.'),
  },
);
export interface CSIPersistentVolumeSource extends Infer<typeof CSIPersistentVolumeSource> {}

export const CephFSPersistentVolumeSource = struct(
  'io.k8s.api.core.v1.CephFSPersistentVolumeSource',
  'A Ceph file system, as a persistent volume.',
  {
    monitors: req(1, list(string, 'atomic'), 'Addresses of the monitors.'),
    path: opt(2, string, 'Path to mount as the root.'),
    readOnly: opt(6, boolean, 'Whether the volume is mounted read-only.'),
    secretFile: opt(4, string, 'Key ring file on the node.'),
    secretRef: opt(5, SecretReference, 'Secret with the credentials for the storage.'),
    user: opt(3, string, 'Name of the Ceph user.'),
  },
);
export interface CephFSPersistentVolumeSource extends Infer<typeof CephFSPersistentVolumeSource> {}

export const CinderPersistentVolumeSource = struct(
  'io.k8s.api.core.v1.CinderPersistentVolumeSource',
  'A Cinder volume, as a persistent volume.',
  {
    fsType: opt(2, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
    readOnly: opt(3, boolean, 'Whether the volume is mounted read-only.'),
    secretRef: opt(4, SecretReference, 'Secret with the credentials for the storage.'),
    volumeID: req(1, string, 'ID of the volume.'),
  },
);
export interface CinderPersistentVolumeSource extends Infer<typeof CinderPersistentVolumeSource> {}

export const FlexPersistentVolumeSource = struct(
  'io.k8s.api.core.v1.FlexPersistentVolumeSource',
  'A volume of an exec-based driver, as a persistent volume.',
  {
    driver: req(1, string, 'Name of the driver.'),
    fsType: opt(2, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
    options: opt(5, map(string), 'Driver-specific options of the volume.'),
    readOnly: opt(4, boolean, 'Whether the volume is mounted read-only.'),
    secretRef: opt(3, SecretReference, 'Secret with the credentials for the storage.'),
  },
);
export interface FlexPersistentVolumeSource extends Infer<typeof FlexPersistentVolumeSource> {}

export const GlusterfsPersistentVolumeSource = struct(
  'io.k8s.api.core.v1.GlusterfsPersistentVolumeSource',
  'A Glusterfs volume, as a persistent volume.',
  {
    endpoints: req(1, string, 'Name of an Endpoints object with the servers.'),
    endpointsNamespace: opt(4, string, { pointer: true, doc: 'Namespace of the Endpoints object.' }),
    path: req(2, string, 'Name of the volume.'),
    readOnly: opt(3, boolean, 'Whether the volume is mounted read-only.'),
  },
);
export interface GlusterfsPersistentVolumeSource extends Infer<typeof GlusterfsPersistentVolumeSource> {}

export const ISCSIPersistentVolumeSource = struct(
  'io.k8s.api.core.v1.ISCSIPersistentVolumeSource',
  'An iSCSI disk, as a persistent volume.',
  {
    chapAuthDiscovery: opt(8, boolean, 'Whether discovery authenticates with CHAP.'),
    chapAuthSession: opt(11, boolean, 'Whether sessions authenticate with CHAP.'),
    fsType: opt(5, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
    initiatorName: opt(12, string, { pointer: true, doc: 'Name of the iSCSI initiator.' }),
    iqn: req(2, string, 'Qualified name (IQN) of the target.'),
    iscsiInterface: opt(4, string, { default: 'default', doc: 'Name of the iSCSI interface. Defaults to default.' }),
    lun: req(3, int32, 'Number of the LUN.'),
    portals: opt(7, list(string, 'atomic'), 'Further portals of the target, for multipath.'),
    readOnly: opt(6, boolean, 'Whether the volume is mounted read-only.'),
    secretRef: opt(10, SecretReference, 'Secret with the credentials for the storage.'),
    targetPortal: req(1, string, 'Address of the target, as host:port.'),
  },
);
export interface ISCSIPersistentVolumeSource extends Infer<typeof ISCSIPersistentVolumeSource> {}

export const LocalVolumeSource = struct('io.k8s.api.core.v1.LocalVolumeSource', 'A disk or directory of one node.', {
  fsType: opt(2, string, { pointer: true, doc: 'Type of the filesystem to mount. If empty, the driver chooses.' }),
  path: req(1, string, 'Path of the disk or directory on the node.'),
});
export interface LocalVolumeSource extends Infer<typeof LocalVolumeSource> {}

export const RBDPersistentVolumeSource = struct(
  'io.k8s.api.core.v1.RBDPersistentVolumeSource',
  'A Rados block device, as a persistent volume.',
  {
    fsType: opt(3, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
    image: req(2, string, 'Name of the image.'),
    keyring: opt(6, string, { default: '/etc/ceph/keyring', doc: 'Key ring file on the node.' }),
    monitors: req(1, list(string, 'atomic'), 'Addresses of the monitors.'),
    pool: opt(4, string, { default: 'rbd', doc: 'Name of the Ceph pool.' }),
    readOnly: opt(8, boolean, 'Whether the volume is mounted read-only.'),
    secretRef: opt(7, SecretReference, 'Secret with the credentials for the storage.'),
    user: opt(5, string, { default: 'admin', doc: 'Name of the Ceph user.' }),
  },
);
export interface RBDPersistentVolumeSource extends Infer<typeof RBDPersistentVolumeSource> {}

export const ScaleIOPersistentVolumeSource = struct(
  'io.k8s.api.core.v1.ScaleIOPersistentVolumeSource',
  'A ScaleIO volume, as a persistent volume.',
  {
    fsType: opt(9, string, { default: 'xfs', doc: 'Type of the filesystem to mount. If empty, the driver chooses.' }),
    gateway: req(1, string, 'Address of the gateway.'),
    protectionDomain: opt(5, string, 'Protection domain of the volume.'),
    readOnly: opt(10, boolean, 'Whether the volume is mounted read-only.'),
    secretRef: req(3, SecretReference, 'Secret with the credentials for the storage.'),
    sslEnabled: opt(4, boolean, 'Whether to connect with TLS.'),
    storageMode: opt(7, string, {
      default: 'ThinProvisioned',
      doc: 'Provisioning of the volume: ThickProvisioned or ThinProvisioned. Defaults to ThinProvisioned.',
    }),
    storagePool: opt(6, string, 'Storage pool of the volume.'),
    system: req(2, string, 'Name of the storage system.'),
    volumeName: opt(8, string, 'Name of the volume.'),
  },
);
export interface ScaleIOPersistentVolumeSource extends Infer<typeof ScaleIOPersistentVolumeSource> {}

export const StorageOSPersistentVolumeSource = struct(
  'io.k8s.api.core.v1.StorageOSPersistentVolumeSource',
  'A StorageOS volume, as a persistent volume.',
  {
    fsType: opt(3, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
    readOnly: opt(4, boolean, 'Whether the volume is mounted read-only.'),
    secretRef: opt(5, ObjectReference, 'Secret with the credentials for the storage.'),
    volumeName: opt(1, string, 'Name of the volume.'),
    volumeNamespace: opt(2, string, 'Namespace of the volume.'),
  },
);
export interface StorageOSPersistentVolumeSource extends Infer<typeof StorageOSPersistentVolumeSource> {}
