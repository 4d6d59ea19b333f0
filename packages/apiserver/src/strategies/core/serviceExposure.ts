import { type FieldError, field, type Service, type ServiceSpec } from '@vireo/api';
import { qualifiedNameErrors } from '@vireo/api/names.ts';
import { each, inRange, oneOf, optionalText } from '../fields.ts';
import { isCidr } from './addresses.ts';

const TRAFFIC_POLICIES = ['Cluster', 'Local'];
const MAX_AFFINITY_SECONDS = 86_400;
/** Of kubelets. Load balancers must not lead there. */
const KUBELET_PORT = 10250;

/** Whether clients outside of the cluster reach the Service. */
export const isExternal = ({ type = 'ClusterIP', externalIPs = [] }: ServiceSpec): boolean =>
  type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && externalIPs.length > 0);

/** Whether load balancers ask a port of each node whether it has endpoints. */
export const needsHealthCheck = ({ spec }: Service): boolean =>
  spec?.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';

/** What a Service says of how traffic reaches it from inside and outside. */
export const validateExposure = (service: Service): FieldError[] => {
  const spec = service.spec ?? {};
  return [
    ...validateAffinity(spec),
    ...validateTrafficPolicies(spec),
    ...validateHealthCheckPort(service),
    ...validateLoadBalancer(spec),
    ...oneOf('spec.trafficDistribution', spec.trafficDistribution, ['PreferClose', 'PreferSameNode', 'PreferSameZone']),
  ];
};

function validateAffinity({ sessionAffinity, sessionAffinityConfig }: ServiceSpec): FieldError[] {
  const path = 'spec.sessionAffinityConfig';
  const problems = oneOf('spec.sessionAffinity', sessionAffinity, ['ClientIP', 'None']);
  if (sessionAffinity !== 'ClientIP')
    return [
      ...problems,
      ...(sessionAffinityConfig
        ? [field.forbidden(path, `must not be set when session affinity is ${sessionAffinity ?? ''}`)]
        : []),
    ];
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  return seconds === undefined || (seconds > 0 && seconds <= MAX_AFFINITY_SECONDS)
    ? problems
    : [
        ...problems,
        field.invalid(
          `${path}.clientIP.timeoutSeconds`,
          seconds,
          `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`,
        ),
      ];
}

function validateTrafficPolicies(spec: ServiceSpec): FieldError[] {
  const path = 'spec.externalTrafficPolicy';
  const { externalTrafficPolicy: policy } = spec;
  const external =
    isExternal(spec) || !policy
      ? oneOf(path, policy, TRAFFIC_POLICIES)
      : [field.invalid(path, policy, 'may only be set for externally-accessible services')];
  return [...external, ...oneOf('spec.internalTrafficPolicy', spec.internalTrafficPolicy, TRAFFIC_POLICIES)];
}

function validateHealthCheckPort(service: Service): FieldError[] {
  const path = 'spec.healthCheckNodePort';
  const port = service.spec?.healthCheckNodePort;
  if (!port) return [];
  return needsHealthCheck(service)
    ? inRange(path, port, 1, 65535)
    : [
        field.invalid(
          path,
          port,
          "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
        ),
      ];
}

function validateLoadBalancer(spec: ServiceSpec): FieldError[] {
  const isBalanced = spec.type === 'LoadBalancer';
  const onlyBalanced = (path: string, isSet: boolean): FieldError[] =>
    isSet && !isBalanced ? [field.forbidden(path, "may only be used when `type` is 'LoadBalancer'")] : [];
  return [
    ...onlyBalanced('spec.LoadBalancerSourceRanges', (spec.loadBalancerSourceRanges ?? []).length > 0),
    ...onlyBalanced('spec.allocateLoadBalancerNodePorts', spec.allocateLoadBalancerNodePorts !== undefined),
    ...onlyBalanced('spec.loadBalancerClass', spec.loadBalancerClass !== undefined),
    ...(isBalanced ? optionalText('spec.loadBalancerClass', spec.loadBalancerClass, qualifiedNameErrors) : []),
    ...each(spec.loadBalancerSourceRanges, 'spec.LoadBalancerSourceRanges', (range, at) =>
      isCidr(range.trim())
        ? []
        : [field.invalid(at, range, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')],
    ),
    ...(isBalanced
      ? each(spec.ports, 'spec.ports', ({ port }, at) =>
          port === KUBELET_PORT
            ? [
                field.invalid(
                  `${at}.port`,
                  port,
                  `may not expose port ${KUBELET_PORT} externally since it is used by kubelet`,
                ),
              ]
            : [],
        )
      : []),
  ];
}

/** Addresses of load balancers that a status says of a Service that has none. */
export const validateLoadBalancerStatus = ({ spec, status }: Service): FieldError[] =>
  status?.loadBalancer?.ingress?.length && spec?.type !== 'LoadBalancer'
    ? [field.forbidden('status.loadBalancer.ingress', 'may only be used when `spec.type` is LoadBalancer')]
    : [];
