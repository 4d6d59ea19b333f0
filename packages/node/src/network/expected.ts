import { CARD_SETTINGS, type NetworkPlan, ROUTER_ADDRESS } from '@vireo/network';
import type { GuestCard } from './cards.ts';

/** What the device of a network has, as `ip` prints it. */
export const expectedOfNetwork = ({ gateway, own, clusterRange, serviceRange, ipv6 }: NetworkPlan): Set<string> =>
  new Set([
    'link',
    ...[gateway, own].map((address) => `address ${address}/32`),
    ...[clusterRange, serviceRange].map((range) => `route ${range}`),
    ...(ipv6 ? [ipv6.gateway, ipv6.own].map((address) => `address ${address}/128`) : []),
    ...(ipv6 ? [ipv6.clusterRange, ...(ipv6.serviceRange ? [ipv6.serviceRange] : [])] : []).map(
      (range) => `route ${range}`,
    ),
  ]);

/** What a card has, as `ip` prints it. */
export const expectedOfCard = ({ address, address6, isIncoming }: GuestCard, hasIpv6: boolean): Set<string> =>
  new Set([
    'link',
    ...CARD_SETTINGS,
    ...[address, ...(hasIpv6 && address6 !== undefined ? [address6] : [])].flatMap((each) => [
      // To a guest that is on another node still, none leads here.
      ...(isIncoming ? [] : [`route ${each}`]),
      `neighbour ${each}`,
    ]),
    ...(hasIpv6 && address6 !== undefined ? [`address ${ROUTER_ADDRESS}/64`] : []),
  ]);
