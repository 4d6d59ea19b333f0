/** How much is measured. */
export interface Plan {
  readonly rounds: number;
  /** How many machines are started in a round, by how many are on their way at a time. */
  readonly batches: readonly { readonly atOnce: number; readonly machines: number }[];
  /** How many run while memory and file descriptors are counted. */
  readonly running: number;
  /** For all rounds together: a busy machine makes fewer of them, not a longer wait. */
  readonly budgetSeconds: number;
}

export const FULL: Plan = {
  rounds: 5,
  batches: [
    { atOnce: 1, machines: 4 },
    { atOnce: 4, machines: 8 },
    { atOnce: 8, machines: 16 },
  ],
  running: 20,
  budgetSeconds: 150,
};

export const QUICK: Plan = {
  rounds: 3,
  batches: [
    { atOnce: 1, machines: 3 },
    { atOnce: 4, machines: 4 },
    { atOnce: 8, machines: 8 },
  ],
  running: 10,
  budgetSeconds: 60,
};
