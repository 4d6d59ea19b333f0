import type { UnknownObject } from '@vireo/api';
import { deepClone, deepEqual } from '@vireo/api/json.ts';

/**
 * The mutating plug-ins run once more if a webhook or policy changed the object: those before it may have something to
 * say to that. There are never more than two rounds.
 */
export class Rounds {
  #plugins: Map<string, Reinvocations> | undefined;
  #changes = 0;
  /** The object as it was when the second round began. */
  #between: UnknownObject | undefined;

  get isSecond(): boolean {
    return this.#between !== undefined;
  }

  /** How often a webhook or policy changed the object. */
  get changes(): number {
    return this.#changes;
  }

  /** Begins a second round if there is to be one. */
  beginSecond(object: UnknownObject | undefined): boolean {
    if (this.isSecond || this.#changes === 0 || !object) return false;
    this.#between = deepClone(object);
    return true;
  }

  /** Called when a webhook or policy has changed the object. */
  changed(): void {
    this.#changes++;
  }

  /** Whether anybody changed the object since the second round began. */
  isChangedInSecond(object: UnknownObject | undefined): boolean {
    return !deepEqual(object, this.#between);
  }

  /** What a plug-in remembers from round to round. */
  of(plugin: string): Reinvocations {
    this.#plugins ??= new Map();
    const known = this.#plugins.get(plugin) ?? new Reinvocations(this);
    this.#plugins.set(plugin, known);
    return known;
  }
}

/** Which webhooks or policies of a plug-in are called in the second round: those that ask for it and ran before. */
export class Reinvocations {
  readonly #rounds: Rounds;
  readonly #ran = new Set<string>();
  readonly #again = new Set<string>();
  #changesSeen = 0;

  constructor(rounds: Rounds) {
    this.#rounds = rounds;
  }

  /** Before the first of a round. */
  begin(object: UnknownObject | undefined): void {
    if (!this.#rounds.isSecond) return;
    if (this.#rounds.changes > this.#changesSeen || this.#rounds.isChangedInSecond(object)) this.#callAgain();
  }

  /** Whether it is called in this round. What did not run in the first round does not run in the second. */
  isDue(key: string): boolean {
    return !this.#rounds.isSecond || this.#again.has(key);
  }

  /** One has been called. */
  called(key: string, changed: boolean, reinvocationPolicy: string | undefined): void {
    if (changed) {
      this.#callAgain();
      this.#rounds.changed();
    }
    if (reinvocationPolicy === 'IfNeeded') this.#ran.add(key);
  }

  /** After the last of a round. */
  end(): void {
    this.#changesSeen = this.#rounds.changes;
  }

  #callAgain(): void {
    for (const key of this.#ran) this.#again.add(key);
    this.#ran.clear();
  }
}
