import type { Stored, StoreEvent, Subscription } from '../store/store.ts';

/** A watcher that falls further behind than this has to list again. */
const MAX_WAITING = 10_000;
const BATCH_SIZE = 500;

/** Who takes the events of a watch. */
export interface EventSink {
  push(event: StoreEvent): void;
  fail(error: unknown): void;
  /** There are more than can be held. */
  end(): void;
}

/**
 * Holds events back until their objects have been converted by a webhook, and hands them on in their order. What came
 * in the meantime is converted together.
 */
export class ConvertedEvents {
  readonly #convert: (all: readonly Stored[]) => Promise<unknown> | undefined;
  readonly #sink: EventSink;
  #waiting: StoreEvent[] = [];
  #isHeld = true;
  #isBusy = false;

  constructor(convert: (all: readonly Stored[]) => Promise<unknown> | undefined, sink: EventSink) {
    this.#convert = convert;
    this.#sink = sink;
  }

  push(event: StoreEvent): void {
    if (this.#waiting.push(event) > MAX_WAITING) this.#sink.end();
    else void this.#run();
  }

  /** Nothing is handed on before this: the state before the first event comes first. */
  release(): void {
    this.#isHeld = false;
    void this.#run();
  }

  /** The subscription that feeds this, as whoever takes the events has to see it. */
  behind(subscription: Subscription): Subscription {
    const isCaughtUp = (): boolean => subscription.isCaughtUp && !this.#isBusy && this.#waiting.length === 0;
    return {
      get isCaughtUp() {
        return isCaughtUp();
      },
      close: () => subscription.close(),
    };
  }

  async #run(): Promise<void> {
    if (this.#isHeld || this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (this.#waiting.length > 0) {
        const batch = this.#waiting.splice(0, BATCH_SIZE);
        await this.#convert(batch.flatMap(({ current, previous }) => (previous ? [current, previous] : [current])));
        for (const event of batch) this.#sink.push(event);
      }
    } catch (error) {
      this.#sink.fail(error);
    } finally {
      this.#isBusy = false;
    }
  }
}
