import { boolean, type Infer, int32, int64, list, map, opt, quantity, req, string, struct } from '../../schema.ts';
import { Affinity } from './affinity.ts';
import { Container } from './container.ts';
import { EphemeralContainer } from './ephemeralContainer.ts';
import { LocalObjectReference } from './references.ts';
import { ResourceRequirements } from './resources.ts';
import { PodSchedulingGate, PodSchedulingGroup, Toleration, TopologySpreadConstraint } from './scheduling.ts';
import { PodSecurityContext } from './securityContext.ts';
import { Volume } from './volume.ts';

export const PodDNSConfigOption = struct('io.k8s.api.core.v1.PodDNSConfigOption', 'One resolver option.', {
  name: opt(1, string, 'Name of the option.'),
  value: opt(2, string, { pointer: true, doc: 'Value of the option.' }),
});
export interface PodDNSConfigOption extends Infer<typeof PodDNSConfigOption> {}

export const PodDNSConfig = struct('io.k8s.api.core.v1.PodDNSConfig', 'DNS settings of a pod.', {
  nameservers: opt(1, list(string, 'atomic'), 'Addresses of name servers.'),
  options: opt(3, list(PodDNSConfigOption, 'atomic'), 'Resolver options.'),
  searches: opt(2, list(string, 'atomic'), 'Domains to search.'),
});
export interface PodDNSConfig extends Infer<typeof PodDNSConfig> {}

export const HostAlias = struct('io.k8s.api.core.v1.HostAlias', 'One line of /etc/hosts.', {
  hostnames: opt(2, list(string, 'atomic'), 'The names.'),
  ip: req(1, string, 'The address.'),
});
export interface HostAlias extends Infer<typeof HostAlias> {}

export const PodOS = struct('io.k8s.api.core.v1.PodOS', 'The operating system of a pod.', {
  name: req(1, string, 'linux or windows.'),
});
export interface PodOS extends Infer<typeof PodOS> {}

export const PodReadinessGate = struct(
  'io.k8s.api.core.v1.PodReadinessGate',
  'A condition that must be true for a pod to be ready.',
  {
    conditionType: req(1, string, 'Type of the condition.'),
  },
);
export interface PodReadinessGate extends Infer<typeof PodReadinessGate> {}

export const PodResourceClaim = struct(
  'io.k8s.api.core.v1.PodResourceClaim',
  'A claim for devices, under a name in the pod.',
  {
    name: req(1, string, 'Name in the pod.'),
    resourceClaimName: opt(3, string, { pointer: true, doc: 'An existing claim.' }),
    resourceClaimTemplateName: opt(4, string, { pointer: true, doc: 'Template to make a claim from.' }),
  },
);
export interface PodResourceClaim extends Infer<typeof PodResourceClaim> {}

