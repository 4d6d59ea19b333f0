import { writeFile } from 'node:fs/promises';
import { forwardIpv6 } from '../forwarding6.ts';
import { batch } from '../links.ts';
import { canonical6 } from '../ranges6.ts';
import { run } from '../run.ts';
import { device, hostDevice, ipv6, mac } from '../text.ts';
import { bridgeMac } from './bridgeMac.ts';
import type { SecondaryCard } from './card.ts';
import type { BridgeNetwork } from './config.ts';
import { gatewayRange6 } from './lease6.ts';

/** As whom the node speaks to a card of a network in which it is no router. Nobody answers: requests are caught at the tap. */
const SERVER = 'fe80::67';
/** Stands for the guest, whose own link-local address the node does not know. */
const GUEST = 'fe80::66';

/** The link-local address that goes with a hardware address (RFC 4291, appendix A). */
function linkLocal(hardware: string): string {
  const [a = '0', b, c, d, e, f] = mac(hardware).split(':');
  const first = (Number.parseInt(a, 16) ^ 2).toString(16);
  return canonical6(`fe80::${first}${b}:${c}ff:fe${d}:${e}${f}`);
}

/** The node's link-local address as the cards of a network see it: where it is their router, that of its bridge. */
export const serverAddress6 = (network: string, of: BridgeNetwork): string =>
  gatewayRange6(of) ? linkLocal(bridgeMac(network, of.bridge)) : SERVER;

/**
 * The commands that let the node speak to a card by IPv6. Whatever is for the link of the card goes to its guest, with no
 * need to ask who is there: the answer would come to the bridge.
 */
export function cardLines6(
  network: string,
  { device: name, mac: hardware, network: of, dhcp }: SecondaryCard,
): string[] {
  if (of.type !== 'bridge' || dhcp?.address6 === undefined) return [];
  return [
    `addr replace ${serverAddress6(network, of)}/128 dev ${device(name)} nodad noprefixroute`,
    `neigh replace ${GUEST} lladdr ${mac(hardware)} dev ${name} nud permanent`,
    // Each with a metric of its own, or one would take the place of another.
    `route replace fe80::/64 via ${GUEST} dev ${name} onlink metric ${dhcp.number}`,
  ];
}

/** A router listens to no other, and has the addresses that it is given only. */
const SETTINGS = { accept_ra: '0', autoconf: '0', accept_redirects: '0', addr_gen_mode: '1', disable_ipv6: '0' };

/** Makes a bridge of ours the IPv6 router of its network, where it is to be. */
export async function openBridge6(network: string, of: BridgeNetwork): Promise<void> {
  const range = gatewayRange6(of);
  if (!range) return;
  const name = hostDevice(of.bridge);
  for (const [setting, value] of Object.entries(SETTINGS))
    await writeFile(`/proc/sys/net/ipv6/conf/${name}/${setting}`, value);
  await batch([
    `addr replace ${ipv6(range.gateway)}/${range.subnet.split('/')[1]} dev ${name} nodad`,
    `addr replace ${serverAddress6(network, of)}/64 dev ${name} nodad`,
  ]);
  await forwardIpv6();
}

/** The IPv6 networks that this host has routes to, but for those of devices. */
export async function readRoutes6(except: readonly string[]): Promise<string[]> {
  const routes = JSON.parse((await run('ip', ['-j', '-6', 'route', 'show', 'table', 'all'])) || '[]') as {
    dst?: string;
    dev?: string;
  }[];
  return routes.flatMap(({ dst, dev }) => {
    const isOfLink = dst === undefined || dst === 'default' || /^(fe80|ff)/.test(dst) || except.includes(dev ?? '');
    return isOfLink ? [] : [dst.includes('/') ? dst : `${dst}/128`];
  });
}
