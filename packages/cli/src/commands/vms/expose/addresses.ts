import { isIP } from 'node:net';
import { isConditionTrue, type Node } from '@vireo/api';
import type { NetworkObjects } from '../network/read.ts';
import type { ServiceLine, ServicePortLine } from '../network/services.ts';
import { formatTable } from '../table.ts';

/** What the addresses of a Service depend on besides the Service. */
export interface Surroundings {
  readonly domain: string;
  readonly nodes: NetworkObjects['nodes'];
  /** Whether this host is a node of the cluster, so that it reaches cluster IPs. */
  readonly isNode: boolean;
  /** What events warn of. */
  readonly warnings: readonly string[];
}

/** Addresses of nodes that are written out; more are counted. */
const MOST_NODES = 3;

/** Each address at which a Service is reached, and from where: rows of a table. */
export function addressRows(service: ServiceLine, surroundings: Surroundings): [address: string, from: string][] {
  return service.ports.flatMap((port) => [
    ...insideRows(service, port, surroundings),
    ...nodePortRows(service, port, surroundings),
    ...service.externalAddresses
      .filter((address) => !isRefused(address, port.port, port, surroundings))
      .map((address): [string, string] => [
        place(address, port.port, port),
        'from everywhere that reaches this address',
      ]),
  ]);
}

function insideRows(service: ServiceLine, port: ServicePortLine, { domain, isNode }: Surroundings): [string, string][] {
  const name = `${service.name}.${service.namespace}.svc.${domain}`;
  const inside = isNode ? 'from VMs, and from this host' : 'from VMs, and from nodes';
  return [
    ...service.clusterIPs.map((address): [string, string] => [place(address, port.port, port), inside]),
    // A headless Service has names only, which lead to the VMs themselves and their own ports.
    [place(name, service.clusterIPs.length > 0 ? port.port : ownPort(port), port), 'from VMs'],
    [
      place(service.name, service.clusterIPs.length > 0 ? port.port : ownPort(port), port),
      `from VMs in namespace ${service.namespace}`,
    ],
  ];
}

const ownPort = ({ port, targetPort }: ServicePortLine): number => (typeof targetPort === 'number' ? targetPort : port);

function nodePortRows(service: ServiceLine, port: ServicePortLine, surroundings: Surroundings): [string, string][] {
  const { nodePort } = port;
  if (nodePort === undefined || isRefused('node', nodePort, port, surroundings)) return [];
  const nodes = surroundings.nodes.filter((node) => isConditionTrue(node, 'Ready'));
  if (nodes.length === 0) return [[place('NODE', nodePort, port), 'from everywhere that reaches a node']];
  const rows = nodes.slice(0, MOST_NODES).flatMap((node): [string, string][] => {
    const from = `from everywhere that reaches node ${node.metadata.name}`;
    return internalAddresses(node, service).map((address) => [place(address, nodePort, port), from]);
  });
  const more = nodes.length - MOST_NODES;
  return more > 0 ? [...rows, [place('NODE', nodePort, port), `the same at ${more} more nodes`]] : rows;
}

/** The addresses of a node, of the families that a Service has. */
const internalAddresses = ({ status }: Node, { clusterIPs }: ServiceLine): string[] =>
  (status?.addresses ?? [])
    .filter(({ type, address }) => type === 'InternalIP' && clusterIPs.some((each) => isIP(each) === isIP(address)))
    .map(({ address }) => address);

/** `10.96.0.10:80`, `[fd00::1]:80`; TCP goes without saying. */
const place = (host: string, port: number, { protocol }: ServicePortLine): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}${protocol === 'TCP' ? '' : `/${protocol}`}`;

/** Nodes tell by an event which ports they do not lead to a Service, because programs of theirs have them. */
const isRefused = (host: string, port: number, { protocol }: ServicePortLine, { warnings }: Surroundings): boolean =>
  warnings.some((message) => message.includes(`${host}:${port}/${protocol}`));

/** The rows for people. */
export const addressesText = (rows: readonly (readonly [string, string])[]): string =>
  formatTable(rows.map(([address, from]) => [`  ${address}`, from]));
