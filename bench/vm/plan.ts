/** How much is measured. */
export interface Plan {
  readonly rounds: number;
  /** How many VMs are started in a round, by how many are on their way at a time. */
  readonly batches: readonly { readonly atOnce: number; readonly vms: number }[];
  /** How many run while memory and file descriptors are counted. */
  readonly running: number;
  /** For all rounds together: a busy host makes fewer of them, not a longer wait. */
  readonly budgetSeconds: number;
}

export const FULL: Plan = {
  rounds: 5,
  batches: [
    { atOnce: 1, vms: 4 },
    { atOnce: 4, vms: 8 },
    { atOnce: 8, vms: 16 },
  ],
  running: 20,
  budgetSeconds: 150,
};

export const QUICK: Plan = {
  rounds: 3,
  batches: [
    { atOnce: 1, vms: 3 },
    { atOnce: 4, vms: 4 },
    { atOnce: 8, vms: 8 },
  ],
  running: 10,
  budgetSeconds: 60,
};
