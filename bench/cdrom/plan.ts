/** How much is measured. */
export interface Plan {
  readonly rounds: number;
  /** For all rounds together: a busy host makes fewer of them, not a longer wait. */
  readonly budgetSeconds: number;
}

export const FULL: Plan = { rounds: 30, budgetSeconds: 90 };

export const QUICK: Plan = { rounds: 5, budgetSeconds: 20 };
