import { createHash } from 'node:crypto';
import { guestAddresses } from '@vireo/network';

/**
 * An address of the node's range that nobody has; undefined if there is none. VMIs begin at different places, so that an
 * address that was given back is not the next that is given out: others may still remember whose it was.
 */
export function chooseAddress(range: string, uid: string, isTaken: (address: string) => boolean): string | undefined {
  const all = [...guestAddresses(range)];
  const start = createHash('sha256').update(uid).digest().readUInt32BE(0) % Math.max(1, all.length);
  return [...all.slice(start), ...all.slice(0, start)].find((address) => !isTaken(address));
}

/** The name of a card's tap: no two cards of a host have the same. */
export const tapName = (uid: string, iface: string): string =>
  `vt${createHash('sha256').update(`${uid}/${iface}`).digest('hex').slice(0, 12)}`;
