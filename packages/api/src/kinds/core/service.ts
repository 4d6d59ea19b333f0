import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, intOrString, list, map, opt, req, string, struct } from '../../schema.ts';
import { ageColumn, formatLabels } from '../columns.ts';
import { Condition } from '../meta/condition.ts';
import { applyServiceDefaults, externalAddress, servicePorts } from './serviceRules.ts';

export const ServicePort = struct('io.k8s.api.core.v1.ServicePort', '', {
  appProtocol: opt(6, string),
  name: opt(1, string),
  nodePort: opt(5, int32),
  port: req(3, int32),
  protocol: opt(2, string, { default: 'TCP' }),
  targetPort: opt(4, intOrString),
});
export interface ServicePort extends Infer<typeof ServicePort> {}

export const ClientIPConfig = struct('io.k8s.api.core.v1.ClientIPConfig', '', {
  timeoutSeconds: opt(1, int32),
});
export interface ClientIPConfig extends Infer<typeof ClientIPConfig> {}

export const SessionAffinityConfig = struct('io.k8s.api.core.v1.SessionAffinityConfig', '', {
  clientIP: opt(1, ClientIPConfig),
});
export interface SessionAffinityConfig extends Infer<typeof SessionAffinityConfig> {}

export const ServiceSpec = struct('io.k8s.api.core.v1.ServiceSpec', '', {
  allocateLoadBalancerNodePorts: opt(20, boolean),
  clusterIP: opt(3, string),
  clusterIPs: opt(18, list(string, 'atomic')),
  externalIPs: opt(5, list(string, 'atomic')),
  externalName: opt(10, string),
  externalTrafficPolicy: opt(11, string),
  healthCheckNodePort: opt(12, int32),
  internalTrafficPolicy: opt(22, string),
  ipFamilies: opt(19, list(string, 'atomic')),
  ipFamilyPolicy: opt(17, string),
  loadBalancerClass: opt(21, string),
  loadBalancerIP: opt(8, string),
  loadBalancerSourceRanges: opt(9, list(string, 'atomic')),
  ports: opt(1, list(ServicePort, ['port', 'protocol']), { patch: 'merge', key: 'port' }),
  publishNotReadyAddresses: opt(13, boolean),
  selector: opt(2, map(string, 'atomic')),
  sessionAffinity: opt(7, string, { default: 'None' }),
  sessionAffinityConfig: opt(14, SessionAffinityConfig),
  trafficDistribution: opt(23, string),
  type: opt(4, string, { default: 'ClusterIP' }),
});
export interface ServiceSpec extends Infer<typeof ServiceSpec> {}

export const PortStatus = struct('io.k8s.api.core.v1.PortStatus', '', {
  error: opt(3, string),
  port: req(1, int32),
  protocol: req(2, string),
});
export interface PortStatus extends Infer<typeof PortStatus> {}

export const LoadBalancerIngress = struct('io.k8s.api.core.v1.LoadBalancerIngress', '', {
  hostname: opt(2, string),
  ip: opt(1, string),
  ipMode: opt(3, string),
  ports: opt(4, list(PortStatus, 'atomic')),
});
export interface LoadBalancerIngress extends Infer<typeof LoadBalancerIngress> {}

export const LoadBalancerStatus = struct('io.k8s.api.core.v1.LoadBalancerStatus', '', {
  ingress: opt(1, list(LoadBalancerIngress, 'atomic')),
});
export interface LoadBalancerStatus extends Infer<typeof LoadBalancerStatus> {}

export const ServiceStatus = struct('io.k8s.api.core.v1.ServiceStatus', '', {
  conditions: opt(2, list(Condition, ['type']), { patch: 'merge', key: 'type' }),
  loadBalancer: opt(1, LoadBalancerStatus),
});
export interface ServiceStatus extends Infer<typeof ServiceStatus> {}

export const ServiceSchema = struct('io.k8s.api.core.v1.Service', '', {
  ...objectFields,
  spec: opt(2, ServiceSpec),
  status: opt(3, ServiceStatus),
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
      description: 'The address within the cluster.',
      value: ({ spec }) => spec?.clusterIPs?.[0] ?? (spec?.clusterIP || '<none>'),
    },
    {
      name: 'External-IP',
      type: 'string',
      description: 'The address from outside.',
      value: (service) => externalAddress(service),
    },
    {
      name: 'Port(s)',
      type: 'string',
      description: 'The ports that the service answers on.',
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
  applyDefaults: ({ spec }) => {
    if (spec) applyServiceDefaults(spec);
  },
  selectableFields: {
    'spec.clusterIP': ({ spec }) => spec?.clusterIP ?? '',
    'spec.type': ({ spec }) => spec?.type ?? '',
  },
});
