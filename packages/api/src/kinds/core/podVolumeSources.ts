import { boolean, type Infer, int32, list, map, opt, quantity, req, string, struct } from '../../schema.ts';
import { KeyToPath } from './keySelectors.ts';
import { PersistentVolumeClaimTemplate } from './persistentVolumeClaim.ts';
import { DownwardAPIVolumeFile } from './projectedVolume.ts';
import { LocalObjectReference } from './references.ts';

export const AzureFileVolumeSource = struct('io.k8s.api.core.v1.AzureFileVolumeSource', '', {
  readOnly: opt(3, boolean),
  secretName: req(1, string),
  shareName: req(2, string),
});
export interface AzureFileVolumeSource extends Infer<typeof AzureFileVolumeSource> {}

export const CSIVolumeSource = struct('io.k8s.api.core.v1.CSIVolumeSource', '', {
  driver: req(1, string),
  fsType: opt(3, string),
  nodePublishSecretRef: opt(5, LocalObjectReference),
  readOnly: opt(2, boolean),
  volumeAttributes: opt(4, map(string)),
});
export interface CSIVolumeSource extends Infer<typeof CSIVolumeSource> {}

export const CephFSVolumeSource = struct('io.k8s.api.core.v1.CephFSVolumeSource', '', {
  monitors: req(1, list(string, 'atomic')),
  path: opt(2, string),
  readOnly: opt(6, boolean),
  secretFile: opt(4, string),
  secretRef: opt(5, LocalObjectReference),
  user: opt(3, string),
});
export interface CephFSVolumeSource extends Infer<typeof CephFSVolumeSource> {}

export const CinderVolumeSource = struct('io.k8s.api.core.v1.CinderVolumeSource', '', {
  fsType: opt(2, string),
  readOnly: opt(3, boolean),
  secretRef: opt(4, LocalObjectReference),
  volumeID: req(1, string),
});
export interface CinderVolumeSource extends Infer<typeof CinderVolumeSource> {}

export const ConfigMapVolumeSource = struct('io.k8s.api.core.v1.ConfigMapVolumeSource', '', {
  defaultMode: opt(3, int32, { default: 420 }),
  items: opt(2, list(KeyToPath, 'atomic')),
  name: opt([1, 1], string),
  optional: opt(4, boolean),
});
export interface ConfigMapVolumeSource extends Infer<typeof ConfigMapVolumeSource> {}

export const DownwardAPIVolumeSource = struct('io.k8s.api.core.v1.DownwardAPIVolumeSource', '', {
  defaultMode: opt(2, int32, { default: 420 }),
  items: opt(1, list(DownwardAPIVolumeFile, 'atomic')),
});
export interface DownwardAPIVolumeSource extends Infer<typeof DownwardAPIVolumeSource> {}

export const EmptyDirVolumeSource = struct('io.k8s.api.core.v1.EmptyDirVolumeSource', '', {
  medium: opt(1, string),
  sizeLimit: opt(2, quantity),
});
export interface EmptyDirVolumeSource extends Infer<typeof EmptyDirVolumeSource> {}

export const EphemeralVolumeSource = struct('io.k8s.api.core.v1.EphemeralVolumeSource', '', {
  volumeClaimTemplate: opt(1, PersistentVolumeClaimTemplate),
});
export interface EphemeralVolumeSource extends Infer<typeof EphemeralVolumeSource> {}

export const FlexVolumeSource = struct('io.k8s.api.core.v1.FlexVolumeSource', '', {
  driver: req(1, string),
  fsType: opt(2, string),
  options: opt(5, map(string)),
  readOnly: opt(4, boolean),
  secretRef: opt(3, LocalObjectReference),
});
export interface FlexVolumeSource extends Infer<typeof FlexVolumeSource> {}

export const GitRepoVolumeSource = struct('io.k8s.api.core.v1.GitRepoVolumeSource', '', {
  directory: opt(3, string),
  repository: req(1, string),
  revision: opt(2, string),
});
export interface GitRepoVolumeSource extends Infer<typeof GitRepoVolumeSource> {}

export const GlusterfsVolumeSource = struct('io.k8s.api.core.v1.GlusterfsVolumeSource', '', {
  endpoints: req(1, string),
  path: req(2, string),
  readOnly: opt(3, boolean),
});
export interface GlusterfsVolumeSource extends Infer<typeof GlusterfsVolumeSource> {}

export const ISCSIVolumeSource = struct('io.k8s.api.core.v1.ISCSIVolumeSource', '', {
  chapAuthDiscovery: opt(8, boolean),
  chapAuthSession: opt(11, boolean),
  fsType: opt(5, string),
  initiatorName: opt(12, string),
  iqn: req(2, string),
  iscsiInterface: opt(4, string, { default: 'default' }),
  lun: req(3, int32),
  portals: opt(7, list(string, 'atomic')),
  readOnly: opt(6, boolean),
  secretRef: opt(10, LocalObjectReference),
  targetPortal: req(1, string),
});
export interface ISCSIVolumeSource extends Infer<typeof ISCSIVolumeSource> {}

export const ImageVolumeSource = struct('io.k8s.api.core.v1.ImageVolumeSource', '', {
  pullPolicy: opt(2, string),
  reference: opt(1, string),
});
export interface ImageVolumeSource extends Infer<typeof ImageVolumeSource> {}

export const PersistentVolumeClaimVolumeSource = struct('io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource', '', {
  claimName: req(1, string),
  readOnly: opt(2, boolean),
});
export interface PersistentVolumeClaimVolumeSource extends Infer<typeof PersistentVolumeClaimVolumeSource> {}

export const RBDVolumeSource = struct('io.k8s.api.core.v1.RBDVolumeSource', '', {
  fsType: opt(3, string),
  image: req(2, string),
  keyring: opt(6, string, { default: '/etc/ceph/keyring' }),
  monitors: req(1, list(string, 'atomic')),
  pool: opt(4, string, { default: 'rbd' }),
  readOnly: opt(8, boolean),
  secretRef: opt(7, LocalObjectReference),
  user: opt(5, string, { default: 'admin' }),
});
export interface RBDVolumeSource extends Infer<typeof RBDVolumeSource> {}

export const ScaleIOVolumeSource = struct('io.k8s.api.core.v1.ScaleIOVolumeSource', '', {
  fsType: opt(9, string, { default: 'xfs' }),
  gateway: req(1, string),
  protectionDomain: opt(5, string),
  readOnly: opt(10, boolean),
  secretRef: req(3, LocalObjectReference),
  sslEnabled: opt(4, boolean),
  storageMode: opt(7, string, { default: 'ThinProvisioned' }),
  storagePool: opt(6, string),
  system: req(2, string),
  volumeName: opt(8, string),
});
export interface ScaleIOVolumeSource extends Infer<typeof ScaleIOVolumeSource> {}

export const SecretVolumeSource = struct('io.k8s.api.core.v1.SecretVolumeSource', '', {
  defaultMode: opt(3, int32, { default: 420 }),
  items: opt(2, list(KeyToPath, 'atomic')),
  optional: opt(4, boolean),
  secretName: opt(1, string),
});
export interface SecretVolumeSource extends Infer<typeof SecretVolumeSource> {}

export const StorageOSVolumeSource = struct('io.k8s.api.core.v1.StorageOSVolumeSource', '', {
  fsType: opt(3, string),
  readOnly: opt(4, boolean),
  secretRef: opt(5, LocalObjectReference),
  volumeName: opt(1, string),
  volumeNamespace: opt(2, string),
});
export interface StorageOSVolumeSource extends Infer<typeof StorageOSVolumeSource> {}
