import { createHash } from 'node:crypto';
import type { Lease } from '../dhcp/answer.ts';
import { classlessRoutes, OPTION } from '../dhcp/message.ts';
import { contains, prefixLength, toAddress } from '../ranges.ts';
import type { BridgeNetwork } from './config.ts';
import type { AddressRange, Ipam } from './ipam.ts';

/**
 * An address for a card that nobody has; undefined if there is none. Cards begin at different places, so that the same one
 * finds its address again, and one that was given back is not the next that is given out.
 */
export function chooseCardAddress(ipam: Ipam, card: string, isTaken: (address: string) => boolean): string | undefined {
  const seed = createHash('sha256').update(card).digest().readUInt32BE(0);
  for (const { first, last, gateway, exclude = [] } of ipam.ranges) {
    const count = last - first + 1;
    for (let n = 0; n < count; n++) {
      const address = toAddress(first + ((seed + n) % count));
      if (address !== gateway && !exclude.some((range) => contains(range, address)) && !isTaken(address))
        return address;
    }
  }
  return undefined;
}

/** Whether a network still gives out an address. */
export const isInRange = ({ ranges }: Ipam, address: string): boolean => rangeOf(ranges, address) !== undefined;

/** What DHCP tells a card of its network. */
export function cardLease(network: BridgeNetwork & { readonly ipam: Ipam }, address: string): Lease {
  const { ipam, isDefaultGateway } = network;
  const range = rangeOf(ipam.ranges, address);
  if (!range) throw new Error(`${address} is no address of the network`);
  const routes = ipam.routes.flatMap(({ destination, gateway = range.gateway }) =>
    gateway === undefined ? [] : [{ destination, gateway }],
  );
  const router =
    routes.find(({ destination }) => destination === DEFAULT)?.gateway ??
    (isDefaultGateway ? range.gateway : undefined);
  // Clients that know this option look at no other: the default route is in it, too.
  const others = routes.filter(({ destination }) => destination !== DEFAULT);
  const all = [...others, ...(router === undefined ? [] : [{ destination: DEFAULT, gateway: router }])];
  const { nameservers, search, domain } = ipam.dns;
  return {
    address,
    netmask: toAddress(2 ** 32 - 2 ** (32 - prefixLength(range.subnet))),
    ...(router !== undefined && { router }),
    dnsServers: nameservers,
    search,
    ...(domain !== undefined && { domain }),
    ...(others.length > 0 && { extra: [[OPTION.routes, classlessRoutes(all)] as const] }),
  };
}

const DEFAULT = '0.0.0.0/0';

const rangeOf = (ranges: readonly AddressRange[], address: string): AddressRange | undefined =>
  ranges.find(({ subnet }) => contains(subnet, address));