export const PodSpec = struct('io.k8s.api.core.v1.PodSpec', 'What a pod is made of, and where it may run.', {
  activeDeadlineSeconds: opt(5, int64, { pointer: true, doc: 'Seconds after which the pod is failed.' }),
  affinity: opt(18, Affinity, 'Where it would like to be, and with whom.'),
  automountServiceAccountToken: opt(21, boolean, {
    pointer: true,
    doc: 'Whether it gets a token of its service account.',
  }),
  containers: req(2, list(Container, ['name']), { patch: 'merge', key: 'name', doc: 'The containers; at least one.' }),
  dnsConfig: opt(26, PodDNSConfig, 'DNS settings beyond the policy.'),
  dnsPolicy: opt(6, string, {
    default: 'ClusterFirst',
    doc: 'ClusterFirst, ClusterFirstWithHostNet, Default or None.',
  }),
  enableServiceLinks: opt(30, boolean, { pointer: true, doc: 'Whether services appear as environment variables.' }),
  ephemeralContainers: opt(34, list(EphemeralContainer, ['name']), {
    patch: 'merge',
    key: 'name',
    doc: 'Containers put in later, to look around.',
  }),
  hostAliases: opt(23, list(HostAlias, ['ip']), { patch: 'merge', key: 'ip', doc: 'Lines for /etc/hosts.' }),
  hostIPC: opt(13, boolean, "Whether it shares the node's IPC."),
  hostNetwork: opt(11, boolean, "Whether it shares the node's network."),
  hostPID: opt(12, boolean, "Whether it sees the node's processes."),
  hostUsers: opt(37, boolean, { pointer: true, doc: "Whether it shares the node's users." }),
  hostname: opt(16, string, "Host name; the pod's name when empty."),
  hostnameOverride: opt(41, string, { pointer: true, doc: 'Host name that overrules everything else.' }),
  imagePullSecrets: opt(15, list(LocalObjectReference, ['name']), {
    patch: 'merge',
    key: 'name',
    doc: 'Secrets to pull images with.',
  }),
  initContainers: opt(20, list(Container, ['name']), {
    patch: 'merge',
    key: 'name',
    doc: 'Containers that run one after another before the others.',
  }),
  nodeName: opt(10, string, 'The node that runs the pod. Set by the scheduler.'),
  nodeSelector: opt(7, map(string, 'atomic'), 'Labels that the node must have.'),
  os: opt(36, PodOS, 'Operating system of the containers.'),
  overhead: opt(32, map(quantity), 'What running the pod costs beyond its containers.'),
  preemptionPolicy: opt(31, string, {
    pointer: true,
    doc: 'Whether it may push others out: PreemptLowerPriority or Never.',
  }),
  priority: opt(25, int32, { pointer: true, doc: 'Its priority, from its priority class.' }),
  priorityClassName: opt(24, string, 'Class that gives its priority.'),
  readinessGates: opt(28, list(PodReadinessGate, 'atomic'), 'Conditions that must be true too for it to be ready.'),
  resourceClaims: opt(39, list(PodResourceClaim, ['name']), {
    patch: 'merge,retainKeys',
    key: 'name',
    doc: 'Devices that containers may use.',
  }),
  resources: opt(40, ResourceRequirements, 'What the pod as a whole needs and may use.'),
  restartPolicy: opt(3, string, { default: 'Always', doc: 'Always, OnFailure or Never.' }),
  runtimeClassName: opt(29, string, { pointer: true, doc: 'Which runtime runs it.' }),
  schedulerName: opt(19, string, { default: 'default-scheduler', doc: 'Who chooses the node.' }),
  schedulingGates: opt(38, list(PodSchedulingGate, ['name']), {
    patch: 'merge',
    key: 'name',
    doc: 'What holds it back from being scheduled.',
  }),
  schedulingGroup: opt(43, PodSchedulingGroup, 'The group that it is scheduled with.'),
  securityContext: opt(14, PodSecurityContext, { default: {}, doc: 'Security settings of the whole pod.' }),
  serviceAccount: opt(9, string, 'Old name of serviceAccountName.'),
  serviceAccountName: opt(8, string, 'The service account that it runs as.'),
  setHostnameAsFQDN: opt(35, boolean, { pointer: true, doc: 'Whether the host name is the full name.' }),
  shareProcessNamespace: opt(27, boolean, { pointer: true, doc: "Whether containers see each other's processes." }),
  subdomain: opt(17, string, "Domain below the namespace's, for its full name."),
  terminationGracePeriodSeconds: opt(4, int64, {
    default: 30,
    pointer: true,
    doc: 'Seconds it gets to end by itself.',
  }),
  tolerations: opt(22, list(Toleration, 'atomic'), 'Taints that it puts up with.'),
  topologySpreadConstraints: opt(33, list(TopologySpreadConstraint, ['topologyKey', 'whenUnsatisfiable']), {
    patch: 'merge',
    key: 'topologyKey',
    doc: 'How evenly it and its like are spread.',
  }),
  volumes: opt(1, list(Volume, ['name']), {
    patch: 'merge,retainKeys',
    key: 'name',
    doc: 'Volumes that containers may mount.',
  }),
});
export interface PodSpec extends Infer<typeof PodSpec> {}
