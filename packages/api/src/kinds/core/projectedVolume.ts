import { boolean, type Infer, int32, int64, list, map, opt, req, string, struct } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { KeyToPath, ObjectFieldSelector, ResourceFieldSelector } from './keySelectors.ts';

export const ConfigMapProjection = struct(
  'io.k8s.api.core.v1.ConfigMapProjection',
  'Files from the keys of a ConfigMap.',
  {
    items: opt(
      2,
      list(KeyToPath, 'atomic'),
      'Keys to write and the paths of their files. If empty, all keys are written.',
    ),
    name: opt([1, 1], string, 'Name of the ConfigMap.'),
    optional: opt(4, boolean, { pointer: true, doc: 'Whether the pod starts if the ConfigMap does not exist.' }),
  },
);
export interface ConfigMapProjection extends Infer<typeof ConfigMapProjection> {}

export const SecretProjection = struct('io.k8s.api.core.v1.SecretProjection', 'Files from the keys of a Secret.', {
  items: opt(
    2,
    list(KeyToPath, 'atomic'),
    'Keys to write and the paths of their files. If empty, all keys are written.',
  ),
  name: opt([1, 1], string, 'Name of the Secret.'),
  optional: opt(4, boolean, { pointer: true, doc: 'Whether the pod starts if the Secret does not exist.' }),
});
export interface SecretProjection extends Infer<typeof SecretProjection> {}

export const DownwardAPIVolumeFile = struct(
  'io.k8s.api.core.v1.DownwardAPIVolumeFile',
  'A file with the value of a field of the pod.',
  {
    fieldRef: opt(2, ObjectFieldSelector, 'Field of the pod that the file contains, such as metadata.labels.'),
    mode: opt(4, int32, { pointer: true, doc: 'Permissions of the file, such as 0644.' }),
    path: req(1, string, 'Relative path of the file.'),
    resourceFieldRef: opt(3, ResourceFieldSelector, 'A request or limit of a container.'),
  },
);
export interface DownwardAPIVolumeFile extends Infer<typeof DownwardAPIVolumeFile> {}

export const DownwardAPIProjection = struct(
  'io.k8s.api.core.v1.DownwardAPIProjection',
  'Files from fields of the pod.',
  {
    items: opt(1, list(DownwardAPIVolumeFile, 'atomic'), 'Fields of the pod and the files they are written to.'),
  },
);
export interface DownwardAPIProjection extends Infer<typeof DownwardAPIProjection> {}

export const ServiceAccountTokenProjection = struct(
  'io.k8s.api.core.v1.ServiceAccountTokenProjection',
  'A service account token that is renewed while the pod runs.',
  {
    audience: opt(1, string, 'Audience of the token. Defaults to the API server.'),
    expirationSeconds: opt(2, int64, {
      default: 3600,
      pointer: true,
      doc: 'Lifetime of the token in seconds. Defaults to 3600.',
    }),
    path: req(3, string, 'Relative path of the file.'),
  },
);
export interface ServiceAccountTokenProjection extends Infer<typeof ServiceAccountTokenProjection> {}

export const ClusterTrustBundleProjection = struct(
  'io.k8s.api.core.v1.ClusterTrustBundleProjection',
  'A file with CA certificates that the cluster trusts.',
  {
    labelSelector: opt(3, LabelSelector, "Selects the signer's bundles by their labels."),
    name: opt(1, string, { pointer: true, doc: 'Name of a single bundle.' }),
    optional: opt(5, boolean, { pointer: true, doc: 'Whether the pod starts if no bundle exists.' }),
    path: req(4, string, 'Relative path of the file.'),
    signerName: opt(2, string, { pointer: true, doc: 'Name of the signer whose bundles are used.' }),
  },
);
export interface ClusterTrustBundleProjection extends Infer<typeof ClusterTrustBundleProjection> {}

export const PodCertificateProjection = struct(
  'io.k8s.api.core.v1.PodCertificateProjection',
  'A private key and certificate that are renewed while the pod runs.',
  {
    certificateChainPath: opt(6, string, 'Relative path of the certificate chain.'),
    credentialBundlePath: opt(4, string, 'Path of the file that contains the key and the certificates.'),
    keyPath: opt(5, string, 'Relative path of the private key.'),
    keyType: req(2, string, 'Type of the private key, such as ED25519.'),
    maxExpirationSeconds: opt(3, int32, { pointer: true, doc: 'Maximum lifetime of a certificate in seconds.' }),
    signerName: req(1, string, 'Name of the signer that issues the certificate.'),
    userAnnotations: opt(7, map(string), 'Annotations that are passed to the signer.'),
  },
);
export interface PodCertificateProjection extends Infer<typeof PodCertificateProjection> {}

export const VolumeProjection = struct(
  'io.k8s.api.core.v1.VolumeProjection',
  'A source of a projected volume. Set exactly one field.',
  {
    clusterTrustBundle: opt(5, ClusterTrustBundleProjection, 'CA certificates that the cluster trusts.'),
    configMap: opt(3, ConfigMapProjection, 'Keys of a ConfigMap.'),
    downwardAPI: opt(2, DownwardAPIProjection, 'Fields of the pod.'),
    podCertificate: opt(6, PodCertificateProjection, 'A certificate for the pod.'),
    secret: opt(1, SecretProjection, 'Keys of a Secret.'),
    serviceAccountToken: opt(4, ServiceAccountTokenProjection, "A token of the pod's service account."),
  },
);
export interface VolumeProjection extends Infer<typeof VolumeProjection> {}

export const ProjectedVolumeSource = struct(
  'io.k8s.api.core.v1.ProjectedVolumeSource',
  'A directory with files from several sources.',
  {
    defaultMode: opt(2, int32, { default: 420, pointer: true, doc: 'Permissions of the files. Defaults to 0644.' }),
    sources: opt(1, list(VolumeProjection, 'atomic'), "Sources of the directory's files."),
  },
);
export interface ProjectedVolumeSource extends Infer<typeof ProjectedVolumeSource> {}
