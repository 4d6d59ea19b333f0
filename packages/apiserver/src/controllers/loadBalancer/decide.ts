import {
  isConditionTrue,
  isDeleting,
  type LoadBalancerIngress,
  type Node,
  type Persisted,
  type Service,
} from '@vireo/api';
import { familiesOf, familyOf } from '../serviceEndpoints/pods.ts';

/** The class of load balancers that nodes are themselves. */
export const LOAD_BALANCER_CLASS = 'vireo.io/node';
const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** Whether the addresses of the Service are those of nodes. */
export const isBalancedByNodes = ({ spec }: Service): boolean =>
  spec?.type === 'LoadBalancer' && (spec.loadBalancerClass ?? LOAD_BALANCER_CLASS) === LOAD_BALANCER_CLASS;

/**
 * The addresses at which a Node takes connections of load balancers: none where it does not, and none of a family that its
 * guests do not have.
 */
export function addressesOfNode(node: Node): string[] {
  const { metadata, spec, status } = node;
  if (!isConditionTrue(node, 'Ready') || isDeleting(node) || metadata.labels?.[EXCLUDED] !== undefined) return [];
  const hasIpv6 = spec?.podCIDRs?.some((range) => range.includes(':')) ?? false;
  return (status?.addresses ?? [])
    .filter(({ type, address }) => type === 'InternalIP' && (hasIpv6 || familyOf(address) === 'IPv4'))
    .map(({ address }) => address);
}

/** The addresses that a Service can have: of all nodes, or of those that have an endpoint if traffic is to stay there. */
export function wantedAddresses(
  service: Service,
  nodes: readonly Persisted<Node>[],
  endpointNodes: ReadonlySet<string>,
): string[] {
  const families = familiesOf(service);
  const isLocal = service.spec?.externalTrafficPolicy === 'Local';
  const addresses = nodes
    .filter(({ metadata }) => !isLocal || endpointNodes.has(metadata.name))
    .flatMap(addressesOfNode);
  const sorted = [...new Set(addresses)].sort();
  return families.flatMap((family) => sorted.filter((address) => familyOf(address) === family));
}

/** A port that another Service has already. */
export interface PortConflict {
  readonly port: number;
  readonly protocol: string;
  readonly other: Persisted<Service>;
}

/** The first port of a Service that another one has at one of the addresses. Who has it keeps it, else the older one. */
export function findConflict(
  service: Persisted<Service>,
  others: readonly Persisted<Service>[],
  addressesOf: (service: Persisted<Service>) => readonly string[],
): PortConflict | undefined {
  const own = new Set(addressesOf(service));
  const rivals = others.filter(
    (other) => isBalancedByNodes(other) && !isDeleting(other) && precedes(other, service) && other !== service,
  );
  for (const { port, protocol = 'TCP' } of service.spec?.ports ?? []) {
    const other = rivals.find(
      (rival) =>
        rival.spec?.ports?.some((each) => each.port === port && (each.protocol ?? 'TCP') === protocol) &&
        addressesOf(rival).some((address) => own.has(address)),
    );
    if (other) return { port, protocol, other };
  }
  return undefined;
}

function precedes(a: Persisted<Service>, b: Persisted<Service>): boolean {
  const key = ({ metadata, status }: Persisted<Service>): string =>
    [status?.loadBalancer?.ingress?.length ? 0 : 1, metadata.creationTimestamp, metadata.uid].join(' ');
  return key(a) < key(b);
}

/** The addresses as the status of a Service shows them. Nodes rewrite the destination themselves, as VIPs do. */
export const ingressOf = (addresses: readonly string[]): LoadBalancerIngress[] =>
  addresses.map((ip) => ({ ip, ipMode: 'VIP' }));
