import type { Aggregation } from './aggregation.ts';
import type { RemoteApi } from './apiService.ts';

/** Asks a server anew; undefined: what it said before still holds. */
export type Ask<T> = (api: RemoteApi, etag: string | undefined) => Promise<{ value: T; etag?: string } | undefined>;

interface Entry<T> {
  /** Another one: what was remembered is of another server, or of one that was away. */
  marker: string;
  askedAtMs: number;
  value?: T;
  etag?: string;
  isStale: boolean;
  failures: number;
}

/** Functions of this process are asked more often: that costs nothing. */
const FRESH_IN_PROCESS_MS = 10_000;
const FRESH_MS = 60_000;
const MAX_FRESH_MS = 3_600_000;

/**
 * What aggregated servers say of themselves. It is asked for again in the background when it is old, and nobody waits
 * for a server that is slow; one that fails is remembered by what it said last, as stale, and asked less and less often.
 */
export class Remembered<T> {
  readonly #aggregation: Aggregation;
  readonly #ask: Ask<T>;
  readonly #entries = new Map<string, Entry<T>>();
  #generation = 0;

  constructor(aggregation: Aggregation, ask: Ask<T>) {
    this.#aggregation = aggregation;
    this.#ask = ask;
  }

  /** Changes when something that is remembered does. */
  get generation(): number {
    return this.#generation;
  }

  of(api: RemoteApi): { readonly value?: T; readonly isStale: boolean } {
    return this.#entries.get(keyOf(api)) ?? { isStale: true };
  }

  /** Asks whoever is due. Resolves when those of this process have answered that were not known. */
  async refresh(nowMs = Date.now()): Promise<void> {
    const apis = this.#aggregation.remoteApis();
    const wanted = new Set(apis.map(keyOf));
    for (const key of this.#entries.keys())
      if (!wanted.has(key)) {
        this.#entries.delete(key);
        this.#generation++;
      }
    const awaited: Promise<void>[] = [];
    for (const api of apis) {
      const isInProcess = this.#aggregation.isInProcess(api);
      const asking = this.#askIfDue(api, isInProcess, nowMs);
      if (asking && isInProcess) awaited.push(asking);
    }
    await Promise.all(awaited);
  }

  #askIfDue(api: RemoteApi, isInProcess: boolean, nowMs: number): Promise<void> | undefined {
    const key = keyOf(api);
    const marker = JSON.stringify([api.service, api.tls, api.isAvailable, isInProcess]);
    const known = this.#entries.get(key);
    const freshMs = isInProcess ? FRESH_IN_PROCESS_MS : Math.min(MAX_FRESH_MS, FRESH_MS * 2 ** (known?.failures ?? 0));
    if (known?.marker === marker && nowMs - known.askedAtMs < freshMs) return undefined;
    const entry: Entry<T> = known ?? { marker, askedAtMs: nowMs, isStale: true, failures: 0 };
    const isNew = known?.marker !== marker;
    Object.assign(entry, { marker, askedAtMs: nowMs, ...(isNew && { failures: 0 }) });
    if (!known) {
      this.#entries.set(key, entry);
      this.#generation++;
    }
    const asking = this.#renew(api, entry);
    return isNew ? asking : undefined;
  }

  async #renew(api: RemoteApi, entry: Entry<T>): Promise<void> {
    try {
      const answer = await this.#ask(api, entry.etag);
      const isChanged = answer && JSON.stringify(answer.value) !== JSON.stringify(entry.value);
      if (isChanged || entry.isStale) this.#generation++;
      Object.assign(entry, {
        ...answer,
        ...(isChanged === false && { value: entry.value }),
        isStale: false,
        failures: 0,
      });
    } catch {
      // A server that does not answer leaves everything else as it is.
      if (!entry.isStale) this.#generation++;
      entry.isStale = true;
      entry.failures++;
    }
  }
}

const keyOf = ({ group, version }: RemoteApi): string => `${group}/${version}`;
