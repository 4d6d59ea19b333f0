import type { FieldError } from '@vireo/api';

/** Past this many, more errors help nobody and cost time on hostile input. */
const MAX_ERRORS = 100;
/** Nor does more text. A value stands in the text of its error, and so do all values that an enum allows. */
const MAX_TEXT = 1 << 20;
/** What matching patterns may take in one validation: about 100 ms, which only hostile patterns come near. */
const PATTERN_WORK = 10_000_000;

/** A validation of one value: what it has found, and what it may still do. */
export class Validation {
  /** `field` is the path below the value; empty for errors that are said of no field. */
  readonly errors: FieldError[] = [];
  failures = 0;
  /** How much fits; of several schemas that do not, Kubernetes explains the one that fits best. */
  matches = 0;
  /** What matching patterns may still take. */
  patternWork: number;
  /** Only counts failures: of the alternatives that a value does not fit, one is explained. */
  readonly isQuiet: boolean;
  #text = 0;

  constructor({ patternWork = PATTERN_WORK, isQuiet = false } = {}) {
    this.patternWork = patternWork;
    this.isQuiet = isQuiet;
  }

  fail(errorOf: () => FieldError): void {
    this.failures++;
    if (this.isQuiet || this.isFull) return;
    const error = errorOf();
    this.#text += error.text.length;
    this.errors.push(error);
  }

  /** Whether enough is said. */
  get isFull(): boolean {
    return this.errors.length >= MAX_ERRORS || this.#text > MAX_TEXT;
  }
}
