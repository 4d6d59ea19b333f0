import { isIPv4, isIPv6 } from 'node:net';
import { CREATED_BY_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { contains, contains6, nthAddress, nthAddress6 } from '@vireo/network';
import { NAMESPACE } from '../objects.ts';
import type { Scene } from '../scene.ts';
import { differences } from './differences.ts';
import type { KernelNetwork } from './kernel.ts';

/** What guests with IPv6 know the node as. */
const ROUTER = 'fe80::1';

/** A guest that runs, with what API and libvirt say of its card. */
export interface Guest {
  readonly name: string;
  readonly uid: string;
  readonly address: string;
  /** Missing where guests have IPv4 only. */
  readonly address6: string | undefined;
  readonly mac: string;
  readonly device: string;
}

/** The guests that run: addresses by the VMIs' status, devices by libvirt. */
export const guestsOf = ({ vmis, domains = [] }: Scene): Guest[] =>
  vmis.filter(isRunning).map(({ metadata: { name, uid }, status }) => {
    const [iface] = status?.interfaces ?? [];
    const card = domains.find((domain) => domain.name === `${NAMESPACE}_${name}`)?.card;
    const addresses = iface?.ipAddresses ?? [];
    return {
      ...{ name, uid, mac: card?.mac ?? '', device: card?.device ?? '' },
      ...{ address: addresses.find(isIPv4) ?? '', address6: addresses.find(isIPv6) },
    };
  });

/** Devices and addresses of VMIs that do not run just now: they may have what they need to, and need not. */
export function waiting({ vmis, network }: Scene): Set<string> {
  const uids = new Set(vmis.filter((vmi) => !isRunning(vmi)).map(({ metadata }) => metadata.uid));
  const cards = (network?.cards ?? []).filter(({ uid }) => uids.has(uid));
  return new Set(cards.flatMap(({ device, address, address6 = address }) => [device, address, address6]));
}

/** The addresses of a guest, of both families. */
const addressesOf = ({ address, address6 }: Guest): string[] =>
  address6 === undefined ? [address] : [address, address6];

/** Where the cards of guests are not as API and libvirt say, or belong to nobody. */
export function wrongCards(scene: Scene, network: KernelNetwork): string[] {
  const guests = guestsOf(scene);
  const others = waiting(scene);
  const isOurs = (text: string): boolean => !text.split(' . ').some((part) => others.has(part));
  const with6 = guests.filter(({ address6 }) => address6 !== undefined);
  const elements = (
    family: 'inet' | 'arp',
    set: string,
    wanted: (guest: Guest) => string,
    all: readonly Guest[] = guests,
  ): string[] => {
    const found = network.tables[family]?.sets.get(set);
    if (!found) return [`there is no set ${set} of table ${family} ${network.name}`];
    return differences(`set ${set} of table ${family}`, [...found.keys()].filter(isOurs), all.map(wanted));
  };
  const sender = ({ device, mac, address }: Guest): string => `${device} . ${mac} . ${address}`;
  return [
    ...wrongDevice(scene, network),
    ...guests.flatMap((guest) => wrongAddress(guest, scene)),
    ...guests.flatMap((guest) => wrongTap(guest, network)),
    ...differences(
      'taps',
      network.taps.map(({ device }) => device).filter(isOurs),
      guests.map(({ device }) => device),
    ),
    ...network.cards
      .filter(({ uid }) => !scene.vmis.some(({ metadata }) => metadata.uid === uid))
      .map(({ uid }) => `card of VMI ${uid}: belongs to nothing`),
    ...elements('inet', 'taps', ({ device }) => device),
    ...elements('arp', 'taps', ({ device }) => device),
    ...elements('inet', 'senders', sender),
    ...elements('arp', 'senders', sender),
    ...elements('arp', 'probes', ({ device, mac }) => `${device} . ${mac}`),
    ...elements('inet', 'hairpin', ({ address }) => `${address} . ${address}`),
    ...elements('inet', 'cards6', ({ device, mac }) => `${device} . ${mac}`, with6),
    ...elements('inet', 'senders6', ({ device, mac, address6 }) => `${device} . ${mac} . ${address6}`, with6),
    ...elements('inet', 'hairpin6', ({ address6 }) => `${address6} . ${address6}`, with6),
  ];
}

/** The device of the network has the gateway and an address of the node's, and routes to all guests and Services. */
function wrongDevice(scene: Scene, network: KernelNetwork): string[] {
  const { name, isUp, isForwarding, addresses, routes } = network;
  const { clusterCIDR = '', serviceCIDR = '', clusterCIDRv6 = '', serviceCIDRv6 } = scene.ranges ?? {};
  // A host may have no IPv6; then nothing has.
  const hasIpv6 = addresses.some(isIPv6) || guestsOf(scene).some(({ address6 }) => address6 !== undefined);
  const gateways = [nthAddress(clusterCIDR, 1), ...(hasIpv6 ? [nthAddress6(clusterCIDRv6, 1)] : [])];
  const own = addresses.filter((address) => !gateways.includes(address) && isOfNode(address, scene));
  const ranges = [
    clusterCIDR,
    serviceCIDR,
    ...(hasIpv6 ? [clusterCIDRv6, ...(serviceCIDRv6 ? [serviceCIDRv6] : [])] : []),
  ];
  return [
    ...(isUp ? [] : [`${name} is down`]),
    ...(isForwarding ? [] : ['the host does not forward packets']),
    ...(own.length === gateways.length ? [] : [`${name} has ${own.length} addresses of the node`]),
    ...differences(`addresses of ${name}`, addresses, [...gateways, ...own]),
    ...differences(`routes of ${name}`, routes, ranges),
  ];
}

/** Whether an address is of the ranges that the node has for its guests. */
const isOfNode = (address: string, { nodes }: Scene): boolean =>
  (nodes[0]?.spec?.podCIDRs ?? []).some((range) =>
    range.includes(':') ? isIPv6(address) && contains6(range, address) : isIPv4(address) && contains(range, address),
  );

function wrongAddress(guest: Guest, scene: Scene): string[] {
  const { name, uid, address, address6 } = guest;
  const others = guestsOf(scene).filter(
    (other) => other.uid !== uid && (other.address === address || (address6 && other.address6 === address6)),
  );
  const pods = scene.pods.filter(
    ({ metadata, status }) => metadata.labels?.[CREATED_BY_LABEL] === uid && status?.phase === 'Running',
  );
  const own = addressesOf(guest);
  if (!address) return [`${name}: its VMI has no address`];
  return [
    ...others.map((other) => `${name} and ${other.name} both have ${address}`),
    ...pods
      .map(({ status }) => (status?.podIPs ?? []).map(({ ip }) => ip).join(' '))
      .filter((found) => found !== own.join(' '))
      .map((found) => `${name}: its VMI has the address ${own.join(' ')}, its pod ${found}`),
    ...own.filter((each) => !isOfNode(each, scene)).map((each) => `${name}: its address ${each} is not of the node`),
  ];
}

function wrongTap(guest: Guest, { taps, cards }: KernelNetwork): string[] {
  const { name, uid, device, address6, mac } = guest;
  const own = addressesOf(guest);
  const tap = taps.find((each) => each.device === device);
  // That it is missing is said elsewhere.
  if (!tap) return [];
  const noted = cards.find((card) => card.uid === uid);
  return [
    ...(tap.isUp ? [] : [`${name}: its tap ${device} is down`]),
    ...(tap.hasCarrier ? [] : [`${name}: nobody has its tap ${device} open`]),
    ...differences(`${name}: routes of ${device}`, tap.routes, own),
    ...differences(
      `${name}: neighbours of ${device}`,
      tap.neighbours,
      own.map((each) => `${each} ${mac}`),
    ),
    ...differences(`${name}: addresses of ${device}`, tap.addresses, address6 === undefined ? [] : [ROUTER]),
    ...(tap.mtu === noted?.mtu ? [] : [`${name}: its tap ${device} has mtu ${tap.mtu}, its card ${noted?.mtu}`]),
    ...tap.wrongSettings.map((setting) => `${name}: its tap ${device} has ${setting}`),
  ];
}
