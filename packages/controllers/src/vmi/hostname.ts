import { createHash } from 'node:crypto';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

const LONGEST_LABEL = 63;

/** A VMI's name as a label value: names too long for one are cut and told apart by a checksum. */
export function vmiId({ metadata }: Vmi): string {
  const { name } = metadata;
  if (name.length <= LONGEST_LABEL) return name;
  const checksum = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, LONGEST_LABEL - checksum.length - 1).replace(/[-.]+$/, '')}-${checksum}`;
}
