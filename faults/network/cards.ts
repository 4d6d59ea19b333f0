import { CREATED_BY_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { contains, nthAddress } from '@vireo/network';
import { NAMESPACE } from '../objects.ts';
import type { Scene } from '../scene.ts';
import { differences } from './differences.ts';
import type { KernelNetwork } from './kernel.ts';

/** A guest that runs, with what API and libvirt say of its card. */
export interface Guest {
  readonly name: string;
  readonly uid: string;
  readonly address: string;
  readonly mac: string;
  readonly device: string;
}

/** The guests that run: addresses by the VMIs' status, devices by libvirt. */
export const guestsOf = ({ vmis, domains = [] }: Scene): Guest[] =>
  vmis.filter(isRunning).map(({ metadata: { name, uid }, status }) => {
    const [iface] = status?.interfaces ?? [];
    const card = domains.find((domain) => domain.name === `${NAMESPACE}_${name}`)?.card;
    return { name, uid, address: iface?.ipAddress ?? '', mac: card?.mac ?? '', device: card?.device ?? '' };
  });

/** Devices and addresses of VMIs that do not run just now: they may have what they need to, and need not. */
export function waiting({ vmis, network }: Scene): Set<string> {
  const uids = new Set(vmis.filter((vmi) => !isRunning(vmi)).map(({ metadata }) => metadata.uid));
  const cards = (network?.cards ?? []).filter(({ uid }) => uids.has(uid));
  return new Set(cards.flatMap(({ device, address }) => [device, address]));
}

/** Where the cards of guests are not as API and libvirt say, or belong to nobody. */
export function wrongCards(scene: Scene, network: KernelNetwork): string[] {
  const guests = guestsOf(scene);
  const others = waiting(scene);
  const isOurs = (text: string): boolean => !text.split(' . ').some((part) => others.has(part));
  const elements = (family: 'inet' | 'arp', set: string, wanted: (guest: Guest) => string): string[] => {
    const found = network.tables[family]?.sets.get(set);
    if (!found) return [`there is no set ${set} of table ${family} ${network.name}`];
    return differences(`set ${set} of table ${family}`, [...found.keys()].filter(isOurs), guests.map(wanted));
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
  ];
}

/** The device of the network has the gateway and an address of the node's, and routes to all guests and Services. */
function wrongDevice({ nodes, ranges }: Scene, network: KernelNetwork): string[] {
  const { name, isUp, isForwarding, addresses, routes } = network;
  const podRange = nodes[0]?.spec?.podCIDR ?? '';
  const gateway = ranges ? nthAddress(ranges.clusterCIDR, 1) : '';
  const own = addresses.filter((address) => address !== gateway && contains(podRange, address));
  return [
    ...(isUp ? [] : [`${name} is down`]),
    ...(isForwarding ? [] : ['the host does not forward packets']),
    ...(own.length === 1 ? [] : [`${name} has ${own.length} addresses of the node`]),
    ...differences(`addresses of ${name}`, addresses, [gateway, ...own]),
    ...differences(`routes of ${name}`, routes, ranges ? [ranges.clusterCIDR, ranges.serviceCIDR] : []),
  ];
}

function wrongAddress({ name, uid, address }: Guest, scene: Scene): string[] {
  const others = guestsOf(scene).filter((other) => other.uid !== uid && other.address === address);
  const pods = scene.pods.filter(
    ({ metadata, status }) => metadata.labels?.[CREATED_BY_LABEL] === uid && status?.phase === 'Running',
  );
  const range = scene.nodes[0]?.spec?.podCIDR ?? '';
  if (!address) return [`${name}: its VMI has no address`];
  return [
    ...others.map((other) => `${name} and ${other.name} both have ${address}`),
    ...pods
      .filter(({ status }) => status?.podIP !== address)
      .map(({ status }) => `${name}: its VMI has the address ${address}, its pod ${status?.podIP}`),
    ...(contains(range, address) ? [] : [`${name}: its address ${address} is not of ${range}`]),
  ];
}

function wrongTap({ name, uid, device, address, mac }: Guest, { taps, cards }: KernelNetwork): string[] {
  const tap = taps.find((each) => each.device === device);
  // That it is missing is said elsewhere.
  if (!tap) return [];
  const noted = cards.find((card) => card.uid === uid);
  return [
    ...(tap.isUp ? [] : [`${name}: its tap ${device} is down`]),
    ...(tap.hasCarrier ? [] : [`${name}: nobody has its tap ${device} open`]),
    ...differences(`${name}: routes of ${device}`, tap.routes, [address]),
    ...differences(`${name}: neighbours of ${device}`, tap.neighbours, [`${address} ${mac}`]),
    ...(tap.mtu === noted?.mtu ? [] : [`${name}: its tap ${device} has mtu ${tap.mtu}, its card ${noted?.mtu}`]),
    ...tap.wrongSettings.map((setting) => `${name}: its tap ${device} has ${setting}`),
  ];
}
