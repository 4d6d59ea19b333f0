import type { Service } from './service.ts';

/** Where the service is reached from outside, as `kubectl get` shows it. */
export function externalAddress({ spec, status }: Service): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case 'ClusterIP':
    case 'NodePort':
      return external.length > 0 ? external.join(',') : '<none>';
    case 'LoadBalancer': {
      const ingress = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '');
      const addresses = [...new Set([...ingress, ...external].filter((address) => address !== ''))];
      return addresses.length > 0 ? addresses.join(',') : '<pending>';
    }
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

/** `80/TCP,443:30443/TCP`: each port, with its node port where it has one. */
export function servicePorts({ spec }: Service): string {
  const ports = spec?.ports ?? [];
  if (ports.length === 0) return '<none>';
  return ports
    .map(({ port, nodePort, protocol }) => `${nodePort ? `${port}:${nodePort}` : port}/${protocol ?? 'TCP'}`)
    .join(',');
}

/** What depends on the service's type, and so cannot be a plain default. */
export function applyServiceDefaults({ spec, status }: Service): void {
  for (const ingress of status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP';
  if (!spec) return;
  for (const port of spec.ports ?? []) port.targetPort ||= port.port;
  if (spec.sessionAffinity === 'ClientIP') {
    spec.sessionAffinityConfig ??= {};
    spec.sessionAffinityConfig.clientIP ??= {};
    spec.sessionAffinityConfig.clientIP.timeoutSeconds ??= 10800;
  }
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  const type = spec.type ?? 'ClusterIP';
  if (type !== 'ExternalName') spec.internalTrafficPolicy ??= 'Cluster';
  const isExternal =
    type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && spec.externalIPs?.length);
  if (isExternal) spec.externalTrafficPolicy ??= 'Cluster';
  if (type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
}
