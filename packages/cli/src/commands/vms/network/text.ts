import { formatTable } from '../table.ts';
import type { PolicyLine } from './policies.ts';
import type { ServiceLine, ServicePortLine } from './services.ts';
import type { NetworkSummary, VmLine } from './summary.ts';

/** The summary for people: a table for each kind of thing, and what is wrong below. */
export function networkText(summary: NetworkSummary, { allNamespaces = false } = {}): string {
  const table = (
    head: readonly string[],
    rows: readonly (readonly [namespace: string, ...cells: string[]])[],
  ): string[] => (rows.length === 0 ? [] : [tableOf(['NAMESPACE', ...head], rows, allNamespaces)]);
  const parts = [
    ...table(
      ['NETWORK', 'TYPE', 'NODE', 'RANGE', 'DEVICE'],
      shownNetworks(summary).map(({ namespace = '', name, type, node = '', range = '', device = '' }) => [
        namespace,
        name,
        type,
        node,
        range,
        device,
      ]),
    ),
    ...table(['VM', 'STATE', 'INTERFACE', 'NETWORK', 'ADDRESS', 'MAC', 'NODE'], summary.vms.flatMap(vmRows)),
    ...table(
      ['SERVICE', 'TYPE', 'CLUSTER-IP', 'EXTERNAL', 'PORTS', 'ENDPOINTS', 'VMS'],
      summary.services.map(serviceRow),
    ),
    ...table(['POLICY', 'DIRECTION', 'ALLOWS', 'VMS'], summary.policies.flatMap(policyRows)),
    ...notes(summary, allNamespaces),
  ];
  return parts.join('\n\n');
}

/** Pod networks that are shown although no VM of the list is on them; more are counted. */
const MOST_IDLE_NODES = 10;

/** All networks, but on large clusters only the nodes that have VMs of the list. */
function shownNetworks({ networks, vms }: NetworkSummary): NetworkSummary['networks'] {
  const busy = new Set(vms.map(({ node }) => node));
  const isIdle = ({ node }: NetworkSummary['networks'][number]): boolean => node !== undefined && !busy.has(node);
  const idle = new Set(networks.filter(isIdle).slice(MOST_IDLE_NODES));
  return networks.filter((network) => !idle.has(network));
}

/** A table, without the first column where that is not asked for. */
const tableOf = (head: readonly string[], rows: readonly (readonly string[])[], hasFirst: boolean): string =>
  formatTable(
    [head, ...rows.map((row) => row.map((cell) => cell || '-'))].map((row) => (hasFirst ? row : row.slice(1))),
  );

function vmRows({ namespace, name, state, node = '', interfaces }: VmLine): [string, ...string[]][] {
  if (interfaces.length === 0) return [[namespace, name, state, '', '', '', '', node]];
  return interfaces.map((card) => [
    namespace,
    name,
    state,
    card.name,
    card.network,
    card.addresses.join(', '),
    card.mac ?? '',
    node,
  ]);
}

/** A row of the table of Services. */
export const serviceRow = (service: ServiceLine): [string, ...string[]] => [
  service.namespace,
  service.name,
  service.type,
  service.clusterIPs.join(', ') || 'None',
  service.externalAddresses.join(', ') || (service.type === 'LoadBalancer' ? '<pending>' : ''),
  service.ports.map(portText).join(', '),
  String(service.readyEndpoints),
  service.vms.join(', '),
];

/** As kubectl shows ports: `80/TCP`, with the node port `80:30080/TCP`. */
const portText = ({ port, protocol, nodePort }: ServicePortLine): string =>
  `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`;

function policyRows({ namespace, name, vms, ingress, egress }: PolicyLine): [string, ...string[]][] {
  const rows = (direction: string, rules: readonly string[] | undefined): [string, ...string[]][] =>
    rules === undefined ? [] : [[namespace, name, direction, rulesText(rules), vms.join(', ')]];
  return [...rows('ingress', ingress), ...rows('egress', egress)];
}

/** The rules of a direction in one line. */
export const rulesText = (rules: readonly string[]): string => (rules.length === 0 ? 'nothing' : rules.join('; '));

/** What leads nowhere, and what could not be seen. */
function notes(summary: NetworkSummary, allNamespaces: boolean): string[] {
  const { services, forbidden, networks, vms, policies } = summary;
  const hidden = networks.length - shownNetworks(summary).length;
  const broken = services.flatMap(({ namespace, name, note }) =>
    note ? [`Service ${allNamespaces ? `${namespace}/` : ''}${name} leads nowhere: ${note}`] : [],
  );
  const unseen = forbidden.map(({ kind, message }) => `${kind} cannot be listed: ${message}`);
  const isEmpty = [networks, vms, services, policies, forbidden].every((each) => each.length === 0);
  return [
    ...(hidden > 0 ? [`${hidden} more nodes have none of these VMs. To list them all: -o json`] : []),
    ...(broken.length > 0 ? [broken.join('\n')] : []),
    ...(unseen.length > 0 ? [unseen.join('\n')] : []),
    ...(isEmpty ? ['There are no networks, VMs, Services or NetworkPolicies.'] : []),
  ];
}
