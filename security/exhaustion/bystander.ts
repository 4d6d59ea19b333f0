import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ground } from '../ground.ts';

const PAUSE_MS = 100;
/** How long an answer is waited for where none has come since the attack began; on a host that is busy it grows. */
const TIMEOUT_MS = 60_000;

export interface Most {
  /** How long an answer may take, beside what the host kept server and client from running. */
  readonly waitMs: number;
  readonly memoryBytes: number;
}

/** What a client noticed in a span of time. */
interface Noticed {
  asked: number;
  refused: number;
  /** Without what the host is to blame for. */
  slowestMs: number;
  mostBytes: number;
}

const nothing = (): Noticed => ({ asked: 0, refused: 0, slowestMs: 0, mostBytes: 0 });

/** What somebody uses the server with. */
export interface Served {
  /** Whether the server did what it was asked for. */
  ask(): Promise<boolean>;
  /** Milliseconds that the server has been ready to run and was not let, so far. */
  starvedMs(): Promise<number>;
  memoryBytes(): Promise<number>;
  close(): void;
}

/** Somebody else who uses the server all the while, and what he noticed. */
export class Bystander {
  readonly #served: Served;
  readonly #timeoutMs: number;
  #isWatching = true;
  #noticed = nothing();
  #answered = Promise.withResolvers<void>();
  readonly #watching: Promise<void>;

  constructor(served: Served, timeoutMs = TIMEOUT_MS) {
    this.#served = served;
    this.#timeoutMs = timeoutMs;
    this.#watching = this.#watch();
  }

  async #watch(): Promise<void> {
    while (this.#isWatching) {
      const noticed = this.#noticed;
      const lag = new Lag();
      const [startedAt, starvedBefore] = [performance.now(), await this.#served.starvedMs()];
      const isServed = await this.#served.ask();
      const tookMs = performance.now() - startedAt;
      const excusedMs = lag.end() + Math.max(0, (await this.#served.starvedMs()) - starvedBefore);
      // Also of a question that was put before somebody asked what was noticed.
      for (const each of new Set([noticed, this.#noticed])) {
        if (!isServed) each.refused++;
        each.slowestMs = Math.max(each.slowestMs, tookMs - excusedMs);
      }
      noticed.asked++;
      this.#noticed.mostBytes = Math.max(this.#noticed.mostBytes, await this.#served.memoryBytes());
      this.#answered.resolve();
      this.#answered = Promise.withResolvers();
      await delay(PAUSE_MS);
    }
    this.#served.close();
  }

  /**
   * What is wrong with how he was served since he was last asked. Waits for the answer to a question that he put since
   * then: an attack can be over before he has put one.
   */
  async problem(during: string, most: Most): Promise<(string | undefined)[]> {
    const startedAt = performance.now();
    const starvedBefore = await this.#served.starvedMs();
    const hasTime = async (): Promise<boolean> =>
      performance.now() - startedAt < this.#timeoutMs + (await this.#served.starvedMs()) - starvedBefore;
    while (this.#noticed.asked === 0 && (await hasTime()))
      await Promise.race([this.#answered.promise, delay(this.#timeoutMs / 10)]);
    const { asked, refused, slowestMs, mostBytes } = this.#noticed;
    this.#noticed = nothing();
    return [
      asked === 0 ? `${during}: the other client got no answer at all` : undefined,
      refused > 0 ? `${during}: the other client was not served ${refused} times of ${asked}` : undefined,
      slowestMs > most.waitMs ? `${during}: the other client waited for ${Math.round(slowestMs)} ms` : undefined,
      mostBytes > most.memoryBytes ? `${during}: the server took ${mostBytes >> 20} MiB of memory` : undefined,
    ];
  }

  async leave(): Promise<void> {
    this.#isWatching = false;
    await this.#watching;
  }
}

/** A user of his own, over a connection of his own. */
export function servedBy(ground: Ground): Served {
  const wire = ground.wire(ground.certificateOf('bystander', ['system:masters']));
  return {
    ask: () =>
      wire.send({ method: 'GET', path: '/api/v1/namespaces/default' }).then(
        ({ status }) => status === 200,
        () => false,
      ),
    starvedMs: () => starvedMs(ground.pid),
    memoryBytes: () => memoryOf(ground.pid),
    close: () => wire.close(),
  };
}

const TICK_MS = 50;

/** How long this process was kept from looking at what has come, by its own attacks and by the host. */
class Lag {
  #ms = 0;
  #tickedAt = performance.now();
  readonly #timer = setInterval(() => this.#tick(), TICK_MS);

  #tick(): void {
    const now = performance.now();
    const lateMs = now - this.#tickedAt - TICK_MS;
    // Timers are never quite in time.
    if (lateMs > TICK_MS) this.#ms += lateMs;
    this.#tickedAt = now;
  }

  end(): number {
    clearInterval(this.#timer);
    this.#tick();
    return this.#ms;
  }
}

/** How long the main thread of a process has waited for a CPU, as Linux counts it; 0 where it does not. */
export async function starvedMs(pid: number): Promise<number> {
  const [, waitedNs = '0'] = (await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '')).split(' ');
  return Number(waitedNs) / 1e6;
}

/** Bytes of memory that a process has (RSS). */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
