import type { Clock } from '../clock.ts';

/** A clock that stands still until it is told to go on. */
export class FakeClock implements Clock {
  #now = 0;
  #order = 0;
  readonly #timers = new Set<{ at: number; order: number; run: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + Math.max(ms, 0), order: this.#order++, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Goes on by `ms`, running what falls due on the way in order. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at || a.order - b.order);
      if (!next) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.run();
    }
    this.#now = until;
  }
}
