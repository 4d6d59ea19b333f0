import { type Infer, int64, list, map, oneOf, string, struct } from '../../schema.ts';
import { Affinity } from '../core/affinity.ts';
import { PodDNSConfig } from '../core/podSpec.ts';
import { Toleration, TopologySpreadConstraint } from '../core/scheduling.ts';
import { atMost, optional, required, templateMetadata } from '../customResource.ts';
import { AccessCredential } from './accessCredential.ts';
import { DomainSpec } from './domain.ts';
import { Network } from './network.ts';
import { Probe } from './probe.ts';
import { UtilityVolume, Volume } from './volume.ts';

export const VirtualMachineInstanceResourceClaim = struct(
  'io.kubevirt.v1.VirtualMachineInstanceResourceClaim',
  'A ResourceClaim for devices, under a name that the spec can refer to.',
  {
    name: required(string, 'Name by which devices of the spec refer to the claim.'),
    resourceClaimName: optional(string, 'Name of an existing ResourceClaim.'),
    resourceClaimTemplateName: optional(string, 'Name of a ResourceClaimTemplate from which a claim is created.'),
  },
);
export interface VirtualMachineInstanceResourceClaim extends Infer<typeof VirtualMachineInstanceResourceClaim> {}

export const VirtualMachineInstanceSpec = struct(
  'io.kubevirt.v1.VirtualMachineInstanceSpec',
  'Hardware, volumes and networks of the guest, and constraints on where it runs.',
  {
    accessCredentials: optional(
      atMost(256, list(AccessCredential, 'atomic')),
      'Keys and passwords that are put into the guest.',
    ),
    affinity: optional(Affinity, 'Scheduling rules about nodes and other pods.'),
    architecture: optional(
      string,
      'CPU architecture of the guest: amd64, arm64 or s390x. Defaults to that of the cluster.',
    ),
    dnsConfig: optional(PodDNSConfig, 'DNS settings that are merged with those of dnsPolicy.'),
    dnsPolicy: optional(
      oneOf('ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'),
      'Source of DNS settings: ClusterFirst, ClusterFirstWithHostNet, Default or None. Defaults to ClusterFirst.',
    ),
    domain: required(DomainSpec, 'Hardware of the virtual machine as the guest sees it.'),
    evictionStrategy: optional(
      string,
      'What happens when the node is drained: LiveMigrate, LiveMigrateIfPossible, None or External. Defaults to the setting of the cluster.',
    ),
    hostname: optional(string, 'Host name of the guest. Defaults to the name of the object.'),
    livenessProbe: optional(Probe, 'Health check of the guest. When it fails, the guest is stopped.'),
    networks: optional(
      atMost(256, list(Network)),
      'Networks that interfaces join. Each needs an interface of the same name.',
    ),
    nodeSelector: optional(map(string), 'Labels that a node must have for the guest to run on it.'),
    priorityClassName: optional(string, 'Name of the PriorityClass that sets the priority of the launcher pod.'),
    readinessProbe: optional(
      Probe,
      'Readiness check of the guest. While it fails, the guest receives no traffic from services.',
    ),
    resourceClaims: optional(
      list(VirtualMachineInstanceResourceClaim, ['name']),
      'ResourceClaims for devices that the guest can use.',
    ),
    schedulerName: optional(string, 'Name of the scheduler that chooses the node. Defaults to default-scheduler.'),
    serviceAccountName: optional(
      string,
      'Name of the service account that the launcher pod runs as. The guest sees its token only through a serviceAccount volume.',
    ),
    startStrategy: optional(string, 'Paused, to start without letting the guest run.'),
    subdomain: optional(string, "Subdomain of the guest's fully qualified host name."),
    terminationGracePeriodSeconds: optional(
      int64,
      'Seconds that the guest has to shut down before it is powered off. Defaults to 30.',
    ),
    tolerations: optional(list(Toleration), 'Taints of nodes that the launcher pod tolerates.'),
    topologySpreadConstraints: optional(list(TopologySpreadConstraint, ['topologyKey', 'whenUnsatisfiable']), {
      patch: 'merge',
      key: 'topologyKey',
      doc: 'How evenly pods like this one are spread over a topology.',
    }),
    utilityVolumes: optional(
      atMost(256, list(UtilityVolume, ['name'])),
      'Claims that the launcher uses and the guest does not see. Set by the system.',
    ),
    volumes: optional(atMost(256, list(Volume)), 'Sources of the disks and filesystems of the same names.'),
  },
);
export interface VirtualMachineInstanceSpec extends Infer<typeof VirtualMachineInstanceSpec> {}

export const VirtualMachineInstanceTemplateSpec = struct(
  'io.kubevirt.v1.VirtualMachineInstanceTemplateSpec',
  'Template for VirtualMachineInstances.',
  {
    metadata: optional(templateMetadata, 'Labels and annotations of the created VMIs.'),
    spec: optional(VirtualMachineInstanceSpec, 'Spec of the created VMIs.'),
  },
);
export interface VirtualMachineInstanceTemplateSpec extends Infer<typeof VirtualMachineInstanceTemplateSpec> {}
