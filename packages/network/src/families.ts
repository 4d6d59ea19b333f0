import { isIPv4, isIPv6 } from 'node:net';
import { cidr4, cidr6, ipv4, ipv6 } from './text.ts';

/** An IP family, as Kubernetes names it. */
export type IpFamily = 'IPv4' | 'IPv6';

/** How rules name what belongs to a family, and the checks of its addresses and ranges. */
export const FAMILIES = {
  IPv4: { ip: 'ip', type: 'ipv4_addr', suffix: '', isOf: isIPv4, address: ipv4, range: cidr4 },
  IPv6: { ip: 'ip6', type: 'ipv6_addr', suffix: '6', isOf: isIPv6, address: ipv6, range: cidr6 },
} as const;
