import { type Infer, int32, list, map, oneOf, string, struct } from '../../schema.ts';
import { Affinity } from '../core/affinity.ts';
import { LocalObjectReference } from '../core/references.ts';
import { Toleration } from '../core/scheduling.ts';
import { duration, int, optional, required } from '../customResource.ts';
import { KubeVirtConfiguration } from './kubeVirtConfiguration.ts';

export const CertConfig = struct('io.kubevirt.v1.CertConfig', 'How long certificates last.', {
  duration: optional(duration, 'How long, such as 24h.'),
  renewBefore: optional(duration, 'How long before its end a new one is made.'),
});
export interface CertConfig extends Infer<typeof CertConfig> {}

export const KubeVirtSelfSignConfiguration = struct(
  'io.kubevirt.v1.KubeVirtSelfSignConfiguration',
  'How long our own certificates last.',
  {
    ca: optional(CertConfig, 'Those of the authority.'),
    caOverlapInterval: optional(duration, 'No longer used; see ca.'),
    caRotateInterval: optional(duration, 'No longer used; see ca.'),
    certRotateInterval: optional(duration, 'No longer used; see server.'),
    server: optional(CertConfig, 'Those of servers.'),
  },
);
export interface KubeVirtSelfSignConfiguration extends Infer<typeof KubeVirtSelfSignConfiguration> {}

export const KubeVirtCertificateRotateStrategy = struct(
  'io.kubevirt.v1.KubeVirtCertificateRotateStrategy',
  'How certificates are renewed.',
  {
    selfSigned: optional(KubeVirtSelfSignConfiguration, 'Our own certificates.'),
  },
);
export interface KubeVirtCertificateRotateStrategy extends Infer<typeof KubeVirtCertificateRotateStrategy> {}

export const CustomizeComponentsPatch = struct(
  'io.kubevirt.v1.CustomizeComponentsPatch',
  'A change to an object of the installation.',
  {
    patch: required(string, 'The patch.'),
    resourceName: required(string, 'Name of the object; * for all.'),
    resourceType: required(string, 'Kind of the object.'),
    type: required(string, 'How the patch is written: strategic, merge or json.'),
  },
);
export interface CustomizeComponentsPatch extends Infer<typeof CustomizeComponentsPatch> {}

export const Flags = struct('io.kubevirt.v1.Flags', 'More command-line arguments for components.', {
  api: optional(map(string), 'For virt-api.'),
  controller: optional(map(string), 'For virt-controller.'),
  handler: optional(map(string), 'For virt-handler.'),
});
export interface Flags extends Infer<typeof Flags> {}

export const CustomizeComponents = struct('io.kubevirt.v1.CustomizeComponents', 'Changes to the installation.', {
  flags: optional(Flags, 'More command-line arguments.'),
  patches: optional(list(CustomizeComponentsPatch, 'atomic'), 'Changes to objects.'),
});
export interface CustomizeComponents extends Infer<typeof CustomizeComponents> {}

export const NodePlacement = struct('io.kubevirt.v1.NodePlacement', 'Where pods run.', {
  affinity: optional(Affinity, 'Where they would like to be, and with whom.'),
  nodeSelector: optional(map(string), 'Labels that nodes must have.'),
  tolerations: optional(list(Toleration), 'Taints that they put up with.'),
});
export interface NodePlacement extends Infer<typeof NodePlacement> {}

export const ComponentConfig = struct('io.kubevirt.v1.ComponentConfig', 'Where components run, and how many.', {
  nodePlacement: optional(NodePlacement, 'Where they run.'),
  replicas: optional(int, 'How many there are.'),
});
export interface ComponentConfig extends Infer<typeof ComponentConfig> {}

export const KubeVirtWorkloadUpdateStrategy = struct(
  'io.kubevirt.v1.KubeVirtWorkloadUpdateStrategy',
  'What happens to running machines after an upgrade.',
  {
    batchEvictionInterval: optional(duration, 'Time between two batches; 1m when missing.'),
    batchEvictionSize: optional(int32, 'Machines a batch; 10 when missing.'),
    workloadUpdateMethods: optional(
      list(string, 'atomic'),
      'LiveMigrate, Evict or both. Empty to leave them as they are.',
    ),
  },
);
export interface KubeVirtWorkloadUpdateStrategy extends Infer<typeof KubeVirtWorkloadUpdateStrategy> {}

export const KubeVirtSpec = struct('io.kubevirt.v1.KubeVirtSpec', 'How KubeVirt is installed and configured.', {
  certificateRotateStrategy: optional(KubeVirtCertificateRotateStrategy, 'How certificates are renewed.'),
  configuration: optional(KubeVirtConfiguration, 'Settings.'),
  customizeComponents: optional(CustomizeComponents, 'Changes to the installation.'),
  imagePullPolicy: optional(oneOf('Always', 'IfNotPresent', 'Never'), 'How images of components are pulled.'),
  imagePullSecrets: optional(list(LocalObjectReference, 'atomic'), 'Secrets to pull images with.'),
  imageRegistry: optional(string, 'Registry that images come from.'),
  imageTag: optional(string, 'Tag of the images.'),
  infra: optional(ComponentConfig, 'Where controllers run.'),
  monitorAccount: optional(string, 'Service account of Prometheus.'),
  monitorNamespace: optional(string, 'Namespace of Prometheus.'),
  productComponent: optional(string, 'Value of the label app.kubernetes.io/component.'),
  productName: optional(string, 'Value of the label app.kubernetes.io/part-of.'),
  productVersion: optional(string, 'Value of the label app.kubernetes.io/version.'),
  serviceMonitorNamespace: optional(string, 'Namespace of the service monitor.'),
  synchronizationPort: optional(string, 'Port for migrations between clusters; 9185 when empty.'),
  uninstallStrategy: optional(
    string,
    'What happens to machines when the installation goes: RemoveWorkloads or BlockUninstallIfWorkloadsExist.',
  ),
  workloadUpdateStrategy: optional(
    KubeVirtWorkloadUpdateStrategy,
    'What happens to running machines after an upgrade.',
  ),
  workloads: optional(ComponentConfig, 'Where machines run.'),
});
export interface KubeVirtSpec extends Infer<typeof KubeVirtSpec> {}
