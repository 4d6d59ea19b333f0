import { boolean, type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';

export const AWSElasticBlockStoreVolumeSource = struct(
  'io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource',
  'Disk of AWS Elastic Block Store.',
  {
    fsType: opt(2, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
    partition: opt(3, int32, 'Number of the partition to mount.'),
    readOnly: opt(4, boolean, 'Whether the volume is mounted read-only.'),
    volumeID: req(1, string, 'ID of the disk.'),
  },
);
export interface AWSElasticBlockStoreVolumeSource extends Infer<typeof AWSElasticBlockStoreVolumeSource> {}

export const AzureDiskVolumeSource = struct('io.k8s.api.core.v1.AzureDiskVolumeSource', 'Data disk of Azure.', {
  cachingMode: opt(3, string, {
    default: 'ReadWrite',
    pointer: true,
    doc: 'Caching of the disk: None, ReadOnly or ReadWrite.',
  }),
  diskName: req(1, string, 'Name of the disk.'),
  diskURI: req(2, string, 'URI of the disk.'),
  fsType: opt(4, string, {
    default: 'ext4',
    pointer: true,
    doc: 'Type of the filesystem to mount. If empty, the driver chooses.',
  }),
  kind: opt(6, string, { default: 'Shared', pointer: true, doc: 'Kind of the disk: Shared, Dedicated or Managed.' }),
  readOnly: opt(5, boolean, { default: false, pointer: true, doc: 'Whether the volume is mounted read-only.' }),
});
export interface AzureDiskVolumeSource extends Infer<typeof AzureDiskVolumeSource> {}

export const FCVolumeSource = struct('io.k8s.api.core.v1.FCVolumeSource', 'Disk on a Fibre Channel network.', {
  fsType: opt(3, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
  lun: opt(2, int32, { pointer: true, doc: 'Number of the LUN.' }),
  readOnly: opt(4, boolean, 'Whether the volume is mounted read-only.'),
  targetWWNs: opt(1, list(string, 'atomic'), 'World-wide names of the targets.'),
  wwids: opt(5, list(string, 'atomic'), 'World-wide identifiers of the volume.'),
});
export interface FCVolumeSource extends Infer<typeof FCVolumeSource> {}

export const FlockerVolumeSource = struct('io.k8s.api.core.v1.FlockerVolumeSource', 'Dataset of Flocker. Deprecated.', {
  datasetName: opt(1, string, 'Name of the dataset.'),
  datasetUUID: opt(2, string, 'UUID of the dataset.'),
});
export interface FlockerVolumeSource extends Infer<typeof FlockerVolumeSource> {}

export const GCEPersistentDiskVolumeSource = struct(
  'io.k8s.api.core.v1.GCEPersistentDiskVolumeSource',
  'Persistent disk of Google Compute Engine.',
  {
    fsType: opt(2, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
    partition: opt(3, int32, 'Number of the partition to mount.'),
    pdName: req(1, string, 'Name of the disk.'),
    readOnly: opt(4, boolean, 'Whether the volume is mounted read-only.'),
  },
);
export interface GCEPersistentDiskVolumeSource extends Infer<typeof GCEPersistentDiskVolumeSource> {}

export const HostPathVolumeSource = struct(
  'io.k8s.api.core.v1.HostPathVolumeSource',
  "A path of the node's filesystem.",
  {
    path: req(1, string, 'Path on the node.'),
    type: opt(2, string, {
      default: '',
      pointer: true,
      doc: 'What must exist at the path, such as Directory, File or Socket. If empty, nothing is checked.',
    }),
  },
);
export interface HostPathVolumeSource extends Infer<typeof HostPathVolumeSource> {}

export const NFSVolumeSource = struct('io.k8s.api.core.v1.NFSVolumeSource', 'A directory of an NFS server.', {
  path: req(2, string, 'Path that the server exports.'),
  readOnly: opt(3, boolean, 'Whether the volume is mounted read-only.'),
  server: req(1, string, 'Address of the server.'),
});
export interface NFSVolumeSource extends Infer<typeof NFSVolumeSource> {}

export const PhotonPersistentDiskVolumeSource = struct(
  'io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource',
  'Disk of VMware Photon. Deprecated.',
  {
    fsType: opt(2, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
    pdID: req(1, string, 'ID of the disk.'),
  },
);
export interface PhotonPersistentDiskVolumeSource extends Infer<typeof PhotonPersistentDiskVolumeSource> {}

export const PortworxVolumeSource = struct('io.k8s.api.core.v1.PortworxVolumeSource', 'Volume of a Portworx cluster.', {
  fsType: opt(2, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
  readOnly: opt(3, boolean, 'Whether the volume is mounted read-only.'),
  volumeID: req(1, string, 'ID of the volume.'),
});
export interface PortworxVolumeSource extends Infer<typeof PortworxVolumeSource> {}

export const QuobyteVolumeSource = struct(
  'io.k8s.api.core.v1.QuobyteVolumeSource',
  'Volume of a Quobyte cluster. Deprecated.',
  {
    group: opt(5, string, 'Group to map access to.'),
    readOnly: opt(3, boolean, 'Whether the volume is mounted read-only.'),
    registry: req(1, string, 'Address of the registry.'),
    tenant: opt(6, string, 'Tenant that owns the volume.'),
    user: opt(4, string, 'User to map access to.'),
    volume: req(2, string, 'Name of the volume.'),
  },
);
export interface QuobyteVolumeSource extends Infer<typeof QuobyteVolumeSource> {}

export const VsphereVirtualDiskVolumeSource = struct(
  'io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource',
  'Virtual disk of VMware vSphere.',
  {
    fsType: opt(2, string, 'Type of the filesystem to mount. If empty, the driver chooses.'),
    storagePolicyID: opt(4, string, 'ID of the storage policy.'),
    storagePolicyName: opt(3, string, 'Name of the storage policy.'),
    volumePath: req(1, string, 'Path of the disk.'),
  },
);
export interface VsphereVirtualDiskVolumeSource extends Infer<typeof VsphereVirtualDiskVolumeSource> {}
