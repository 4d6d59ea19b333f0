import { WORK_LIMIT } from '../cel/index.ts';

/**
 * What compiling the rules of one definition, and running them on its defaults, may take altogether. It is counted
 * down. Kubernetes has no such limit; it can do other things meanwhile.
 */
export interface Allowance {
  /** Characters of rules. A rule is compiled again for every default that it applies to. */
  text: number;
  work: number;
}

/** About half a second each. */
export const newAllowance = (): Allowance => ({ text: 400_000, work: 10 * WORK_LIMIT });
