import { type Clock, systemClock } from '../clock.ts';

export interface ExpiringCacheOptions {
  /** How long a value holds; 0: it is not kept. */
  readonly lifetimeMs: number;
  /** The least recently used are forgotten beyond it. */
  readonly maxEntries: number;
  readonly clock?: Clock;
}

/** Remembers what was computed for a key for a while. Whoever asks meanwhile shares the computation; failures are not kept. */
export class ExpiringCache<V> {
  readonly #options: ExpiringCacheOptions;
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly value: V; readonly untilMs: number }>();
  readonly #pending = new Map<string, Promise<V>>();

  constructor(options: ExpiringCacheOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async get(key: string, compute: () => Promise<V>): Promise<V> {
    const known = this.#known.get(key);
    this.#known.delete(key);
    if (known && known.untilMs > this.#clock.now()) {
      this.#known.set(key, known);
      return known.value;
    }
    return this.#pending.get(key) ?? this.#compute(key, compute);
  }

  #compute(key: string, compute: () => Promise<V>): Promise<V> {
    const computed = compute()
      .then((value) => {
        this.#remember(key, value);
        return value;
      })
      .finally(() => this.#pending.delete(key));
    this.#pending.set(key, computed);
    return computed;
  }

  #remember(key: string, value: V): void {
    const { lifetimeMs, maxEntries } = this.#options;
    if (lifetimeMs <= 0) return;
    this.#known.set(key, { value, untilMs: this.#clock.now() + lifetimeMs });
    const [oldest = ''] = this.#known.keys();
    if (this.#known.size > maxEntries) this.#known.delete(oldest);
  }
}
