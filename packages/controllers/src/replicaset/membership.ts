import { isDeleting, isFinal, type Vmi } from '../kinds.ts';
import { type Standing, standingOf } from './standing.ts';

/** What an instance is to the set that controls it. `stranger`: it is no longer selected, and to be let go. */
export type Place = Standing | 'stranger';

export function placeOf(vmi: Vmi, isSelected: boolean): Place {
  const standing = standingOf(vmi);
  return isSelected || standing === 'going' ? standing : 'stranger';
}

/** Whether an instance may be adopted: it lives and is nobody's. One that has ended would be adopted to be deleted. */
export const isFree = (vmi: Vmi): boolean => !isControlled(vmi) && !isDeleting(vmi) && !isFinal(vmi);

const isControlled = ({ metadata }: Vmi): boolean =>
  metadata.ownerReferences?.some(({ controller }) => controller) ?? false;
