import { createHash } from 'node:crypto';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { Pod } from '@vireo/api';
import { contains, contains6, guestAddresses } from '@vireo/network';

/**
 * An address of the node's range that nobody has; undefined if there is none. VMIs begin at different places, so that an
 * address that was given back is not the next that is given out: others may still remember whose it was.
 */
export function chooseAddress(range: string, uid: string, isTaken: (address: string) => boolean): string | undefined {
  const all = [...guestAddresses(range)];
  const start = createHash('sha256').update(uid).digest().readUInt32BE(0) % Math.max(1, all.length);
  return [...all.slice(start), ...all.slice(0, start)].find((address) => !isTaken(address));
}

/**
 * The address of a range that a VMI has on another node, if it runs there: it brings it along when it moves here. `pods`: of
 * the VMI.
 */
export const broughtAddress = (pods: readonly Pod[], node: string, clusterRange: string): string | undefined =>
  pods
    .filter(({ spec, status }) => spec?.nodeName !== node && status?.phase === 'Running')
    .flatMap(podAddresses)
    .find((address) => isIn(clusterRange, address));

/** Whether an address is of a range, and of its family. */
export const isIn = (range: string, address: string): boolean =>
  range.includes(':') ? isIPv6(address) && contains6(range, address) : isIPv4(address) && contains(range, address);

/** The addresses of a pod, of both families. */
export function podAddresses({ status }: Pod): string[] {
  const all = status?.podIPs?.map(({ ip }) => ip ?? '') ?? [status?.podIP ?? ''];
  return all.filter((address) => isIP(address) !== 0);
}

/** The name of a card's tap: no two cards of a host have the same. */
export const tapName = (uid: string, iface: string): string =>
  `vt${createHash('sha256').update(`${uid}/${iface}`).digest('hex').slice(0, 12)}`;

/** Whether a device may be the tap of a card. */
export const isTapName = (device: string): boolean => device.startsWith('vt');
