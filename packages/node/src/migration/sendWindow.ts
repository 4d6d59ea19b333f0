/** So much may always be on its way: less would leave the processes on the way waiting for each other. */
export const SMALLEST_WINDOW = 1536 * 1024;
/** What a fast connection over a long distance may have on its way. */
const LARGEST_WINDOW = 64 * 1024 * 1024;
/** Rates are noisy; the best of a few answers counts. */
const FASTEST_OF = 16;

/** When a byte was sent, and how many had arrived by then. */
interface Mark {
  readonly sent: number;
  readonly atMs: number;
  readonly arrived: number;
}

/**
 * How much of a stream may be on its way. Whatever waits in sockets between two QEMUs has to arrive before a guest that
 * stands still can go on, and QEMU does not know of it. So there is twice what the way itself holds, by its delay and its
 * rate, and not more.
 */
export class SendWindow {
  #sent = 0;
  #arrived = 0;
  #limit = SMALLEST_WINDOW;
  #marks: Mark[] = [];
  /** The shortest time that bytes took: the way alone, without what waits on it. */
  #shortestMs = Number.POSITIVE_INFINITY;
  readonly #rates: number[] = [];

  get limit(): number {
    return this.#limit;
  }

  /** Whether nothing more is to be sent until something has arrived. */
  get isFull(): boolean {
    return this.#sent - this.#arrived >= this.#limit;
  }

  sent(bytes: number, nowMs: number): void {
    this.#sent += bytes;
    this.#marks.push({ sent: this.#sent, atMs: nowMs, arrived: this.#arrived });
  }

  arrived(bytes: number, nowMs: number): void {
    this.#arrived += bytes;
    const waiting = this.#marks.findIndex(({ sent }) => sent > this.#arrived);
    const passed = this.#marks.splice(0, waiting < 0 ? this.#marks.length : waiting);
    const last = passed.at(-1);
    if (!last || nowMs <= last.atMs) return;
    const delayMs = nowMs - last.atMs;
    this.#shortestMs = Math.min(this.#shortestMs, delayMs);
    this.#rates.push((this.#arrived - last.arrived) / delayMs);
    if (this.#rates.length > FASTEST_OF) this.#rates.shift();
    const held = 2 * Math.max(...this.#rates) * this.#shortestMs;
    this.#limit = Math.min(LARGEST_WINDOW, Math.max(SMALLEST_WINDOW, held));
  }
}
