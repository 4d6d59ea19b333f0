import type { Clock } from '@vireo/kube';
import type { DomainRef } from '@vireo/libvirt';
import { type AgentReport, NO_REPORT } from './agentReport.ts';
import { isNoAnswer } from './domainStats.ts';

/** Every question wakes a guest. */
const FRESH_MS = 10_000;
const TIMEOUT_MS = 5_000;
/** Guests that are asked at once. */
const CONCURRENCY = 4;

type Ask = (domain: DomainRef, signal: AbortSignal) => Promise<AgentReport>;

/** What the agents of guests reported last. They are asked in the background: nobody waits for one. */
export class AgentReports {
  readonly #ask: Ask;
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly atMs: number; readonly report: AgentReport }>();
  #isAsking = false;

  constructor(ask: Ask, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  of({ uuid }: DomainRef): AgentReport {
    return this.#known.get(uuid)?.report ?? NO_REPORT;
  }

  /** Asks those of `reachable` that have reported nothing for a while, and forgets all others. Resolves when all are asked. */
  async refresh(reachable: readonly DomainRef[]): Promise<void> {
    const present = new Set(reachable.map(({ uuid }) => uuid));
    for (const uuid of this.#known.keys()) if (!present.has(uuid)) this.#known.delete(uuid);
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const now = this.#clock.now();
      const waiting = reachable.filter(({ uuid }) => now - (this.#known.get(uuid)?.atMs ?? 0) >= FRESH_MS);
      const work = async (): Promise<void> => {
        for (let next = waiting.pop(); next; next = waiting.pop()) await this.#askOne(next);
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, work));
    } finally {
      this.#isAsking = false;
    }
  }

  async #askOne(domain: DomainRef): Promise<void> {
    const report = await this.#ask(domain, AbortSignal.timeout(TIMEOUT_MS)).catch((error: unknown) => {
      if (!isNoAnswer(error)) throw error;
      return NO_REPORT;
    });
    // One that does not answer is not asked at once again either.
    this.#known.set(domain.uuid, { atMs: this.#clock.now(), report });
  }
}
