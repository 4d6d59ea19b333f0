import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, list, opt, req, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';
import { TypedLocalObjectReference } from '../core/references.ts';

export const ServiceBackendPort = struct(
  'io.k8s.api.networking.v1.ServiceBackendPort',
  'Port of a Service, by name or number.',
  {
    name: opt(1, string, 'Name of the port.'),
    number: opt(2, int32, 'Number of the port.'),
  },
  { mapType: 'atomic' },
);
export interface ServiceBackendPort extends Infer<typeof ServiceBackendPort> {}

export const IngressServiceBackend = struct('io.k8s.api.networking.v1.IngressServiceBackend', 'A port of a Service.', {
  name: req(1, string, 'Name of the Service.'),
  port: opt(2, ServiceBackendPort, 'Port of the Service, by name or number.'),
});
export interface IngressServiceBackend extends Infer<typeof IngressServiceBackend> {}

export const IngressBackend = struct(
  'io.k8s.api.networking.v1.IngressBackend',
  'Where requests go: a Service, or another object.',
  {
    resource: opt(3, TypedLocalObjectReference, 'Object in the same namespace. Excludes service.'),
    service: opt(4, IngressServiceBackend, 'A port of a Service. Excludes resource.'),
  },
);
export interface IngressBackend extends Infer<typeof IngressBackend> {}

export const HTTPIngressPath = struct('io.k8s.api.networking.v1.HTTPIngressPath', 'Which paths of requests go where.', {
  backend: req(2, IngressBackend, 'Where requests for the path go.'),
  path: opt(1, string, 'Path of requests. Begins with a slash.'),
  pathType: req(3, string, {
    pointer: true,
    doc: 'How paths are compared: Exact, Prefix or ImplementationSpecific.',
  }),
});
export interface HTTPIngressPath extends Infer<typeof HTTPIngressPath> {}

export const HTTPIngressRuleValue = struct(
  'io.k8s.api.networking.v1.HTTPIngressRuleValue',
  'Paths of HTTP requests, and where they go.',
  { paths: req(1, list(HTTPIngressPath, 'atomic'), 'Paths of requests, and where they go.') },
);
export interface HTTPIngressRuleValue extends Infer<typeof HTTPIngressRuleValue> {}

export const IngressRule = struct('io.k8s.api.networking.v1.IngressRule', 'Where requests for a host go.', {
  host: opt(1, string, 'Name of the host, such as example.com or *.example.com. All hosts if missing.'),
  http: opt([2, 1], HTTPIngressRuleValue, 'Paths of HTTP requests, and where they go.'),
});
export interface IngressRule extends Infer<typeof IngressRule> {}

export const IngressTLS = struct('io.k8s.api.networking.v1.IngressTLS', 'Certificate for hosts.', {
  hosts: opt(1, list(string, 'atomic'), 'Names of the hosts.'),
  secretName: opt(2, string, 'Name of the Secret with the certificate.'),
});
export interface IngressTLS extends Infer<typeof IngressTLS> {}

export const IngressSpec = struct('io.k8s.api.networking.v1.IngressSpec', 'Rules of an Ingress.', {
  defaultBackend: opt(1, IngressBackend, 'Where requests go that no rule is for.'),
  ingressClassName: opt(4, string, { pointer: true, doc: 'Name of the IngressClass.' }),
  rules: opt(3, list(IngressRule, 'atomic'), 'Where requests for hosts and paths go.'),
  tls: opt(2, list(IngressTLS, 'atomic'), 'Certificates for hosts.'),
});
export interface IngressSpec extends Infer<typeof IngressSpec> {}

export const IngressPortStatus = struct('io.k8s.api.networking.v1.IngressPortStatus', 'State of a port.', {
  error: opt(3, string, { pointer: true, doc: 'What is wrong with the port.' }),
  port: req(1, int32, 'Number of the port.'),
  protocol: req(2, string, 'Protocol of the port: TCP, UDP or SCTP.'),
});
export interface IngressPortStatus extends Infer<typeof IngressPortStatus> {}

export const IngressLoadBalancerIngress = struct(
  'io.k8s.api.networking.v1.IngressLoadBalancerIngress',
  'An address where the Ingress can be reached.',
  {
    hostname: opt(2, string, 'Name in DNS.'),
    ip: opt(1, string, 'Address where it can be reached.'),
    ports: opt(4, list(IngressPortStatus, 'atomic'), 'State of the ports.'),
  },
);
export interface IngressLoadBalancerIngress extends Infer<typeof IngressLoadBalancerIngress> {}

export const IngressLoadBalancerStatus = struct(
  'io.k8s.api.networking.v1.IngressLoadBalancerStatus',
  'State of a load balancer.',
  { ingress: opt(1, list(IngressLoadBalancerIngress, 'atomic'), 'Addresses where the Ingress can be reached.') },
);
export interface IngressLoadBalancerStatus extends Infer<typeof IngressLoadBalancerStatus> {}

export const IngressStatus = struct('io.k8s.api.networking.v1.IngressStatus', 'Observed state of an Ingress.', {
  loadBalancer: opt(1, IngressLoadBalancerStatus, 'State of the load balancer.'),
});
export interface IngressStatus extends Infer<typeof IngressStatus> {}

export const IngressSchema = struct(
  'io.k8s.api.networking.v1.Ingress',
  'Leads HTTP requests from outside to Services, by host and path.',
  {
    ...objectFields,
    spec: opt(2, IngressSpec, 'Desired state of the Ingress.'),
    status: opt(3, IngressStatus, 'Observed state of the Ingress. The system writes it.'),
  },
);
export interface Ingress extends Infer<typeof IngressSchema> {}

/** Three hosts at most, as kubectl shows them. */
function hosts({ spec }: Ingress): string {
  const all = (spec?.rules ?? []).flatMap(({ host }) => host || []);
  if (all.length === 0) return '*';
  return all.length > 3 ? `${all.slice(0, 3).join(',')} + ${all.length - 3} more...` : all.join(',');
}

export const Ingress = defineKind<Ingress>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'Ingress',
  plural: 'ingresses',
  namespaced: true,
  shortNames: ['ing'],
  schema: IngressSchema,
  columns: [
    {
      name: 'Class',
      type: 'string',
      description: 'Name of the IngressClass.',
      value: ({ spec }) => spec?.ingressClassName ?? '<none>',
    },
    { name: 'Hosts', type: 'string', description: 'Hosts that it is for.', value: hosts },
    {
      name: 'Address',
      type: 'string',
      description: 'Where it can be reached.',
      value: ({ status }) =>
        (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip || hostname || []).join(','),
    },
    {
      name: 'Ports',
      type: 'string',
      description: 'Ports that it listens on.',
      value: ({ spec }) => (spec?.tls?.length ? '80, 443' : '80'),
    },
    ageColumn,
  ],
});
