import { boolean, type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';

export const AWSElasticBlockStoreVolumeSource = struct('io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource', '', {
  fsType: opt(2, string),
  partition: opt(3, int32),
  readOnly: opt(4, boolean),
  volumeID: req(1, string),
});
export interface AWSElasticBlockStoreVolumeSource extends Infer<typeof AWSElasticBlockStoreVolumeSource> {}

export const AzureDiskVolumeSource = struct('io.k8s.api.core.v1.AzureDiskVolumeSource', '', {
  cachingMode: opt(3, string, { default: 'ReadWrite' }),
  diskName: req(1, string),
  diskURI: req(2, string),
  fsType: opt(4, string, { default: 'ext4' }),
  kind: opt(6, string, { default: 'Shared' }),
  readOnly: opt(5, boolean, { default: false }),
});
export interface AzureDiskVolumeSource extends Infer<typeof AzureDiskVolumeSource> {}

export const FCVolumeSource = struct('io.k8s.api.core.v1.FCVolumeSource', '', {
  fsType: opt(3, string),
  lun: opt(2, int32),
  readOnly: opt(4, boolean),
  targetWWNs: opt(1, list(string, 'atomic')),
  wwids: opt(5, list(string, 'atomic')),
});
export interface FCVolumeSource extends Infer<typeof FCVolumeSource> {}

export const FlockerVolumeSource = struct('io.k8s.api.core.v1.FlockerVolumeSource', '', {
  datasetName: opt(1, string),
  datasetUUID: opt(2, string),
});
export interface FlockerVolumeSource extends Infer<typeof FlockerVolumeSource> {}

export const GCEPersistentDiskVolumeSource = struct('io.k8s.api.core.v1.GCEPersistentDiskVolumeSource', '', {
  fsType: opt(2, string),
  partition: opt(3, int32),
  pdName: req(1, string),
  readOnly: opt(4, boolean),
});
export interface GCEPersistentDiskVolumeSource extends Infer<typeof GCEPersistentDiskVolumeSource> {}

export const HostPathVolumeSource = struct('io.k8s.api.core.v1.HostPathVolumeSource', '', {
  path: req(1, string),
  type: opt(2, string, { default: '' }),
});
export interface HostPathVolumeSource extends Infer<typeof HostPathVolumeSource> {}

export const NFSVolumeSource = struct('io.k8s.api.core.v1.NFSVolumeSource', '', {
  path: req(2, string),
  readOnly: opt(3, boolean),
  server: req(1, string),
});
export interface NFSVolumeSource extends Infer<typeof NFSVolumeSource> {}

export const PhotonPersistentDiskVolumeSource = struct('io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource', '', {
  fsType: opt(2, string),
  pdID: req(1, string),
});
export interface PhotonPersistentDiskVolumeSource extends Infer<typeof PhotonPersistentDiskVolumeSource> {}

export const PortworxVolumeSource = struct('io.k8s.api.core.v1.PortworxVolumeSource', '', {
  fsType: opt(2, string),
  readOnly: opt(3, boolean),
  volumeID: req(1, string),
});
export interface PortworxVolumeSource extends Infer<typeof PortworxVolumeSource> {}

export const QuobyteVolumeSource = struct('io.k8s.api.core.v1.QuobyteVolumeSource', '', {
  group: opt(5, string),
  readOnly: opt(3, boolean),
  registry: req(1, string),
  tenant: opt(6, string),
  user: opt(4, string),
  volume: req(2, string),
});
export interface QuobyteVolumeSource extends Infer<typeof QuobyteVolumeSource> {}

export const VsphereVirtualDiskVolumeSource = struct('io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource', '', {
  fsType: opt(2, string),
  storagePolicyID: opt(4, string),
  storagePolicyName: opt(3, string),
  volumePath: req(1, string),
});
export interface VsphereVirtualDiskVolumeSource extends Infer<typeof VsphereVirtualDiskVolumeSource> {}
