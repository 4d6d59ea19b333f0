import { Random } from './random.ts';

/** Something that a user does, at a moment of its round. */
export interface Step {
  readonly atMs: number;
  readonly action: string;
  /** Which of the VMs. */
  readonly vm: number;
  /** For what else the action has to choose. */
  readonly dice: number;
}

/** Something that goes wrong. */
export interface FaultInjection {
  readonly atMs: number;
  readonly fault: string;
  /** How long it lasts, where it lasts. */
  readonly forMs: number;
  readonly dice: number;
}

export interface Round {
  readonly number: number;
  readonly steps: readonly Step[];
  readonly injections: readonly FaultInjection[];
}

export interface PlanOptions {
  readonly seed: number;
  /** How many VMs users play with. */
  readonly vms: number;
  readonly stepsEach: number;
  readonly faultsEach: number;
  /** In which steps and faults of a round happen. */
  readonly lengthMs: number;
  readonly actions: readonly string[];
  readonly faults: readonly string[];
}

/** What happens in a round: decided by seed and number alone. */
export function planRound(number: number, options: PlanOptions): Round {
  const { seed, vms, stepsEach, faultsEach, lengthMs, actions, faults } = options;
  const random = new Random(Math.imul(seed, 0x9e3779b1) + number);
  const at = (): number => random.between(0, lengthMs);
  const steps = Array.from({ length: stepsEach }, () => ({
    atMs: at(),
    action: random.pick(actions),
    vm: random.between(0, vms - 1),
    dice: random.next(),
  }));
  const injections = Array.from({ length: faults.length === 0 ? 0 : faultsEach }, () => ({
    atMs: at(),
    fault: random.pick(faults),
    forMs: random.between(500, 4000),
    dice: random.next(),
  }));
  const inTime = (a: { atMs: number }, b: { atMs: number }): number => a.atMs - b.atMs;
  return { number, steps: steps.toSorted(inTime), injections: injections.toSorted(inTime) };
}
