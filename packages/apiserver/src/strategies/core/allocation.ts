import { randomInt } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import type { ServiceCIDR } from '@vireo/api';
import { DEFAULT_NETWORK } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import type { Lookup } from '../strategy.ts';
import {
  addressRange,
  addressToNumber,
  ipv4Range,
  isIpv4Cidr,
  isIpv6Cidr,
  numberToAddress,
  numberToIpv4,
} from './addresses.ts';
import type { IpFamily } from './serviceFamilies.ts';

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

/** The ranges that cluster IPs come from now, of both families; the server's own come first. */
export function serviceCidrs(lookup: Pick<Lookup, 'list'>): string[] {
  const objects = lookup.list('networking.k8s.io', 'servicecidrs') as unknown as ServiceCIDR[];
  if (objects.length === 0) return [DEFAULT_SERVICE_CIDR];
  const isDefault = ({ metadata }: ServiceCIDR): boolean => metadata.name === DEFAULT_SERVICE_CIDR_NAME;
  return objects
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .toSorted((a, b) => Number(isDefault(b)) - Number(isDefault(a)))
    .flatMap(({ spec }) => spec?.cidrs ?? [])
    .filter((cidr) => isIpv4Cidr(cidr) || isIpv6Cidr(cidr));
}

/** The ranges of a family. */
export const cidrsOf = (family: IpFamily, cidrs: readonly string[]): string[] =>
  cidrs.filter((cidr) => isIPv6(cidr.split('/')[0] ?? '') === (family === 'IPv6'));

/** The families that Services can have. */
export const familiesIn = (cidrs: readonly string[]): IpFamily[] => [
  'IPv4',
  ...(cidrsOf('IPv6', cidrs).length > 0 ? (['IPv6'] as const) : []),
];

/** Of a range that is larger, Services have the first addresses only. */
const MAX_ADDRESSES = 2 ** 20;

/** A cluster IP nobody has; undefined when all ranges are full. */
export function allocateClusterIp(used: ReadonlySet<string>, cidrs: readonly string[]): string | undefined {
  for (const cidr of cidrs) {
    const { family, first, size } = addressRange(cidr);
    const addressAt = (offset: number): string => numberToAddress(first + BigInt(offset), family);
    // Without the addresses of the network, of the API server and, by IPv4, of everybody.
    const last = Math.min(Number(size), MAX_ADDRESSES) - (family === 4 ? 2 : 1);
    const found = allocate(2, last, chosenCount(Math.max(0, last - 1)), (offset) => used.has(addressAt(offset)));
    if (found !== undefined) return addressAt(found);
  }
  return undefined;
}

const chosenCount = (size: number): number => Math.min(Math.max(16, Math.floor(size / 16)), 256, size) - 1;

/** A node port nobody has; undefined when the range is full. */
export const allocateNodePort = (used: ReadonlySet<number>): number | undefined =>
  allocate(NODE_PORTS.first, NODE_PORTS.last, CHOSEN_PORTS, (port) => used.has(port));

/** Whether a Service can have the address: one of a range that is not the network's and not everybody's. */
export const isServiceIp = (address: string, cidrs: readonly string[]): boolean =>
  cidrs.some((cidr) => {
    const { family, first, size } = addressRange(cidr);
    if (isIP(address) !== family) return false;
    const value = addressToNumber(address);
    return value > first && value < first + size - (family === 4 ? 1n : 0n);
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
