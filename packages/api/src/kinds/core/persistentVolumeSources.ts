import { boolean, type Infer, int32, list, map, opt, req, string, struct } from '../../schema.ts';
import { ObjectReference, SecretReference } from './references.ts';

export const AzureFilePersistentVolumeSource = struct('io.k8s.api.core.v1.AzureFilePersistentVolumeSource', '', {
  readOnly: opt(3, boolean),
  secretName: req(1, string),
  secretNamespace: opt(4, string),
  shareName: req(2, string),
});
export interface AzureFilePersistentVolumeSource extends Infer<typeof AzureFilePersistentVolumeSource> {}

export const CSIPersistentVolumeSource = struct('io.k8s.api.core.v1.CSIPersistentVolumeSource', '', {
  controllerExpandSecretRef: opt(9, SecretReference),
  controllerPublishSecretRef: opt(6, SecretReference),
  driver: req(1, string),
  fsType: opt(4, string),
  nodeExpandSecretRef: opt(10, SecretReference),
  nodePublishSecretRef: opt(8, SecretReference),
  nodeStageSecretRef: opt(7, SecretReference),
  readOnly: opt(3, boolean),
  volumeAttributes: opt(5, map(string)),
  volumeHandle: req(2, string),
});
export interface CSIPersistentVolumeSource extends Infer<typeof CSIPersistentVolumeSource> {}

export const CephFSPersistentVolumeSource = struct('io.k8s.api.core.v1.CephFSPersistentVolumeSource', '', {
  monitors: req(1, list(string, 'atomic')),
  path: opt(2, string),
  readOnly: opt(6, boolean),
  secretFile: opt(4, string),
  secretRef: opt(5, SecretReference),
  user: opt(3, string),
});
export interface CephFSPersistentVolumeSource extends Infer<typeof CephFSPersistentVolumeSource> {}

export const CinderPersistentVolumeSource = struct('io.k8s.api.core.v1.CinderPersistentVolumeSource', '', {
  fsType: opt(2, string),
  readOnly: opt(3, boolean),
  secretRef: opt(4, SecretReference),
  volumeID: req(1, string),
});
export interface CinderPersistentVolumeSource extends Infer<typeof CinderPersistentVolumeSource> {}

export const FlexPersistentVolumeSource = struct('io.k8s.api.core.v1.FlexPersistentVolumeSource', '', {
  driver: req(1, string),
  fsType: opt(2, string),
  options: opt(5, map(string)),
  readOnly: opt(4, boolean),
  secretRef: opt(3, SecretReference),
});
export interface FlexPersistentVolumeSource extends Infer<typeof FlexPersistentVolumeSource> {}

export const GlusterfsPersistentVolumeSource = struct('io.k8s.api.core.v1.GlusterfsPersistentVolumeSource', '', {
  endpoints: req(1, string),
  endpointsNamespace: opt(4, string),
  path: req(2, string),
  readOnly: opt(3, boolean),
});
export interface GlusterfsPersistentVolumeSource extends Infer<typeof GlusterfsPersistentVolumeSource> {}

export const ISCSIPersistentVolumeSource = struct('io.k8s.api.core.v1.ISCSIPersistentVolumeSource', '', {
  chapAuthDiscovery: opt(8, boolean),
  chapAuthSession: opt(11, boolean),
  fsType: opt(5, string),
  initiatorName: opt(12, string),
  iqn: req(2, string),
  iscsiInterface: opt(4, string, { default: 'default' }),
  lun: req(3, int32),
  portals: opt(7, list(string, 'atomic')),
  readOnly: opt(6, boolean),
  secretRef: opt(10, SecretReference),
  targetPortal: req(1, string),
});
export interface ISCSIPersistentVolumeSource extends Infer<typeof ISCSIPersistentVolumeSource> {}

export const LocalVolumeSource = struct('io.k8s.api.core.v1.LocalVolumeSource', '', {
  fsType: opt(2, string),
  path: req(1, string),
});
export interface LocalVolumeSource extends Infer<typeof LocalVolumeSource> {}

export const RBDPersistentVolumeSource = struct('io.k8s.api.core.v1.RBDPersistentVolumeSource', '', {
  fsType: opt(3, string),
  image: req(2, string),
  keyring: opt(6, string, { default: '/etc/ceph/keyring' }),
  monitors: req(1, list(string, 'atomic')),
  pool: opt(4, string, { default: 'rbd' }),
  readOnly: opt(8, boolean),
  secretRef: opt(7, SecretReference),
  user: opt(5, string, { default: 'admin' }),
});
export interface RBDPersistentVolumeSource extends Infer<typeof RBDPersistentVolumeSource> {}

export const ScaleIOPersistentVolumeSource = struct('io.k8s.api.core.v1.ScaleIOPersistentVolumeSource', '', {
  fsType: opt(9, string, { default: 'xfs' }),
  gateway: req(1, string),
  protectionDomain: opt(5, string),
  readOnly: opt(10, boolean),
  secretRef: req(3, SecretReference),
  sslEnabled: opt(4, boolean),
  storageMode: opt(7, string, { default: 'ThinProvisioned' }),
  storagePool: opt(6, string),
  system: req(2, string),
  volumeName: opt(8, string),
});
export interface ScaleIOPersistentVolumeSource extends Infer<typeof ScaleIOPersistentVolumeSource> {}

export const StorageOSPersistentVolumeSource = struct('io.k8s.api.core.v1.StorageOSPersistentVolumeSource', '', {
  fsType: opt(3, string),
  readOnly: opt(4, boolean),
  secretRef: opt(5, ObjectReference),
  volumeName: opt(1, string),
  volumeNamespace: opt(2, string),
});
export interface StorageOSPersistentVolumeSource extends Infer<typeof StorageOSPersistentVolumeSource> {}
