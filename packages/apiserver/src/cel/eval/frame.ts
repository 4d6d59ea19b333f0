import { CostExceeded } from '../meter.ts';
import type { Result } from '../values/values.ts';

/** What one run of an expression works with. */
export class Frame {
  /** Variables of comprehensions, by their place. */
  readonly locals: unknown[] = [];
  readonly resolve: (name: string) => Result | undefined;
  readonly limit: number;
  cost = 0;

  constructor(resolve: (name: string) => Result | undefined, limit: number) {
    this.resolve = resolve;
    this.limit = limit;
  }

  /** Counts a cost; past the limit the run ends. */
  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CostExceeded();
  }
}

/** A part of a program. */
export type Step = (frame: Frame) => Result;

/** A step, and what else is known about it. */
export interface Plan {
  readonly run: Step;
  /** Its value, where that is known before anything is run. */
  readonly constant?: Result;
  /**
   * Variables with their fields and indexes: cel-go evaluates them in one go, and counts what it starts from once at
   * the end, but not where they are the index or the branch of something else.
   */
  readonly path?: Step;
}

export const constantPlan = (value: Result): Plan => ({ run: () => value, constant: value });
