import { boolean, type Infer, int32, int64, list, map, opt, quantity, req, string, struct } from '../../schema.ts';
import { Affinity } from './affinity.ts';
import { Container } from './container.ts';
import { EphemeralContainer } from './ephemeralContainer.ts';
import { LocalObjectReference } from './references.ts';
import { ResourceRequirements } from './resources.ts';
import { PodSchedulingGate, PodSchedulingGroup, Toleration, TopologySpreadConstraint } from './scheduling.ts';
import { PodSecurityContext } from './securityContext.ts';
import { Volume } from './volume.ts';

export const PodDNSConfigOption = struct('io.k8s.api.core.v1.PodDNSConfigOption', 'An option of the DNS resolver.', {
  name: opt(1, string, 'Name of the option.'),
  value: opt(2, string, { pointer: true, doc: 'Value of the option.' }),
});
export interface PodDNSConfigOption extends Infer<typeof PodDNSConfigOption> {}

export const PodDNSConfig = struct('io.k8s.api.core.v1.PodDNSConfig', 'DNS settings of a pod, beyond its policy.', {
  nameservers: opt(1, list(string, 'atomic'), 'IP addresses of name servers.'),
  options: opt(3, list(PodDNSConfigOption, 'atomic'), 'Options of the DNS resolver.'),
  searches: opt(2, list(string, 'atomic'), 'Domains to search for host names.'),
});
export interface PodDNSConfig extends Infer<typeof PodDNSConfig> {}

export const HostAlias = struct('io.k8s.api.core.v1.HostAlias', "An entry of the pod's /etc/hosts.", {
  hostnames: opt(2, list(string, 'atomic'), 'Host names of the address.'),
  ip: req(1, string, 'IP address of the entry.'),
});
export interface HostAlias extends Infer<typeof HostAlias> {}

export const PodOS = struct('io.k8s.api.core.v1.PodOS', 'Operating system of a pod.', {
  name: req(1, string, 'Name of the operating system: linux or windows.'),
});
export interface PodOS extends Infer<typeof PodOS> {}

export const PodReadinessGate = struct(
  'io.k8s.api.core.v1.PodReadinessGate',
  'An additional condition that must be True for the pod to be ready.',
  {
    conditionType: req(1, string, 'Type of the condition.'),
  },
);
export interface PodReadinessGate extends Infer<typeof PodReadinessGate> {}

export const PodResourceClaim = struct(
  'io.k8s.api.core.v1.PodResourceClaim',
  'A ResourceClaim for devices, under a name that containers can refer to.',
  {
    name: req(1, string, 'Name by which containers refer to the claim.'),
    resourceClaimName: opt(3, string, { pointer: true, doc: 'Name of an existing ResourceClaim.' }),
    resourceClaimTemplateName: opt(4, string, {
      pointer: true,
      doc: 'Name of a ResourceClaimTemplate from which a claim is created.',
    }),
  },
);
export interface PodResourceClaim extends Infer<typeof PodResourceClaim> {}

