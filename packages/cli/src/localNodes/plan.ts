import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A further node of this host. */
export interface LocalNode {
  readonly name: string;
  readonly home: string;
  /** Its own network; missing where there are no rights to make one: it then shares the host's. */
  readonly link?: NodeLink;
}

/** How a node with a network of its own is connected. */
export interface NodeLink {
  /** The network namespace. */
  readonly namespace: string;
  /** The host's end of the cable. The node's is `eth0`. */
  readonly hostEnd: string;
  readonly address: string;
}

/** The network in which the nodes of one host meet. */
export interface NodeNetwork {
  readonly bridge: string;
  /** `10.198.7.0/24` */
  readonly subnet: string;
  /** The host's address in it. */
  readonly gateway: string;
  /** The nftables table that lets nodes reach what the host reaches. */
  readonly table: string;
  /** What the names of the nodes' namespaces begin with. */
  readonly namespacePrefix: string;
}

const FIRST_OCTETS = '10.198';
const SUBNETS = 256;
export const PREFIX_LENGTH = 24;

/** Names of interfaces are short, so the home is in them by its hash. */
const hashOf = (home: string, length: number): string =>
  createHash('sha256').update(home).digest('hex').slice(0, length);

/**
 * The network for a home's nodes: the one that it had before if that is known, else the first that overlaps nothing that
 * the host has a route to. `taken`: those routes.
 */
export function planNetwork(home: string, taken: readonly string[], before?: string): NodeNetwork {
  const subnet = before ?? freeSubnet(Number.parseInt(hashOf(home, 2), 16), taken);
  return {
    bridge: `vireo-${hashOf(home, 8)}`,
    subnet,
    gateway: addressIn(subnet, 1),
    table: `vireo-nodes-${hashOf(home, 12)}`,
    namespacePrefix: `vireo-${hashOf(home, 12)}-`,
  };
}

function freeSubnet(first: number, taken: readonly string[]): string {
  for (let step = 0; step < SUBNETS; step++) {
    const candidate = `${FIRST_OCTETS}.${(first + step) % SUBNETS}.0/${PREFIX_LENGTH}`;
    if (!taken.some((route) => overlaps(route, candidate))) return candidate;
  }
  throw new Error(`every network of ${FIRST_OCTETS}.0.0/16 is in use on this host`);
}

/** The nodes beside the first, which is the host itself; `count` includes it. */
export function planNodes(home: string, host: string, count: number, network: NodeNetwork | undefined): LocalNode[] {
  return Array.from({ length: count - 1 }, (_, index) => {
    const number = index + 2;
    const name = `${host}-${number}`;
    const link = network && {
      namespace: `${network.namespacePrefix}${number}`,
      hostEnd: `vr${hashOf(home, 8)}-${number}`,
      address: addressIn(network.subnet, number),
    };
    return { name, home: nodeHome(home, name), ...(link && { link }) };
  });
}

/** Where the homes of further nodes are. */
export const nodesDirectory = (home: string): string => join(home, 'nodes');
export const nodeHome = (home: string, name: string): string => join(nodesDirectory(home), name);

/** The homes of the further nodes that a home has ever had. */
export async function localNodeHomes(home: string): Promise<string[]> {
  const entries = await readdir(nodesDirectory(home), { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => nodeHome(home, name));
}

const addressIn = (subnet: string, host: number): string => subnet.replace(/0\/\d+$/, String(host));

/** Whether two IPv4 networks have an address in common. */
export function overlaps(a: string, b: string): boolean {
  const [first, second] = [parse(a), parse(b)];
  if (!first || !second) return false;
  const shift = 32 - Math.min(first.length, second.length);
  return shift >= 32 || first.bits >>> shift === second.bits >>> shift;
}

function parse(network: string): { readonly bits: number; readonly length: number } | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)(?:\/(\d+))?$/.exec(network);
  if (!match) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = match.slice(1, 5).map(Number);
  return { bits: ((a << 24) | (b << 16) | (c << 8) | d) >>> 0, length: Number(match[5] ?? 32) };
}
