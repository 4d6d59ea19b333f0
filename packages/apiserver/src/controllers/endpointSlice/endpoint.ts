import type { Endpoint, EndpointSlicePort, Node, Persisted, Pod, Service } from '@vireo/api';
import {
  addressesOf,
  familiesOf,
  familyOf,
  hostnameOf,
  isReady,
  isTerminal,
  isTerminating,
  podPorts,
} from '../serviceEndpoints/pods.ts';
import type { EndpointGroup } from '../serviceEndpoints/slicePlan.ts';

const ZONE = 'topology.kubernetes.io/zone';

/** The endpoints of a Service, grouped by what one slice can hold. Each family has one group at least. */
export function endpointGroups(
  service: Service,
  pods: readonly Persisted<Pod>[],
  nodeOf: (name: string) => Node | undefined,
): { readonly groups: EndpointGroup[]; readonly hasUnknownNode: boolean } {
  const present = pods.filter((pod) => !isTerminal(pod) && addressesOf(pod).length > 0);
  // A pod whose node is not known has nobody who would take its traffic. It is looked at again.
  const placed = service.spec?.publishNotReadyAddresses
    ? present
    : present.filter(({ spec }) => nodeOf(spec?.nodeName ?? ''));
  const groups = familiesOf(service).flatMap((addressType) => {
    const endpoints = placed
      .map((pod) => ({
        ports: portsOf(service, pod),
        endpoint: endpointOf(pod, service, addressType, nodeOf(pod.spec?.nodeName ?? '')),
      }))
      .filter(({ endpoint }) => endpoint.addresses.length > 0);
    const byPorts = [...Map.groupBy(endpoints, ({ ports }) => JSON.stringify(ports)).values()];
    return byPorts.length === 0
      ? [{ addressType, ports: [], endpoints: [] }]
      : byPorts.map((same) => ({
          addressType,
          ports: same[0]?.ports ?? [],
          endpoints: same.map(({ endpoint }) => endpoint),
        }));
  });
  return { groups, hasUnknownNode: placed.length < present.length };
}

const portsOf = (service: Service, pod: Pod): EndpointSlicePort[] =>
  podPorts(service, pod).map(({ servicePort: { name = '', protocol = 'TCP', appProtocol }, port }) => ({
    ...(appProtocol !== undefined && { appProtocol }),
    name,
    port,
    protocol,
  }));

/** A pod as an endpoint of a Service. A pod that is going is not ready, however well it still answers. */
function endpointOf(pod: Persisted<Pod>, service: Service, addressType: string, node: Node | undefined): Endpoint {
  const { name, namespace, uid } = pod.metadata;
  const [serving, terminating] = [isReady(pod), isTerminating(pod)];
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const hostname = hostnameOf(pod, service);
  const nodeName = pod.spec?.nodeName;
  const zone = node?.metadata.labels?.[ZONE];
  const hints = ready ? hintsFor(service, nodeName, zone) : undefined;
  return {
    addresses: addressesOf(pod).filter((address) => familyOf(address) === addressType),
    conditions: { ready, serving, terminating },
    ...(hostname !== undefined && { hostname }),
    ...(nodeName && { nodeName }),
    targetRef: { kind: 'Pod', name, ...(namespace && { namespace }), uid },
    ...(zone && { zone }),
    ...(hints && { hints }),
  };
}

/** Which clients should use an endpoint, where the Service prefers those that are close. */
function hintsFor({ spec }: Service, nodeName = '', zone = ''): Endpoint['hints'] {
  const forZones = zone ? { forZones: [{ name: zone }] } : {};
  switch (spec?.trafficDistribution) {
    case 'PreferClose':
    case 'PreferSameZone':
      return forZones;
    case 'PreferSameNode':
      return { ...(nodeName && { forNodes: [{ name: nodeName }] }), ...forZones };
    default:
      return undefined;
  }
}
