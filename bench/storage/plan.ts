/** How much is measured. */
export interface Plan {
  readonly rounds: number;
  /** Of the disk; half of it is data, the rest a hole. */
  readonly diskMib: number;
  /** For all rounds together: a busy host makes fewer of them, not a longer wait. */
  readonly budgetSeconds: number;
}

export const FULL: Plan = { rounds: 5, diskMib: 1024, budgetSeconds: 90 };

/** Two rounds, for the first warms up: what has never run is compiled while it runs. */
export const QUICK: Plan = { rounds: 2, diskMib: 256, budgetSeconds: 40 };
