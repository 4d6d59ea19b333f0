/** How much is measured. */
export interface Plan {
  readonly rounds: number;
  /** Sets of these sizes are filled and emptied. */
  readonly sizes: readonly number[];
  /** After the first, no round begins that would not be over by then. */
  readonly budgetSeconds: number;
}

export const FULL: Plan = { rounds: 3, sizes: [1000, 10_000], budgetSeconds: 240 };

export const QUICK: Plan = { rounds: 1, sizes: [500], budgetSeconds: 30 };
