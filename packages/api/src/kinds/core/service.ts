import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, intOrString, list, map, opt, req, string, struct } from '../../schema.ts';
import { ageColumn, formatLabels } from '../columns.ts';
import { Condition } from '../meta/condition.ts';
import { applyServiceDefaults, externalAddress, servicePorts } from './serviceRules.ts';

export const ServicePort = struct('io.k8s.api.core.v1.ServicePort', 'A port of a service.', {
  appProtocol: opt(6, string, { pointer: true, doc: 'Application protocol of the port.' }),
  name: opt(1, string, 'Name of the port; needed when there are several.'),
  nodePort: opt(5, int32, 'Port on every node, for type NodePort or LoadBalancer.'),
  port: req(3, int32, 'Port of the service.'),
  protocol: opt(2, string, { default: 'TCP', doc: 'Protocol of the port: TCP, UDP or SCTP. Defaults to TCP.' }),
  targetPort: opt(4, intOrString, 'Port of the pods, by number or name. Defaults to the port of the service.'),
});
export interface ServicePort extends Infer<typeof ServicePort> {}

export const ClientIPConfig = struct(
  'io.k8s.api.core.v1.ClientIPConfig',
  'Duration of session affinity by client IP.',
  {
    timeoutSeconds: opt(1, int32, { pointer: true, doc: 'Seconds without traffic after which it may change.' }),
  },
);
export interface ClientIPConfig extends Infer<typeof ClientIPConfig> {}

export const SessionAffinityConfig = struct(
  'io.k8s.api.core.v1.SessionAffinityConfig',
  'Settings of session affinity.',
  {
    clientIP: opt(1, ClientIPConfig, 'Settings for session affinity by client IP.'),
  },
);
export interface SessionAffinityConfig extends Infer<typeof SessionAffinityConfig> {}

export const ServiceSpec = struct(
  'io.k8s.api.core.v1.ServiceSpec',
  'Pods and ports of a service, and how clients reach it.',
  {
    allocateLoadBalancerNodePorts: opt(20, boolean, {
      pointer: true,
      doc: 'Whether a load balancer needs node ports.',
    }),
    clusterIP: opt(3, string, 'Address within the cluster; None for no address.'),
    clusterIPs: opt(18, list(string, 'atomic'), 'IP addresses of the service, one of each family.'),
    externalIPs: opt(5, list(string, 'atomic'), 'Additional addresses that nodes accept traffic on.'),
    externalName: opt(10, string, 'External name that the service refers to; for type ExternalName.'),
    externalTrafficPolicy: opt(11, string, 'Cluster, or Local to stay on the node that received the traffic.'),
    healthCheckNodePort: opt(12, int32, 'Port where load balancers check the node.'),
    internalTrafficPolicy: opt(22, string, { pointer: true, doc: 'Cluster, or Local to stay on the node.' }),
    ipFamilies: opt(19, list(string, 'atomic'), 'IP families of the service: IPv4, IPv6 or both.'),
    ipFamilyPolicy: opt(17, string, {
      pointer: true,
      doc: 'Number of IP families: SingleStack, PreferDualStack or RequireDualStack.',
    }),
    loadBalancerClass: opt(21, string, {
      pointer: true,
      doc: 'Class of the load balancer that implements the service.',
    }),
    loadBalancerIP: opt(8, string, 'Address to request from the load balancer.'),
    loadBalancerSourceRanges: opt(9, list(string, 'atomic'), 'Client addresses that the load balancer allows.'),
    ports: opt(1, list(ServicePort, ['port', 'protocol']), {
      patch: 'merge',
      key: 'port',
      doc: 'Ports that the service exposes.',
    }),
    publishNotReadyAddresses: opt(13, boolean, 'Whether pods count before they are ready.'),
    selector: opt(2, map(string, 'atomic'), 'Labels of the pods that receive the traffic.'),
    sessionAffinity: opt(7, string, {
      default: 'None',
      doc: 'Whether a client always reaches the same pod: None or ClientIP. Defaults to None.',
    }),
    sessionAffinityConfig: opt(14, SessionAffinityConfig, 'Settings of session affinity.'),
    trafficDistribution: opt(23, string, { pointer: true, doc: 'Which pods are preferred, such as PreferSameZone.' }),
    type: opt(4, string, {
      default: 'ClusterIP',
      doc: 'How the service is exposed: ClusterIP, NodePort, LoadBalancer or ExternalName. Defaults to ClusterIP.',
    }),
  },
);
export interface ServiceSpec extends Infer<typeof ServiceSpec> {}

