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
  'How much of a volume its filesystem takes.',
  {
    global: optional(share, 'The share where nothing else is said; 0.06 when missing.'),
    storageClass: optional(map(share), 'Shares by storage class.'),
  },
);
export interface FilesystemOverhead extends Infer<typeof FilesystemOverhead> {}

export const ImportProxy = struct('io.kubevirt.cdi.v1beta1.ImportProxy', 'Proxies that imports go through.', {
  HTTPProxy: optional(string, 'Proxy for http.'),
  HTTPSProxy: optional(string, 'Proxy for https.'),
  noProxy: optional(string, 'Hosts that are reached without a proxy.'),
  trustedCAProxy: optional(string, 'ConfigMap with certificates to trust.'),
});
export interface ImportProxy extends Infer<typeof ImportProxy> {}

export const CDIConfigSpec = struct('io.kubevirt.cdi.v1beta1.CDIConfigSpec', 'Settings of the importer.', {
  dataVolumeTTLSeconds: optional(int32, 'No longer used.'),
  featureGates: optional(list(string), 'Features to turn on.'),
  filesystemOverhead: optional(FilesystemOverhead, 'How much of a volume its filesystem takes.'),
  imagePullSecrets: optional(list(LocalObjectReference, 'atomic'), 'Secrets to pull images with.'),
  importProxy: optional(ImportProxy, 'Proxies that imports go through.'),
  insecureRegistries: optional(list(string), 'Registries that are trusted without a certificate.'),
  logVerbosity: optional(int32, 'How much components write to their logs.'),
  podResourceRequirements: optional(ResourceRequirements, 'What the pods that do the work need.'),
  preallocation: optional(boolean, 'Whether all space of a volume is allocated at once.'),
  scratchSpaceStorageClass: optional(string, 'Storage class for what is only needed during an import.'),
  tlsSecurityProfile: optional(nullable(anyObject), 'Settings of TLS.'),
  uploadProxyURLOverride: optional(string, 'Where uploads go, instead of what we find out.'),
  webhookPvcRendering: optional(boolean, 'Whether claims are completed from storage profiles too.'),
});
export interface CDIConfigSpec extends Infer<typeof CDIConfigSpec> {}

export const CDIConfigStatus = struct('io.kubevirt.cdi.v1beta1.CDIConfigStatus', 'Settings that are in force.', {
  defaultPodResourceRequirements: optional(ResourceRequirements, 'What the pods that do the work need.'),
  filesystemOverhead: optional(FilesystemOverhead, 'How much of a volume its filesystem takes.'),
  imagePullSecrets: optional(list(LocalObjectReference, 'atomic'), 'Secrets to pull images with.'),
  importProxy: optional(ImportProxy, 'Proxies that imports go through.'),
  preallocation: optional(boolean, 'Whether all space of a volume is allocated at once.'),
  scratchSpaceStorageClass: optional(string, 'Storage class for what is only needed during an import.'),
  uploadProxyCA: optional(string, 'Authority of the upload proxy, in PEM.'),
  uploadProxyURL: optional(string, 'Where uploads go.'),
});
export interface CDIConfigStatus extends Infer<typeof CDIConfigStatus> {}

export const CDIConfigSchema = struct(
  'io.kubevirt.cdi.v1beta1.CDIConfig',
  'Settings of the importer that are in force. There is one, called config.',
  {
    ...objectFields,
    spec: required(CDIConfigSpec, 'What is wanted; copied from the CDI object.'),
    status: optional(CDIConfigStatus, 'What was last observed. Written by the system.'),
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
