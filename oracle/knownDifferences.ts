import type { Step } from './case.ts';
import type { Difference } from './compare.ts';

/** A difference that is meant to be, and why. */
export interface KnownDifference {
  readonly name: string;
  readonly reason: string;
  readonly matches: (difference: Difference, step: Step) => boolean;
}

/** What is not an error of ours; everything else is. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [];
