import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { anyObject, boolean, type Infer, int32, list, map, string, struct } from '../../schema.ts';
import { LocalObjectReference } from '../core/references.ts';
import { ResourceRequirements } from '../core/resources.ts';
import { nullable, optional, required } from '../customResource.ts';

/** A share of one, such as 0.06. */
const share = { ...string, pattern: '^(0(?:\\.\\d{1,3})?|1)$' };

export const FilesystemOverhead = struct(
  'io.kubevirt.cdi.v1beta1.FilesystemOverhead',
  'Share of a volume that is reserved for its filesystem.',
  {
    global: optional(share, 'Overhead where storageClass names none, as a fraction. Defaults to 0.06.'),
    storageClass: optional(map(share), 'Overhead by name of the storage class. Overrides global.'),
  },
);
export interface FilesystemOverhead extends Infer<typeof FilesystemOverhead> {}

export const ImportProxy = struct('io.kubevirt.cdi.v1beta1.ImportProxy', 'HTTP proxies that imports use.', {
  HTTPProxy: optional(string, 'URL of the proxy for http.'),
  HTTPSProxy: optional(string, 'URL of the proxy for https.'),
  noProxy: optional(string, 'Hosts that are reached without a proxy.'),
  trustedCAProxy: optional(string, 'Name of a ConfigMap with CA certificates that the proxy needs.'),
});
export interface ImportProxy extends Infer<typeof ImportProxy> {}

export const CDIConfigSpec = struct('io.kubevirt.cdi.v1beta1.CDIConfigSpec', 'Cluster-wide configuration of CDI.', {
  dataVolumeTTLSeconds: optional(int32, 'No longer supported and ignored.'),
  featureGates: optional(list(string), 'Names of the feature gates to enable.'),
  filesystemOverhead: optional(FilesystemOverhead, 'Share of a volume that is reserved for its filesystem.'),
  imagePullSecrets: optional(
    list(LocalObjectReference, 'atomic'),
    'Secrets with the credentials to pull images of importer pods.',
  ),
  importProxy: optional(ImportProxy, 'HTTP proxies that imports use.'),
  insecureRegistries: optional(list(string), 'Registries that are trusted without a certificate.'),
  logVerbosity: optional(int32, 'Log level of the components.'),
  podResourceRequirements: optional(ResourceRequirements, 'Resource requests and limits of worker pods.'),
  preallocation: optional(boolean, 'Whether all space of a volume is allocated at once.'),
  scratchSpaceStorageClass: optional(string, 'Storage class for what is only needed during an import.'),
  tlsSecurityProfile: optional(nullable(anyObject), 'Minimum TLS version and cipher suites.'),
  uploadProxyURLOverride: optional(string, 'URL of the upload proxy, instead of the one that is detected.'),
  webhookPvcRendering: optional(boolean, 'Whether claims are completed from storage profiles too.'),
});
export interface CDIConfigSpec extends Infer<typeof CDIConfigSpec> {}

export const CDIConfigStatus = struct(
  'io.kubevirt.cdi.v1beta1.CDIConfigStatus',
  'Configuration of CDI that is in effect.',
  {
    defaultPodResourceRequirements: optional(ResourceRequirements, 'Resource requests and limits of worker pods.'),
    filesystemOverhead: optional(FilesystemOverhead, 'Share of a volume that is reserved for its filesystem.'),
    imagePullSecrets: optional(
      list(LocalObjectReference, 'atomic'),
      'Secrets with the credentials to pull images of importer pods.',
    ),
    importProxy: optional(ImportProxy, 'HTTP proxies that imports use.'),
    preallocation: optional(boolean, 'Whether all space of a volume is allocated at once.'),
    scratchSpaceStorageClass: optional(string, 'Storage class for what is only needed during an import.'),
    uploadProxyCA: optional(string, 'Authority of the upload proxy, in PEM.'),
    uploadProxyURL: optional(string, 'URL of the upload proxy.'),
  },
);
export interface CDIConfigStatus extends Infer<typeof CDIConfigStatus> {}

export const CDIConfigSchema = struct(
  'io.kubevirt.cdi.v1beta1.CDIConfig',
  'Cluster-wide configuration of CDI. The only object is named config.',
  {
    ...objectFields,
    spec: required(CDIConfigSpec, 'Configuration of CDI, copied from the CDI object.'),
    status: optional(CDIConfigStatus, 'Observed state of the CDIConfig. The system writes it.'),
  },
);
export interface CDIConfig extends Infer<typeof CDIConfigSchema> {}

export const CDIConfig = defineKind<CDIConfig>({
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'CDIConfig',
  plural: 'cdiconfigs',
  namespaced: false,
  schema: CDIConfigSchema,
});
