import { boolean, type Infer, int32, int64, list, map, opt, req, string, struct } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { KeyToPath, ObjectFieldSelector, ResourceFieldSelector } from './keySelectors.ts';

export const ConfigMapProjection = struct('io.k8s.api.core.v1.ConfigMapProjection', 'Keys of a ConfigMap as files.', {
  items: opt(2, list(KeyToPath, 'atomic'), 'Which keys, and where; all when empty.'),
  name: opt([1, 1], string, 'Name of the ConfigMap.'),
  optional: opt(4, boolean, { pointer: true, doc: 'Whether it may be missing.' }),
});
export interface ConfigMapProjection extends Infer<typeof ConfigMapProjection> {}

export const SecretProjection = struct('io.k8s.api.core.v1.SecretProjection', 'Keys of a Secret as files.', {
  items: opt(2, list(KeyToPath, 'atomic'), 'Which keys, and where; all when empty.'),
  name: opt([1, 1], string, 'Name of the Secret.'),
  optional: opt(4, boolean, { pointer: true, doc: 'Whether it may be missing.' }),
});
export interface SecretProjection extends Infer<typeof SecretProjection> {}

export const DownwardAPIVolumeFile = struct(
  'io.k8s.api.core.v1.DownwardAPIVolumeFile',
  'One field of the pod as a file.',
  {
    fieldRef: opt(2, ObjectFieldSelector, 'A field of the pod.'),
    mode: opt(4, int32, { pointer: true, doc: 'Permissions of the file.' }),
    path: req(1, string, 'Where the file goes.'),
    resourceFieldRef: opt(3, ResourceFieldSelector, 'A request or limit of a container.'),
  },
);
export interface DownwardAPIVolumeFile extends Infer<typeof DownwardAPIVolumeFile> {}

export const DownwardAPIProjection = struct('io.k8s.api.core.v1.DownwardAPIProjection', 'Fields of the pod as files.', {
  items: opt(1, list(DownwardAPIVolumeFile, 'atomic'), 'Which fields, and where.'),
});
export interface DownwardAPIProjection extends Infer<typeof DownwardAPIProjection> {}

export const ServiceAccountTokenProjection = struct(
  'io.k8s.api.core.v1.ServiceAccountTokenProjection',
  'A token that is renewed while the pod runs.',
  {
    audience: opt(1, string, 'Who the token is for; the API server when empty.'),
    expirationSeconds: opt(2, int64, { default: 3600, pointer: true, doc: 'How long a token lasts.' }),
    path: req(3, string, 'Where the file goes.'),
  },
);
export interface ServiceAccountTokenProjection extends Infer<typeof ServiceAccountTokenProjection> {}

export const ClusterTrustBundleProjection = struct(
  'io.k8s.api.core.v1.ClusterTrustBundleProjection',
  'Certificates that the cluster trusts, as a file.',
  {
    labelSelector: opt(3, LabelSelector, 'Which bundles of the signer.'),
    name: opt(1, string, { pointer: true, doc: 'One bundle by name.' }),
    optional: opt(5, boolean, { pointer: true, doc: 'Whether it may be missing.' }),
    path: req(4, string, 'Where the file goes.'),
    signerName: opt(2, string, { pointer: true, doc: 'All bundles of a signer.' }),
  },
);
export interface ClusterTrustBundleProjection extends Infer<typeof ClusterTrustBundleProjection> {}

export const PodCertificateProjection = struct(
  'io.k8s.api.core.v1.PodCertificateProjection',
  'A key and a certificate that are renewed while the pod runs.',
  {
    certificateChainPath: opt(6, string, 'Where the certificates go.'),
    credentialBundlePath: opt(4, string, 'Where key and certificates go together.'),
    keyPath: opt(5, string, 'Where the key goes.'),
    keyType: req(2, string, 'Kind of key to make.'),
    maxExpirationSeconds: opt(3, int32, { pointer: true, doc: 'How long a certificate may last.' }),
    signerName: req(1, string, 'Who signs.'),
    userAnnotations: opt(7, map(string), 'Passed on to the signer.'),
  },
);
export interface PodCertificateProjection extends Infer<typeof PodCertificateProjection> {}

export const VolumeProjection = struct('io.k8s.api.core.v1.VolumeProjection', 'One source of a projected volume.', {
  clusterTrustBundle: opt(5, ClusterTrustBundleProjection, 'Certificates that the cluster trusts.'),
  configMap: opt(3, ConfigMapProjection, 'Keys of a ConfigMap.'),
  downwardAPI: opt(2, DownwardAPIProjection, 'Fields of the pod.'),
  podCertificate: opt(6, PodCertificateProjection, 'A certificate for the pod.'),
  secret: opt(1, SecretProjection, 'Keys of a Secret.'),
  serviceAccountToken: opt(4, ServiceAccountTokenProjection, "A token of the pod's service account."),
});
export interface VolumeProjection extends Infer<typeof VolumeProjection> {}

export const ProjectedVolumeSource = struct(
  'io.k8s.api.core.v1.ProjectedVolumeSource',
  'Several sources in one directory.',
  {
    defaultMode: opt(2, int32, { default: 420, pointer: true, doc: 'Permissions of the files.' }),
    sources: opt(1, list(VolumeProjection, 'atomic'), 'The sources.'),
  },
);
export interface ProjectedVolumeSource extends Infer<typeof ProjectedVolumeSource> {}
