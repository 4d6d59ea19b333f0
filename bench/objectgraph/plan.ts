/** How much is measured. */
export interface Plan {
  readonly rounds: number;
  /** Graphs asked for in a round, one after the other. */
  readonly questions: number;
  /** Other VMs in the namespace: few, and many. */
  readonly others: readonly [few: number, many: number];
  /** Dependencies of the VMs that are asked about: few, and many. */
  readonly dependencies: readonly [few: number, many: number];
}

export const FULL: Plan = { rounds: 7, questions: 300, others: [10, 10_000], dependencies: [10, 100] };

export const QUICK: Plan = { rounds: 3, questions: 100, others: [10, 1_000], dependencies: [10, 100] };
