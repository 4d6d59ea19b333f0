import { DEFAULT_NETWORK, DEFAULT_NODE_CIDR_MASK_SIZE } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { ConfigurationInvalid } from './configurationInvalid.ts';
import { ipv4Range, isIpv4Cidr, overlap } from './strategies/core/addresses.ts';

/** Where the addresses of pods and Services come from. */
export interface NetworkRanges {
  /** Of all pods. */
  readonly clusterCIDR: string;
  /** The length of the prefix of a Node's part of it. */
  readonly nodeCIDRMaskSize: number;
  /** Of Services. */
  readonly serviceCIDR: string;
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

const prefixOf = (cidr: string): number => Number(cidr.split('/')[1]);
