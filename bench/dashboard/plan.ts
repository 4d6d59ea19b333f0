/** How much is measured. */
export interface Plan {
  readonly machines: number;
  /** How often the page is opened. */
  readonly loads: number;
  /** How many changes are timed until they are drawn. */
  readonly updates: number;
  /** Changes of machines a second while the list is scrolled, and while memory is watched. */
  readonly changesPerSecond: number;
  readonly scrollSeconds: number;
  readonly churnSeconds: number;
}

export const FULL: Plan = {
  machines: 5_000,
  loads: 5,
  updates: 40,
  changesPerSecond: 20,
  scrollSeconds: 15,
  churnSeconds: 600,
};

export const QUICK: Plan = { ...FULL, machines: 1_000, loads: 2, updates: 10, scrollSeconds: 5, churnSeconds: 15 };

/** Just enough that every measurement does all of its steps: a list of less cannot be scrolled. */
export const TINY: Plan = { ...FULL, machines: 120, loads: 1, updates: 2, scrollSeconds: 0.5, churnSeconds: 1 };
