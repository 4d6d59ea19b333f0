import { randomInt } from 'node:crypto';
import type { ServiceCIDR } from '@vireo/api';
import { DEFAULT_NETWORK } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import type { Lookup } from '../strategy.ts';
import { type Ipv4Range, inRange, ipv4Range, isIpv4Cidr, numberToIpv4 } from './addresses.ts';

/** Where cluster IPs come from, unless the server is told otherwise. */
export const DEFAULT_SERVICE_CIDR = DEFAULT_NETWORK.serviceCIDR;
/** The object with the range that the server was started with. */
export const DEFAULT_SERVICE_CIDR_NAME = 'kubernetes';
export const NODE_PORTS = { first: 30000, last: 32767 } as const;

/** The beginning of each range is left to those who choose for themselves, as in Kubernetes. */
const CHOSEN_PORTS = 86;
const MAX_ATTEMPTS = 32;

/** The address that leads to the API server: the first of the range. */
export const kubernetesServiceIp = (cidr: string): string => numberToIpv4(ipv4Range(cidr).first + 1);

/** The ranges that cluster IPs come from now; the server's own comes first. */
export function serviceCidrs(lookup: Pick<Lookup, 'list'>): string[] {
  const objects = lookup.list('networking.k8s.io', 'servicecidrs') as unknown as ServiceCIDR[];
  if (objects.length === 0) return [DEFAULT_SERVICE_CIDR];
  const isDefault = ({ metadata }: ServiceCIDR): boolean => metadata.name === DEFAULT_SERVICE_CIDR_NAME;
  return objects
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .toSorted((a, b) => Number(isDefault(b)) - Number(isDefault(a)))
    .flatMap(({ spec }) => spec?.cidrs ?? [])
    .filter(isIpv4Cidr);
}

/** A cluster IP nobody has; undefined when all ranges are full. */
export function allocateClusterIp(used: ReadonlySet<string>, cidrs: readonly string[]): string | undefined {
  for (const cidr of cidrs) {
    const { first, size } = hosts(cidr);
    const found = allocate(first, first + size - 1, chosenCount(size), (value) => used.has(numberToIpv4(value)));
    if (found !== undefined) return numberToIpv4(found);
  }
  return undefined;
}

/** Without the addresses of the network, of the API server and of everybody. */
function hosts(cidr: string): Ipv4Range {
  const { first, size } = ipv4Range(cidr);
  return { first: first + 2, size: Math.max(0, size - 3) };
}

const chosenCount = (size: number): number => Math.min(Math.max(16, Math.floor(size / 16)), 256, size) - 1;

/** A node port nobody has; undefined when the range is full. */
export const allocateNodePort = (used: ReadonlySet<number>): number | undefined =>
  allocate(NODE_PORTS.first, NODE_PORTS.last, CHOSEN_PORTS, (port) => used.has(port));

/** Whether a Service can have the address: one of a range that is not the network's and not everybody's. */
export const isServiceIp = (address: string, cidrs: readonly string[]): boolean =>
  cidrs.some((cidr) => {
    const { first, size } = ipv4Range(cidr);
    return inRange(address, { first: first + 1, size: size - 2 });
  });

/** By chance first, so that writes that do not see each other yet rarely take the same; then one after the other. */
function allocate(
  first: number,
  last: number,
  chosen: number,
  isTaken: (value: number) => boolean,
): number | undefined {
  for (let attempt = 0; attempt < MAX_ATTEMPTS && first + chosen <= last; attempt++) {
    const value = randomInt(first + chosen, last + 1);
    if (!isTaken(value)) return value;
  }
  for (let value = last; value >= first; value--) {
    if (!isTaken(value)) return value;
  }
  return undefined;
}
