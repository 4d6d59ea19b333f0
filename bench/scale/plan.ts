/** How much is measured. */
export interface Plan {
  /** Simulated nodes; each number is a server of its own. */
  readonly nodes: readonly number[];
  /** VMs, few and many: the cost of each should be the same. */
  readonly few: number;
  readonly many: number;
  /** Made and removed before, so that it is not the compiler that is measured. */
  readonly warmUp: number;
  /** How many are on their way at once: the next is asked for when one runs. */
  readonly atOnce: number;
}

export const FULL: Plan = { nodes: [1, 10, 100], few: 1_000, many: 10_000, warmUp: 1_000, atOnce: 200 };

export const QUICK: Plan = { nodes: [1, 10, 100], few: 200, many: 1_000, warmUp: 200, atOnce: 100 };
