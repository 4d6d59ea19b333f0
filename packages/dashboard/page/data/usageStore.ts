import type { Usage } from '../../src/figures/history.ts';
import type { Told } from '../../src/figures/service.ts';

/**
 * What machines use now. Each row hears of its own machine only, so that a sample of thousands draws the rows in sight and
 * not the table.
 */
export class UsageStore {
  #usage = new Map<string, Usage>();
  readonly #rows = new Map<string, Set<() => void>>();
  readonly #listeners = new Set<() => void>();
  #version = 0;
  #problem: string | undefined;

  /** Of one machine. */
  subscribeTo(key: string, listener: () => void): () => void {
    const listeners = this.#rows.get(key) ?? new Set();
    this.#rows.set(key, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#rows.delete(key);
    };
  }

  /** Of every sample, for whoever sorts by it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly version = (): number => this.#version;
  readonly problem = (): string | undefined => this.#problem;

  get(key: string): Usage | undefined {
    return this.#usage.get(key);
  }

  take(told: Told): void {
    if (told.kind === 'machine') return;
    this.#problem = told.kind === 'problem' ? told.reason : undefined;
    this.#usage = new Map(told.kind === 'list' ? told.machines.map((usage) => [usage.key, usage]) : []);
    this.#version += 1;
    for (const listeners of this.#rows.values()) for (const listener of listeners) listener();
    for (const listener of this.#listeners) listener();
  }
}