export const PortStatus = struct('io.k8s.api.core.v1.PortStatus', 'State of one port of a load balancer.', {
  error: opt(3, string, { pointer: true, doc: 'Error that occurred with the port.' }),
  port: req(1, int32, 'Number of the port.'),
  protocol: req(2, string, 'Protocol of the port: TCP, UDP or SCTP.'),
});
export interface PortStatus extends Infer<typeof PortStatus> {}

export const LoadBalancerIngress = struct('io.k8s.api.core.v1.LoadBalancerIngress', 'An address of a load balancer.', {
  hostname: opt(2, string, 'Host name of the load balancer.'),
  ip: opt(1, string, 'IP address of the load balancer.'),
  ipMode: opt(3, string, { pointer: true, doc: 'How packets reach the nodes: VIP or Proxy.' }),
  ports: opt(4, list(PortStatus, 'atomic'), 'State of each port of the load balancer.'),
});
export interface LoadBalancerIngress extends Infer<typeof LoadBalancerIngress> {}

export const LoadBalancerStatus = struct('io.k8s.api.core.v1.LoadBalancerStatus', 'Addresses of a load balancer.', {
  ingress: opt(1, list(LoadBalancerIngress, 'atomic'), 'Addresses of the load balancer.'),
});
export interface LoadBalancerStatus extends Infer<typeof LoadBalancerStatus> {}

export const ServiceStatus = struct('io.k8s.api.core.v1.ServiceStatus', 'Observed state of a service.', {
  conditions: opt(2, list(Condition, ['type']), {
    patch: 'merge',
    key: 'type',
    doc: 'Conditions of the object.',
  }),
  loadBalancer: opt(1, LoadBalancerStatus, 'Addresses of the load balancer.'),
});
export interface ServiceStatus extends Infer<typeof ServiceStatus> {}

export const ServiceSchema = struct('io.k8s.api.core.v1.Service', 'A stable name and address for a set of pods.', {
  ...objectFields,
  spec: opt(2, ServiceSpec, 'Desired state of the Service.'),
  status: opt(3, ServiceStatus, 'Observed state of the Service. The system writes it.'),
});
export interface Service extends Infer<typeof ServiceSchema> {}

export const Service = defineKind<Service>({
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
  shortNames: ['svc'],
  categories: ['all'],
  schema: ServiceSchema,
  generation: false,
  columns: [
    { name: 'Type', type: 'string', description: 'How the service is exposed.', value: ({ spec }) => spec?.type },
    {
      name: 'Cluster-IP',
      type: 'string',
      description: 'IP address within the cluster.',
      value: ({ spec }) => spec?.clusterIPs?.[0] ?? (spec?.clusterIP || '<none>'),
    },
    {
      name: 'External-IP',
      type: 'string',
      description: 'Address for access from outside the cluster.',
      value: (service) => externalAddress(service),
    },
    {
      name: 'Port(s)',
      type: 'string',
      description: 'The ports that the service exposes.',
      value: (service) => servicePorts(service),
    },
    ageColumn,
    {
      name: 'Selector',
      type: 'string',
      priority: 1,
      description: 'Labels of the pods behind the service.',
      value: ({ spec }) => formatLabels(spec?.selector),
    },
  ],
  applyDefaults: applyServiceDefaults,
  selectableFields: {
    'spec.clusterIP': ({ spec }) => spec?.clusterIP ?? '',
    'spec.type': ({ spec }) => spec?.type ?? '',
  },
});
