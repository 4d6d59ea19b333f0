import { isIP, isIPv6 } from 'node:net';
import type { EndpointSlice, Service } from '@vireo/api';
import type { Endpoint, IpFamily, Protocol, ServicePort } from '@vireo/network';
import type { IsListening } from './listening.ts';
import { protocolOf } from './protocol.ts';

type SlicePort = NonNullable<EndpointSlice['ports']>[number];
type SliceEndpoint = NonNullable<EndpointSlice['endpoints']>[number];

/**
 * The ports of a Service with where each leads, as a node has to know, for each family that it has. A headless Service has
 * none: names lead to its endpoints.
 */
export function servicePorts(service: Service, slices: readonly EndpointSlice[], node: string): ServicePort[] {
  const { spec = {} } = service;
  if (spec.type === 'ExternalName' || !spec.clusterIP || spec.clusterIP === 'None') return [];
  const addresses = spec.clusterIPs ?? [spec.clusterIP];
  return (['IPv4', 'IPv6'] as const)
    .filter((family) => addresses.some((address) => familyOf(address) === family))
    .flatMap((family) => portsOf(family, service, slices, node));
}

const familyOf = (address: string): IpFamily => (isIPv6(address) ? 'IPv6' : 'IPv4');

function portsOf(family: IpFamily, service: Service, slices: readonly EndpointSlice[], node: string): ServicePort[] {
  const { metadata, spec = {} } = service;
  const isOfFamily = (address: string): boolean => familyOf(address) === family;
  const internal = (spec.clusterIPs ?? [spec.clusterIP ?? '']).filter(isOfFamily);
  const ingress = (service.status?.loadBalancer?.ingress ?? []).flatMap(({ ip, ipMode }) =>
    ip && ipMode !== 'Proxy' ? [ip] : [],
  );
  const external = [...(spec.externalIPs ?? []), ...(spec.type === 'LoadBalancer' ? ingress : [])].filter(isOfFamily);
  const timeout = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800;
  return (spec.ports ?? []).map((port) => {
    const candidates = slices.flatMap((slice) => {
      if (slice.addressType !== family) return [];
      const target = slice.ports?.find((each) => (each.name ?? '') === (port.name ?? '') && isSameProtocol(each, port));
      return target?.port === undefined
        ? []
        : (slice.endpoints ?? []).map((endpoint) => ({ endpoint, port: target.port as number }));
    });
    const all = usable(candidates, family);
    const local = usable(
      candidates.filter(({ endpoint }) => endpoint.nodeName === node),
      family,
    );
    const isExternalLocal = spec.externalTrafficPolicy === 'Local';
    return {
      id: `${metadata.namespace}/${metadata.name}/${port.name || port.port}/${protocolOf(port.protocol)}${family === 'IPv6' ? '/6' : ''}`,
      family,
      protocol: protocolOf(port.protocol),
      port: port.port,
      internal: [...new Set(internal)],
      external: [...new Set(external)],
      endpoints: spec.internalTrafficPolicy === 'Local' ? local : all,
      ...(port.nodePort && { nodePort: port.nodePort }),
      ...((isExternalLocal || spec.internalTrafficPolicy === 'Local') && {
        externalEndpoints: isExternalLocal ? local : all,
      }),
      ...(spec.sessionAffinity === 'ClientIP' && { affinitySeconds: timeout }),
      ...(spec.loadBalancerSourceRanges?.length && {
        sourceRanges: spec.loadBalancerSourceRanges.filter((range) => isOfFamily(range.split('/')[0] ?? '')),
      }),
    };
  });
}

const isSameProtocol = (target: SlicePort, { protocol }: { protocol?: string }): boolean =>
  protocolOf(target.protocol) === protocolOf(protocol);

interface Candidate {
  readonly endpoint: SliceEndpoint;
  readonly port: number;
}

/** Ready endpoints; where there are none, those that still serve while they end, as kube-proxy does. */
function usable(candidates: readonly Candidate[], family: IpFamily): Endpoint[] {
  const ready = candidates.filter(({ endpoint }) => endpoint.conditions?.ready !== false);
  const chosen =
    ready.length > 0
      ? ready
      : candidates.filter(({ endpoint: { conditions } }) => conditions?.serving && conditions.terminating);
  const found = chosen.flatMap(({ endpoint, port }) => {
    const [address] = endpoint.addresses;
    return address && isIP(address) && familyOf(address) === family
      ? [[`${address}:${port}`, { address, port }] as const]
      : [];
  });
  // In a fixed order: rules change only if endpoints do.
  return [...new Map(found)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, endpoint]) => endpoint);
}

/** A port of a Service at which a program of this node takes connections already. */
export interface TakenPort {
  readonly protocol: Protocol;
  readonly port: number;
  /** Missing: a node port, at all addresses. */
  readonly address?: string;
}

/** A Service's port without what programs of this node have, such as its SSH server: no Service takes connections from them. */
export function withoutTaken(port: ServicePort, isListening: IsListening): { port: ServicePort; taken: TakenPort[] } {
  const { nodePort, ...others } = port;
  const { protocol, external } = port;
  const isTaken = (address: string): boolean => isListening(protocol, port.port, address);
  const isNodePortTaken = nodePort !== undefined && isListening(protocol, nodePort);
  return {
    port: {
      ...others,
      external: external.filter((address) => !isTaken(address)),
      ...(nodePort !== undefined && !isNodePortTaken && { nodePort }),
    },
    taken: [
      ...external.filter(isTaken).map((address) => ({ protocol, port: port.port, address })),
      ...(isNodePortTaken ? [{ protocol, port: nodePort }] : []),
    ],
  };
}
