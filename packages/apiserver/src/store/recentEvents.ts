import { covers } from './keys.ts';
import type { StoreEvent } from './store.ts';
import { StoredVersion } from './stored.ts';

export interface RecentLimits {
  readonly events: number;
  readonly bytes: number;
}

/** The last events, complete after `floor`, bounded in number and in bytes; what a watch that starts now has missed. */
export class RecentEvents {
  readonly #limits: RecentLimits;
  #events: (StoreEvent | undefined)[] = [];
  /** Events before this index are dropped and their places empty; the array is cut when half of it is. */
  #start = 0;
  #bytes = 0;
  #floor: number;

  constructor(floor: number, limits: RecentLimits) {
    this.#floor = floor;
    this.#limits = limits;
  }

  /** All events after this revision are here. */
  get floor(): number {
    return this.#floor;
  }

  push(event: StoreEvent): void {
    const { current, previous } = event;
    this.#events.push({
      ...event,
      current: StoredVersion.light(current),
      ...(previous && { previous: StoredVersion.light(previous) }),
    });
    this.#bytes += event.current.bytes.length;
    while (this.#events.length - this.#start > this.#limits.events || this.#bytes > this.#limits.bytes) this.#drop();
    this.#cut();
  }

  /** Forgets events up to `revision`. */
  trim(revision: number): void {
    while (this.#start < this.#events.length && this.#events[this.#start]!.revision <= revision) this.#drop();
    this.#floor = Math.max(this.#floor, revision);
    this.#cut();
  }

  after(revision: number, prefix: string): StoreEvent[] {
    const missed: StoreEvent[] = [];
    for (let i = this.#events.length - 1; i >= this.#start; i--) {
      const event = this.#events[i]!;
      if (event.revision <= revision) break;
      if (covers(prefix, event.key)) missed.push(event);
    }
    return missed.reverse();
  }

  #drop(): void {
    const event = this.#events[this.#start]!;
    // Not only passed over: until the array is cut it would be kept as long again.
    this.#events[this.#start++] = undefined;
    this.#bytes -= event.current.bytes.length;
    this.#floor = event.revision;
  }

  #cut(): void {
    if (this.#start < 64 || this.#start * 2 < this.#events.length) return;
    this.#events = this.#events.slice(this.#start);
    this.#start = 0;
  }
}
