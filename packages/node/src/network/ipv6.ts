import type { NetworkConfig } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import {
  CommandError,
  canonicalRange6,
  contains,
  contains6,
  hasIpv6,
  nthAddress6,
  type Plan6,
  parseRange,
  parseRange6,
  run,
  toNumber,
} from '@vireo/network';

/** What every link must carry (RFC 8200). */
const SMALLEST_MTU = 1280;

/** Why the guests of a node have IPv4 only; undefined if they can have IPv6, too. */
export async function ipv6Problem(podRange6: string | undefined, mtu: number): Promise<string | undefined> {
  if (podRange6 === undefined) return 'the node has no IPv6 range in spec.podCIDRs';
  if (mtu < SMALLEST_MTU)
    return `packets between nodes hold ${mtu} bytes, and IPv6 needs ${SMALLEST_MTU}; raise the MTU of the nodes’ own network`;
  return hostIpv6Problem();
}

/** Why this host can give guests no IPv6 addresses. */
export async function hostIpv6Problem(): Promise<string | undefined> {
  if (!(await hasIpv6()))
    return 'this host has no IPv6, or net.ipv6.conf.all.disable_ipv6 or …default.disable_ipv6 is 1';
  try {
    await run('perl', ['-MSocket=IPPROTO_ICMPV6', '-e', '']);
    return undefined;
  } catch (error) {
    const why = error instanceof CommandError ? error.stderr : String(error);
    return `router advertisements need Perl with the module Socket; install the package perl-base (${why})`;
  }
}

/** The IPv6 addresses of a network. A range that is not part of the cluster's stands for itself. */
export function plan6(podRange: string, podRange6: string, config: NetworkConfig): Plan6 {
  const cluster = config.clusterCIDRv6;
  const isPart = cluster !== undefined && contains6(cluster, podRange6.split('/')[0] ?? '');
  const clusterRange = canonicalRange6(isPart ? cluster : podRange6);
  return {
    gateway: nthAddress6(clusterRange, 1),
    own: nodeAddress6(podRange, podRange6),
    podRange: canonicalRange6(podRange6),
    clusterRange,
    ...(config.serviceCIDRv6 && { serviceRange: canonicalRange6(config.serviceCIDRv6) }),
  };
}

/** The address of a node itself in the IPv6 range of its guests: it goes with its IPv4 address. */
export const nodeAddress6 = (podRange: string, podRange6: string): string =>
  nthAddress6(podRange6, parseRange(podRange).size - 2);

/**
 * The IPv6 address that goes with an IPv4 address of a node's range: the same number in the IPv6 range. So whoever has the one
 * has the other. Undefined where the IPv6 range is too small for it, or the IPv4 address is not of the range.
 */
export function address6For(podRange: string, podRange6: string, address: string): string | undefined {
  const number = toNumber(address) - parseRange(podRange).first;
  return contains(podRange, address) && number < parseRange6(podRange6).size
    ? nthAddress6(podRange6, number)
    : undefined;
}
