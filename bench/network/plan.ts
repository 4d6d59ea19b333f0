/** How much is measured. */
export interface Plan {
  /** How many Services and members of a policy there are while one more comes; the first is the baseline. */
  readonly sizes: readonly number[];
  /** How often each change is made, and all rules are loaded anew. */
  readonly ruleRounds: number;
  /** How many connections are made through a Service, and directly, in a round. */
  readonly connections: number;
  readonly startRounds: number;
  readonly speedRounds: number;
  /** How long data flows in one direction. */
  readonly secondsEach: number;
  /** How many packets go to and fro for a round-trip time. */
  readonly roundTrips: number;
  readonly policyRounds: number;
  /** For all rounds of rules, of starts and of speed each: a busy host makes fewer of them, not a longer wait. */
  readonly budgetSeconds: number;
}

export const FULL: Plan = {
  sizes: [10, 100, 1_000],
  ruleRounds: 15,
  connections: 200,
  startRounds: 3,
  speedRounds: 5,
  secondsEach: 1.2,
  roundTrips: 20,
  policyRounds: 5,
  budgetSeconds: 75,
};

export const QUICK: Plan = {
  sizes: [10, 1_000],
  ruleRounds: 5,
  connections: 100,
  startRounds: 1,
  speedRounds: 2,
  secondsEach: 0.5,
  roundTrips: 10,
  policyRounds: 2,
  budgetSeconds: 20,
};
