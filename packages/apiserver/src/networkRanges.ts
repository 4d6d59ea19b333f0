import {
  DEFAULT_NETWORK,
  DEFAULT_NODE_CIDR_MASK_SIZE,
  NODE_CIDR_MASK_SIZE_V6,
} from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { ConfigurationInvalid } from './configurationInvalid.ts';
import { ipv4Range, isInCidr, isIpv4Cidr, isIpv6Cidr, overlap } from './strategies/core/addresses.ts';

/** Where the addresses of pods and Services come from. */
export interface NetworkRanges {
  /** Of all pods. */
  readonly clusterCIDR: string;
  /** The length of the prefix of a Node's part of it. */
  readonly nodeCIDRMaskSize: number;
  /** Of all pods, by IPv6; missing in a cluster without it. */
  readonly clusterCIDRv6?: string;
  /** Of Services. */
  readonly serviceCIDR: string;
  /** Of Services, by IPv6; missing where they have IPv4 addresses only. */
  readonly serviceCIDRv6?: string;
}

/** What a server has that is not told otherwise. */
export const DEFAULT_RANGES: NetworkRanges = {
  clusterCIDR: DEFAULT_NETWORK.clusterCIDR,
  nodeCIDRMaskSize: DEFAULT_NODE_CIDR_MASK_SIZE,
  serviceCIDR: DEFAULT_NETWORK.serviceCIDR,
};

/** The most ranges that Nodes can have, as in Kubernetes: more would be a mistake. */
const MAX_NODE_BITS = 16;
/** A guest needs an address beside those of the network, the gateway, the node and everybody. */
const LONGEST_NODE_PREFIX = 29;
const LONGEST_SERVICE_PREFIX = 28;
/** As in Kubernetes: a larger range has addresses that no Service ever gets. */
const LARGEST_SERVICE_PREFIX_V6 = 108;
const LONGEST_SERVICE_PREFIX_V6 = 124;

/** The ranges with defaults for what is missing. Throws where they do not fit together, and says why. */
export function networkRanges(given: Partial<NetworkRanges> = {}): NetworkRanges {
  const ranges = { ...DEFAULT_RANGES, ...given };
  const { clusterCIDR, nodeCIDRMaskSize, serviceCIDR } = ranges;
  for (const cidr of [clusterCIDR, serviceCIDR])
    if (!isIpv4Cidr(cidr))
      throw new ConfigurationInvalid(`${cidr} is not a range of IPv4 addresses such as 10.244.0.0/16`);
  const bits = nodeCIDRMaskSize - prefixOf(clusterCIDR);
  if (bits < 0 || bits > MAX_NODE_BITS || nodeCIDRMaskSize > LONGEST_NODE_PREFIX)
    throw new ConfigurationInvalid(
      `Nodes cannot have a /${nodeCIDRMaskSize} of ${clusterCIDR}: a Node’s prefix is between /${prefixOf(clusterCIDR)} and ` +
        `/${Math.min(prefixOf(clusterCIDR) + MAX_NODE_BITS, LONGEST_NODE_PREFIX)}`,
    );
  checkRanges6(ranges);
  if (prefixOf(serviceCIDR) > LONGEST_SERVICE_PREFIX)
    throw new ConfigurationInvalid(
      `${serviceCIDR} is too small for Services: use /${LONGEST_SERVICE_PREFIX} or larger`,
    );
  if (overlap(ipv4Range(clusterCIDR), ipv4Range(serviceCIDR)))
    throw new ConfigurationInvalid(
      `the range of pods, ${clusterCIDR}, and the range of Services, ${serviceCIDR}, overlap`,
    );
  return ranges;
}

function checkRanges6({ clusterCIDRv6: cluster, serviceCIDRv6: services }: NetworkRanges): void {
  for (const [range, example] of [
    [cluster, 'fd00:10:244::/56'],
    [services, 'fd00:10:96::/112'],
  ])
    if (range !== undefined && !isIpv6Cidr(range))
      throw new ConfigurationInvalid(`${range} is not a range of IPv6 addresses such as ${example}`);
  const bits = cluster === undefined ? 0 : NODE_CIDR_MASK_SIZE_V6 - prefixOf(cluster);
  if (bits < 0 || bits > MAX_NODE_BITS)
    throw new ConfigurationInvalid(
      `Nodes cannot have a /${NODE_CIDR_MASK_SIZE_V6} of ${cluster}: its prefix is between ` +
        `/${NODE_CIDR_MASK_SIZE_V6 - MAX_NODE_BITS} and /${NODE_CIDR_MASK_SIZE_V6}`,
    );
  if (services === undefined) return;
  if (prefixOf(services) < LARGEST_SERVICE_PREFIX_V6 || prefixOf(services) > LONGEST_SERVICE_PREFIX_V6)
    throw new ConfigurationInvalid(
      `${services} cannot be the range of Services: its prefix is between /${LARGEST_SERVICE_PREFIX_V6} and ` +
        `/${LONGEST_SERVICE_PREFIX_V6}`,
    );
  if (cluster !== undefined && (isInCidr(addressOf(services), cluster) || isInCidr(addressOf(cluster), services)))
    throw new ConfigurationInvalid(`the range of pods, ${cluster}, and the range of Services, ${services}, overlap`);
}

const addressOf = (cidr: string): string => cidr.split('/')[0] ?? '';

const prefixOf = (cidr: string): number => Number(cidr.split('/')[1]);
