import { createHash } from 'node:crypto';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { generateName } from '@vireo/api/names.ts';

/** As long as a name may be; only names of VMIs that are nearly so are cut. */
const LONGEST_PREFIX = 253;

/** What the name of a VMI's launcher is generated from. */
export const launcherPrefix = ({ metadata }: Vmi): string =>
  `${`virt-launcher-${metadata.name}`.slice(0, LONGEST_PREFIX - 1).replace(/[.-]+$/, '')}-`;

/**
 * The name of a VMI's launcher. It looks like any generated name but follows from the VMI's uid, or from that of the
 * migration that it is made for: however often, and by however many controllers, it is created, there is one.
 */
export function launcherName(vmi: Vmi, uid: string = vmi.metadata.uid): string {
  const bytes = createHash('sha256').update(uid).digest();
  let next = 0;
  return generateName(launcherPrefix(vmi), () => bytes.readUInt32BE(4 * next++) / 2 ** 32);
}
