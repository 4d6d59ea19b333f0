import { type Infer, int32, list, map, oneOf, string, struct } from '../../schema.ts';
import { Affinity } from '../core/affinity.ts';
import { LocalObjectReference } from '../core/references.ts';
import { Toleration } from '../core/scheduling.ts';
import { duration, int, optional, required } from '../customResource.ts';
import { KubeVirtConfiguration } from './kubeVirtConfiguration.ts';

export const CertConfig = struct('io.kubevirt.v1.CertConfig', 'Lifetime and renewal of certificates.', {
  duration: optional(duration, 'Lifetime of a certificate, such as 24h.'),
  renewBefore: optional(duration, 'How long before its expiry a certificate is renewed.'),
});
export interface CertConfig extends Infer<typeof CertConfig> {}

export const KubeVirtSelfSignConfiguration = struct(
  'io.kubevirt.v1.KubeVirtSelfSignConfiguration',
  'Lifetime and renewal of self-signed certificates.',
  {
    ca: optional(CertConfig, "Lifetime of the CA's certificate."),
    caOverlapInterval: optional(duration, 'Deprecated. Use the settings of ca.'),
    caRotateInterval: optional(duration, 'Deprecated. Use the settings of ca.'),
    certRotateInterval: optional(duration, 'Deprecated. Use the settings of server.'),
    server: optional(CertConfig, "Lifetime of the servers' certificates."),
  },
);
export interface KubeVirtSelfSignConfiguration extends Infer<typeof KubeVirtSelfSignConfiguration> {}

export const KubeVirtCertificateRotateStrategy = struct(
  'io.kubevirt.v1.KubeVirtCertificateRotateStrategy',
  'How certificates are renewed.',
  {
    selfSigned: optional(KubeVirtSelfSignConfiguration, 'Settings for self-signed certificates.'),
  },
);
export interface KubeVirtCertificateRotateStrategy extends Infer<typeof KubeVirtCertificateRotateStrategy> {}

export const CustomizeComponentsPatch = struct(
  'io.kubevirt.v1.CustomizeComponentsPatch',
  'A patch for an object of the installation.',
  {
    patch: required(string, 'The patch as JSON text.'),
    resourceName: required(string, 'Name of the object; * for all.'),
    resourceType: required(string, 'Kind of the object to patch.'),
    type: required(string, 'How the patch is written: strategic, merge or json.'),
  },
);
export interface CustomizeComponentsPatch extends Infer<typeof CustomizeComponentsPatch> {}

export const Flags = struct('io.kubevirt.v1.Flags', 'Additional command-line flags of components.', {
  api: optional(map(string), 'Flags of virt-api.'),
  controller: optional(map(string), 'Flags of virt-controller.'),
  handler: optional(map(string), 'Flags of virt-handler.'),
});
export interface Flags extends Infer<typeof Flags> {}

export const CustomizeComponents = struct(
  'io.kubevirt.v1.CustomizeComponents',
  "Patches and flags for KubeVirt's components.",
  {
    flags: optional(Flags, 'Additional command-line flags of components.'),
    patches: optional(list(CustomizeComponentsPatch, 'atomic'), 'Patches for objects of the installation.'),
  },
);
export interface CustomizeComponents extends Infer<typeof CustomizeComponents> {}

export const NodePlacement = struct('io.kubevirt.v1.NodePlacement', 'Constraints on the nodes that pods run on.', {
  affinity: optional(Affinity, 'Scheduling rules about nodes and other pods.'),
  nodeSelector: optional(map(string), 'Labels that nodes must have for the pods to run on them.'),
  tolerations: optional(list(Toleration), 'Taints of nodes that the pods tolerate.'),
});
export interface NodePlacement extends Infer<typeof NodePlacement> {}

export const ComponentConfig = struct('io.kubevirt.v1.ComponentConfig', 'Node placement and number of components.', {
  nodePlacement: optional(NodePlacement, 'Constraints on the nodes that the components run on.'),
  replicas: optional(int, 'Number of replicas of each component.'),
});
export interface ComponentConfig extends Infer<typeof ComponentConfig> {}

export const KubeVirtWorkloadUpdateStrategy = struct(
  'io.kubevirt.v1.KubeVirtWorkloadUpdateStrategy',
  'How running guests are updated after an upgrade.',
  {
    batchEvictionInterval: optional(duration, 'Time between two batches. Defaults to 1m.'),
    batchEvictionSize: optional(int32, 'Number of guests per batch. Defaults to 10.'),
    workloadUpdateMethods: optional(
      list(string, 'atomic'),
      'LiveMigrate, Evict or both. Empty to leave them as they are.',
    ),
  },
);
export interface KubeVirtWorkloadUpdateStrategy extends Infer<typeof KubeVirtWorkloadUpdateStrategy> {}

export const KubeVirtSpec = struct('io.kubevirt.v1.KubeVirtSpec', 'Installation and configuration of KubeVirt.', {
  certificateRotateStrategy: optional(KubeVirtCertificateRotateStrategy, 'How certificates are renewed.'),
  configuration: optional(KubeVirtConfiguration, 'Cluster-wide configuration of KubeVirt.'),
  customizeComponents: optional(CustomizeComponents, "Patches and flags for KubeVirt's components."),
  imagePullPolicy: optional(oneOf('Always', 'IfNotPresent', 'Never'), 'How images of components are pulled.'),
  imagePullSecrets: optional(list(LocalObjectReference, 'atomic'), 'Secrets with the credentials to pull images.'),
  imageRegistry: optional(string, 'Registry that images are pulled from.'),
  imageTag: optional(string, 'Tag of the images.'),
  infra: optional(ComponentConfig, "Node placement and number of KubeVirt's components."),
  monitorAccount: optional(string, 'Service account of Prometheus.'),
  monitorNamespace: optional(string, 'Namespace of Prometheus.'),
  productComponent: optional(string, 'Value of the label app.kubernetes.io/component.'),
  productName: optional(string, 'Value of the label app.kubernetes.io/part-of.'),
  productVersion: optional(string, 'Value of the label app.kubernetes.io/version.'),
  serviceMonitorNamespace: optional(string, 'Namespace in which the ServiceMonitor is created.'),
  synchronizationPort: optional(string, 'Port for migrations between clusters. Defaults to 9185.'),
  uninstallStrategy: optional(
    string,
    'What happens to VMs when KubeVirt is uninstalled: RemoveWorkloads or BlockUninstallIfWorkloadsExist.',
  ),
  workloadUpdateStrategy: optional(KubeVirtWorkloadUpdateStrategy, 'How running guests are updated after an upgrade.'),
  workloads: optional(ComponentConfig, 'Node placement of virt-handler, which determines where guests can run.'),
});
export interface KubeVirtSpec extends Infer<typeof KubeVirtSpec> {}
