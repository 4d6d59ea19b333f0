/** How much is measured. */
export interface Plan {
  readonly rounds: number;
  /** Calls in a round, one after the other: few, so that a noisy neighbour hits all contestants alike. */
  readonly calls: number;
}

export const FULL: Plan = { rounds: 61, calls: 100 };

export const QUICK: Plan = { rounds: 15, calls: 50 };
