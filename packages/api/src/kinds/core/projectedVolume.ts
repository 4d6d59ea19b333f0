import { boolean, type Infer, int32, int64, list, map, opt, req, string, struct } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { KeyToPath, ObjectFieldSelector, ResourceFieldSelector } from './keySelectors.ts';

export const ConfigMapProjection = struct('io.k8s.api.core.v1.ConfigMapProjection', '', {
  items: opt(2, list(KeyToPath, 'atomic')),
  name: opt([1, 1], string),
  optional: opt(4, boolean),
});
export interface ConfigMapProjection extends Infer<typeof ConfigMapProjection> {}

export const SecretProjection = struct('io.k8s.api.core.v1.SecretProjection', '', {
  items: opt(2, list(KeyToPath, 'atomic')),
  name: opt([1, 1], string),
  optional: opt(4, boolean),
});
export interface SecretProjection extends Infer<typeof SecretProjection> {}

export const DownwardAPIVolumeFile = struct('io.k8s.api.core.v1.DownwardAPIVolumeFile', '', {
  fieldRef: opt(2, ObjectFieldSelector),
  mode: opt(4, int32),
  path: req(1, string),
  resourceFieldRef: opt(3, ResourceFieldSelector),
});
export interface DownwardAPIVolumeFile extends Infer<typeof DownwardAPIVolumeFile> {}

export const DownwardAPIProjection = struct('io.k8s.api.core.v1.DownwardAPIProjection', '', {
  items: opt(1, list(DownwardAPIVolumeFile, 'atomic')),
});
export interface DownwardAPIProjection extends Infer<typeof DownwardAPIProjection> {}

export const ServiceAccountTokenProjection = struct('io.k8s.api.core.v1.ServiceAccountTokenProjection', '', {
  audience: opt(1, string),
  expirationSeconds: opt(2, int64, { default: 3600 }),
  path: req(3, string),
});
export interface ServiceAccountTokenProjection extends Infer<typeof ServiceAccountTokenProjection> {}

export const ClusterTrustBundleProjection = struct('io.k8s.api.core.v1.ClusterTrustBundleProjection', '', {
  labelSelector: opt(3, LabelSelector),
  name: opt(1, string),
  optional: opt(5, boolean),
  path: req(4, string),
  signerName: opt(2, string),
});
export interface ClusterTrustBundleProjection extends Infer<typeof ClusterTrustBundleProjection> {}

export const PodCertificateProjection = struct('io.k8s.api.core.v1.PodCertificateProjection', '', {
  certificateChainPath: opt(6, string),
  credentialBundlePath: opt(4, string),
  keyPath: opt(5, string),
  keyType: req(2, string),
  maxExpirationSeconds: opt(3, int32),
  signerName: req(1, string),
  userAnnotations: opt(7, map(string)),
});
export interface PodCertificateProjection extends Infer<typeof PodCertificateProjection> {}

export const VolumeProjection = struct('io.k8s.api.core.v1.VolumeProjection', '', {
  clusterTrustBundle: opt(5, ClusterTrustBundleProjection),
  configMap: opt(3, ConfigMapProjection),
  downwardAPI: opt(2, DownwardAPIProjection),
  podCertificate: opt(6, PodCertificateProjection),
  secret: opt(1, SecretProjection),
  serviceAccountToken: opt(4, ServiceAccountTokenProjection),
});
export interface VolumeProjection extends Infer<typeof VolumeProjection> {}

export const ProjectedVolumeSource = struct('io.k8s.api.core.v1.ProjectedVolumeSource', '', {
  defaultMode: opt(2, int32, { default: 420 }),
  sources: opt(1, list(VolumeProjection, 'atomic')),
});
export interface ProjectedVolumeSource extends Infer<typeof ProjectedVolumeSource> {}
