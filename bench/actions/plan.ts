/** How much is measured. */
export interface Plan {
  readonly rounds: number;
  /** Calls in a round, one after the other. */
  readonly calls: number;
}

export const FULL: Plan = { rounds: 9, calls: 1_000 };

export const QUICK: Plan = { rounds: 3, calls: 200 };
