import { isControlledBy, isDeleting, isFinal, type Vmi } from '../kinds.ts';
import { type ReplicaSet, selects } from './set.ts';

/** Whose an instance is, and whose it should be. */
export interface Membership {
  /** Those that the set controls and selects. */
  readonly members: readonly Vmi[];
  /** Those that it controls and no longer selects. */
  readonly toRelease: readonly Vmi[];
  /** Those that it selects and nobody controls. */
  readonly toAdopt: readonly Vmi[];
}

/** `candidates`: instances that the set controls, or that nobody does and that may be the set's to take. */
export function membership(set: ReplicaSet, candidates: Iterable<Vmi>): Membership {
  const [members, toRelease, toAdopt]: [Vmi[], Vmi[], Vmi[]] = [[], [], []];
  for (const vmi of candidates) {
    const isSelected = selects(set, vmi.metadata.labels);
    if (isControlledBy(vmi, set)) {
      if (isSelected) members.push(vmi);
      else if (!isDeleting(vmi)) toRelease.push(vmi);
    } else if (isSelected && isFree(vmi)) toAdopt.push(vmi);
  }
  return { members, toRelease, toAdopt };
}

/** Whether an instance may be adopted: it lives and is nobody's. One that has ended would be adopted to be deleted. */
export const isFree = (vmi: Vmi): boolean => !isControlled(vmi) && !isDeleting(vmi) && !isFinal(vmi);

const isControlled = ({ metadata }: Vmi): boolean =>
  metadata.ownerReferences?.some(({ controller }) => controller) ?? false;