export const PodSpec = struct(
  'io.k8s.api.core.v1.PodSpec',
  'Containers and volumes of a pod, and constraints on where it runs.',
  {
    activeDeadlineSeconds: opt(5, int64, { pointer: true, doc: 'Seconds after which the pod is failed.' }),
    affinity: opt(18, Affinity, 'Scheduling rules about nodes and other pods.'),
    automountServiceAccountToken: opt(21, boolean, {
      pointer: true,
      doc: 'Whether a token of the service account is mounted.',
    }),
    containers: req(2, list(Container, ['name']), {
      patch: 'merge',
      key: 'name',
      doc: 'Containers of the pod. There must be at least one.',
    }),
    dnsConfig: opt(26, PodDNSConfig, 'DNS settings that are merged with those of dnsPolicy.'),
    dnsPolicy: opt(6, string, {
      default: 'ClusterFirst',
      doc: 'Source of DNS settings: ClusterFirst, ClusterFirstWithHostNet, Default or None. Defaults to ClusterFirst.',
    }),
    enableServiceLinks: opt(30, boolean, { pointer: true, doc: 'Whether services appear as environment variables.' }),
    ephemeralContainers: opt(34, list(EphemeralContainer, ['name']), {
      patch: 'merge',
      key: 'name',
      doc: 'Containers put in later, to look around.',
    }),
    hostAliases: opt(23, list(HostAlias, ['ip']), {
      patch: 'merge',
      key: 'ip',
      doc: "Entries to add to the pod's /etc/hosts.",
    }),
    hostIPC: opt(13, boolean, 'Whether the pod shares the IPC namespace of the node.'),
    hostNetwork: opt(11, boolean, 'Whether the pod shares the network of the node.'),
    hostPID: opt(12, boolean, 'Whether the pod shares the process namespace of the node.'),
    hostUsers: opt(37, boolean, { pointer: true, doc: 'Whether the pod shares the user namespace of the node.' }),
    hostname: opt(16, string, "Host name of the pod. Defaults to the pod's name."),
    hostnameOverride: opt(41, string, { pointer: true, doc: 'Host name that overrules everything else.' }),
    imagePullSecrets: opt(15, list(LocalObjectReference, ['name']), {
      patch: 'merge',
      key: 'name',
      doc: 'Secrets with the credentials to pull images.',
    }),
    initContainers: opt(20, list(Container, ['name']), {
      patch: 'merge',
      key: 'name',
      doc: 'Containers that run one after another before the others.',
    }),
    nodeName: opt(10, string, 'The node that runs the pod. Set by the scheduler.'),
    nodeSelector: opt(7, map(string, 'atomic'), 'Labels that the node must have.'),
    os: opt(36, PodOS, 'Operating system of the containers.'),
    overhead: opt(32, map(quantity), 'Resources that running the pod needs in addition to its containers.'),
    preemptionPolicy: opt(31, string, {
      pointer: true,
      doc: 'Whether the pod may preempt others: PreemptLowerPriority or Never.',
    }),
    priority: opt(25, int32, { pointer: true, doc: 'Priority of the pod. The PriorityClass sets it.' }),
    priorityClassName: opt(24, string, "Name of the PriorityClass that sets the pod's priority."),
    readinessGates: opt(
      28,
      list(PodReadinessGate, 'atomic'),
      'Additional conditions that must be True for the pod to be ready.',
    ),
    resourceClaims: opt(39, list(PodResourceClaim, ['name']), {
      patch: 'merge,retainKeys',
      key: 'name',
      doc: 'ResourceClaims for devices that containers can use.',
    }),
    resources: opt(40, ResourceRequirements, 'What the pod as a whole needs and may use.'),
    restartPolicy: opt(3, string, {
      default: 'Always',
      doc: 'When containers are restarted: Always, OnFailure or Never. Defaults to Always.',
    }),
    runtimeClassName: opt(29, string, { pointer: true, doc: 'Name of the RuntimeClass that runs the pod.' }),
    schedulerName: opt(19, string, {
      default: 'default-scheduler',
      doc: 'Name of the scheduler that chooses the node. Defaults to default-scheduler.',
    }),
    schedulingGates: opt(38, list(PodSchedulingGate, ['name']), {
      patch: 'merge',
      key: 'name',
      doc: 'Gates that keep the pod from being scheduled until they are removed.',
    }),
    schedulingGroup: opt(43, PodSchedulingGroup, 'Group of pods that are scheduled together.'),
    securityContext: opt(14, PodSecurityContext, { default: {}, doc: 'Security settings of the whole pod.' }),
    serviceAccount: opt(9, string, 'Deprecated. Use serviceAccountName.'),
    serviceAccountName: opt(8, string, 'Name of the service account that the pod runs as.'),
    setHostnameAsFQDN: opt(35, boolean, { pointer: true, doc: 'Whether the host name is the full name.' }),
    shareProcessNamespace: opt(27, boolean, { pointer: true, doc: "Whether containers see each other's processes." }),
    subdomain: opt(17, string, "Subdomain of the pod's fully qualified host name."),
    terminationGracePeriodSeconds: opt(4, int64, {
      default: 30,
      pointer: true,
      doc: 'Seconds that the pod has to terminate gracefully.',
    }),
    tolerations: opt(22, list(Toleration, 'atomic'), 'Taints of nodes that the pods tolerate.'),
    topologySpreadConstraints: opt(33, list(TopologySpreadConstraint, ['topologyKey', 'whenUnsatisfiable']), {
      patch: 'merge',
      key: 'topologyKey',
      doc: 'How evenly pods like this one are spread over a topology.',
    }),
    volumes: opt(1, list(Volume, ['name']), {
      patch: 'merge,retainKeys',
      key: 'name',
      doc: 'Volumes that containers can mount.',
    }),
  },
);
export interface PodSpec extends Infer<typeof PodSpec> {}
