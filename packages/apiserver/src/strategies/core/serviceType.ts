import type { Service, ServiceSpec } from '@vireo/api';
import { sameValue } from '../immutable.ts';
import { isExternal, needsHealthCheck } from './serviceExposure.ts';
import { needsClusterIp, usesNodePorts } from './serviceValidation.ts';

const isBalanced = ({ type }: ServiceSpec): boolean => type === 'LoadBalancer';

/**
 * A client that changes the type of a service and nothing else means the rest to follow: what the old type had and the
 * new one cannot have is dropped, unless the client touched it. `service.spec` is the caller's to change.
 */
export function dropFieldsOfOldType(service: Service, old: Service): void {
  const { spec } = service;
  const before = old.spec;
  if (!spec || !before) return;
  const drop = (...names: (keyof ServiceSpec)[]) => {
    for (const name of names) if (sameValue(spec[name], before[name])) delete spec[name];
  };
  if (needsClusterIp(old) && !needsClusterIp(service)) {
    drop('clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy');
  }
  if (!needsClusterIp(old) && needsClusterIp(service)) drop('externalName');
  if (isExternal(before) && !isExternal(spec)) drop('externalTrafficPolicy');
  if (isBalanced(before) && !isBalanced(spec)) {
    drop('allocateLoadBalancerNodePorts', 'loadBalancerClass');
  }
  if (needsHealthCheck(old) && !needsHealthCheck(service)) drop('healthCheckNodePort');
  if (usesNodePorts(old) && !usesNodePorts(service) && sameNodePorts(spec, before)) {
    spec.ports = spec.ports?.map(({ nodePort: _, ...port }) => port);
  }
}

const sameNodePorts = (spec: ServiceSpec, before: ServiceSpec): boolean =>
  (spec.ports ?? []).every(
    ({ nodePort }) => !nodePort || (before.ports ?? []).some((port) => port.nodePort === nodePort),
  );
