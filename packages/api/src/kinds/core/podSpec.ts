import { boolean, type Infer, int32, int64, list, map, opt, quantity, req, string, struct } from '../../schema.ts';
import { Affinity } from './affinity.ts';
import { Container } from './container.ts';
import { EphemeralContainer } from './ephemeralContainer.ts';
import { LocalObjectReference } from './references.ts';
import { ResourceRequirements } from './resources.ts';
import { PodSchedulingGate, PodSchedulingGroup, Toleration, TopologySpreadConstraint } from './scheduling.ts';
import { PodSecurityContext } from './securityContext.ts';
import { Volume } from './volume.ts';

export const PodDNSConfigOption = struct('io.k8s.api.core.v1.PodDNSConfigOption', '', {
  name: opt(1, string),
  value: opt(2, string),
});
export interface PodDNSConfigOption extends Infer<typeof PodDNSConfigOption> {}

export const PodDNSConfig = struct('io.k8s.api.core.v1.PodDNSConfig', '', {
  nameservers: opt(1, list(string, 'atomic')),
  options: opt(3, list(PodDNSConfigOption, 'atomic')),
  searches: opt(2, list(string, 'atomic')),
});
export interface PodDNSConfig extends Infer<typeof PodDNSConfig> {}

export const HostAlias = struct('io.k8s.api.core.v1.HostAlias', '', {
  hostnames: opt(2, list(string, 'atomic')),
  ip: req(1, string),
});
export interface HostAlias extends Infer<typeof HostAlias> {}

export const PodOS = struct('io.k8s.api.core.v1.PodOS', '', {
  name: req(1, string),
});
export interface PodOS extends Infer<typeof PodOS> {}

export const PodReadinessGate = struct('io.k8s.api.core.v1.PodReadinessGate', '', {
  conditionType: req(1, string),
});
export interface PodReadinessGate extends Infer<typeof PodReadinessGate> {}

export const PodResourceClaim = struct('io.k8s.api.core.v1.PodResourceClaim', '', {
  name: req(1, string),
  resourceClaimName: opt(3, string),
  resourceClaimTemplateName: opt(4, string),
});
export interface PodResourceClaim extends Infer<typeof PodResourceClaim> {}

export const PodSpec = struct('io.k8s.api.core.v1.PodSpec', '', {
  activeDeadlineSeconds: opt(5, int64),
  affinity: opt(18, Affinity),
  automountServiceAccountToken: opt(21, boolean),
  containers: req(2, list(Container, ['name']), { patch: 'merge', key: 'name' }),
  dnsConfig: opt(26, PodDNSConfig),
  dnsPolicy: opt(6, string, { default: 'ClusterFirst' }),
  enableServiceLinks: opt(30, boolean),
  ephemeralContainers: opt(34, list(EphemeralContainer, ['name']), { patch: 'merge', key: 'name' }),
  hostAliases: opt(23, list(HostAlias, ['ip']), { patch: 'merge', key: 'ip' }),
  hostIPC: opt(13, boolean),
  hostNetwork: opt(11, boolean),
  hostPID: opt(12, boolean),
  hostUsers: opt(37, boolean),
  hostname: opt(16, string),
  hostnameOverride: opt(41, string),
  imagePullSecrets: opt(15, list(LocalObjectReference, ['name']), { patch: 'merge', key: 'name' }),
  initContainers: opt(20, list(Container, ['name']), { patch: 'merge', key: 'name' }),
  nodeName: opt(10, string),
  nodeSelector: opt(7, map(string, 'atomic')),
  os: opt(36, PodOS),
  overhead: opt(32, map(quantity)),
  preemptionPolicy: opt(31, string),
  priority: opt(25, int32),
  priorityClassName: opt(24, string),
  readinessGates: opt(28, list(PodReadinessGate, 'atomic')),
  resourceClaims: opt(39, list(PodResourceClaim, ['name']), { patch: 'merge,retainKeys', key: 'name' }),
  resources: opt(40, ResourceRequirements),
  restartPolicy: opt(3, string, { default: 'Always' }),
  runtimeClassName: opt(29, string),
  schedulerName: opt(19, string, { default: 'default-scheduler' }),
  schedulingGates: opt(38, list(PodSchedulingGate, ['name']), { patch: 'merge', key: 'name' }),
  schedulingGroup: opt(43, PodSchedulingGroup),
  securityContext: opt(14, PodSecurityContext, { default: {} }),
  serviceAccount: opt(9, string),
  serviceAccountName: opt(8, string),
  setHostnameAsFQDN: opt(35, boolean),
  shareProcessNamespace: opt(27, boolean),
  subdomain: opt(17, string),
  terminationGracePeriodSeconds: opt(4, int64, { default: 30 }),
  tolerations: opt(22, list(Toleration, 'atomic')),
  topologySpreadConstraints: opt(33, list(TopologySpreadConstraint, ['topologyKey', 'whenUnsatisfiable']), {
    patch: 'merge',
    key: 'topologyKey',
  }),
  volumes: opt(1, list(Volume, ['name']), { patch: 'merge,retainKeys', key: 'name' }),
});
export interface PodSpec extends Infer<typeof PodSpec> {}
