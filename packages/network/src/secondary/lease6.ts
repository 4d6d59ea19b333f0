import { createHash } from 'node:crypto';
import type { Lease6 } from '../dhcp6/answer.ts';
import { contains6, toAddress6, toBigInt } from '../ranges6.ts';
import type { Router } from '../router/message.ts';
import { bridgeMac } from './bridgeMac.ts';
import type { BridgeNetwork } from './config.ts';
import type { Ipam } from './ipam.ts';
import type { AddressRange6 } from './ipam6.ts';

/** IPv6 ranges are too large to look at all of their addresses; nodes have far fewer cards than this. */
const MOST_TRIES = 65_536n;

/** The same as for IPv4: an address for a card that nobody has; undefined if there is none. */
export function chooseCardAddress6(
  { ranges6 = [] }: Ipam,
  card: string,
  isTaken: (address: string) => boolean,
): string | undefined {
  const seed = createHash('sha256').update(card).digest().readBigUInt64BE(0);
  for (const range of ranges6) {
    const first = toBigInt(range.first);
    const count = toBigInt(range.last) - first + 1n;
    const tries = count < MOST_TRIES ? count : MOST_TRIES;
    for (let n = 0n; n < tries; n++) {
      const address = toAddress6(first + ((seed + n) % count));
      const isExcluded = range.exclude?.some((each) => contains6(each, address)) ?? false;
      if (address !== range.gateway && !isExcluded && !isTaken(address)) return address;
    }
  }
  return undefined;
}

/** Whether a network still gives out an IPv6 address. */
export const isInRange6 = ({ ranges6 = [] }: Ipam, address: string): boolean =>
  ranges6.some(({ subnet }) => contains6(subnet, address));

/** What DHCPv6 tells a card of its network. */
export const cardLease6 = ({ dns }: Ipam, address: string): Lease6 => ({
  address,
  dnsServers: dns.nameservers6 ?? [],
  search: dns.search,
});

/** The range whose gateway the node is; undefined where it is no IPv6 router. */
export const gatewayRange6 = ({
  isGateway,
  ipam,
}: BridgeNetwork): (AddressRange6 & { gateway: string }) | undefined => {
  const range = isGateway ? ipam?.ranges6?.find(({ gateway }) => gateway !== undefined) : undefined;
  return range?.gateway === undefined ? undefined : { ...range, gateway: range.gateway };
};

/**
 * What guests are told by router advertisements: that addresses come by DHCPv6, which of them are on their own link, and
 * whether the node is a router, to everywhere or to some networks. `network`: `vireo0`.
 */
export function cardRouter(network: string, of: BridgeNetwork, mtu: number): Router {
  const gateway = gatewayRange6(of);
  const routes = gateway
    ? (of.ipam?.routes6 ?? []).filter((route) => (route.gateway ?? gateway.gateway) === gateway.gateway)
    : [];
  const destinations = routes.map(({ destination }) => destination);
  const isDefault = of.isDefaultGateway || destinations.includes(DEFAULT6);
  return {
    mtu,
    isDefault: gateway !== undefined && isDefault,
    prefixes: [...new Set((of.ipam?.ranges6 ?? []).map(({ subnet }) => subnet))],
    routes: destinations.filter((each) => each !== DEFAULT6),
    ...(gateway && { mac: bridgeMac(network, of.bridge) }),
  };
}

/** The range of all addresses. */
export const DEFAULT6 = '::/0';
