import type { Random } from '../faults/random.ts';
import type { Ground } from './ground.ts';

/** One thing that is looked at: `npm run security -- --only NAME`. */
export interface Part {
  readonly name: string;
  /** What it shows, in one sentence. */
  readonly about: string;
  run(ground: Ground, trial: Trial): Promise<void>;
}

/** Something that should not be. */
export interface Finding {
  readonly part: string;
  readonly text: string;
}

export interface TrialOptions {
  readonly random: Random;
  /** No further random case begins after it. */
  readonly deadlineMs: number;
  /** A taste: a few cases of everything. */
  readonly isShort: boolean;
  readonly say: (line: string) => void;
}

/** What a part reports to: how much was looked at, what was found, what could not be looked at. */
export class Trial {
  readonly part: string;
  readonly random: Random;
  readonly isShort: boolean;
  readonly #options: TrialOptions;
  readonly findings: Finding[] = [];
  readonly notes: string[] = [];
  #checks = 0;

  constructor(part: string, options: TrialOptions) {
    this.part = part;
    this.random = options.random;
    this.isShort = options.isShort;
    this.#options = options;
  }

  get checks(): number {
    return this.#checks;
  }

  get isOver(): boolean {
    return Date.now() >= this.#options.deadlineMs;
  }

  /** Counts a check, and records what is wrong with it, if anything is. */
  check(problem: string | undefined): void {
    this.#checks++;
    if (problem === undefined) return;
    this.findings.push({ part: this.part, text: problem });
    this.#options.say(`  FINDING ${this.part}: ${problem}`);
  }

  /** What could not be looked at, and why: no finding, and not hidden either. */
  note(text: string): void {
    this.notes.push(text);
    this.#options.say(`  ${this.part}: ${text}`);
  }

  progress(text: string): void {
    this.#options.say(`  ${this.part}: ${text}`);
  }
}
