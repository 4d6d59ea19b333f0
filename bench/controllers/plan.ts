/** How much is measured. */
export interface Plan {
  /** Simulated nodes. */
  readonly nodes: number;
  readonly vms: number;
  /** How many VMs are on their way at once: the next is created when one runs. */
  readonly atOnce: number;
}

export const FULL: Plan = { nodes: 10, vms: 10_000, atOnce: 200 };

export const QUICK: Plan = { nodes: 10, vms: 1_000, atOnce: 100 };
