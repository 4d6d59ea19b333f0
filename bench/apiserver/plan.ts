/** How much is measured: enough for figures to trust, or for a first look, or to see that it runs at all. */
export interface Plan {
  readonly rounds: number;
  /** How long one round of a rate lasts. */
  readonly secondsEach: number;
  readonly listedObjects: number;
  readonly pageSize: number;
  /** Objects in the store for start-up and memory. */
  readonly storedObjects: number;
  readonly startRounds: number;
  readonly manyWatchers: number;
  readonly latencyWrites: number;
  readonly burstWrites: number;
  /** So long after its start a server counts as being at rest. */
  readonly settleMs: number;
}

const SIZES = { listedObjects: 5_000, pageSize: 500, storedObjects: 10_000, manyWatchers: 1_000, settleMs: 1_000 };

export const FULL: Plan = {
  ...SIZES,
  rounds: 5,
  secondsEach: 1,
  startRounds: 3,
  latencyWrites: 40,
  burstWrites: 60,
};

export const QUICK: Plan = {
  ...SIZES,
  rounds: 3,
  secondsEach: 0.4,
  startRounds: 3,
  latencyWrites: 10,
  burstWrites: 15,
};
