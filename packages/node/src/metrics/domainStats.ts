import type { Clock } from '@vireo/kube';
import {
  type Calls,
  CallTimeoutError,
  ConnectionError,
  type DomainRef,
  LibvirtError,
  ListFlags,
  StatsFlags,
  StatsGroups,
  type TypedParameters,
} from '@vireo/libvirt';

export interface DomainStats {
  readonly domain: DomainRef;
  readonly parameters: TypedParameters;
}

/** Whoever asks again within this time gets the same answer: many who ask cost libvirt no more than one. */
const FRESH_MS = 1_000;
/** Prometheus gives up after ten seconds. Without an answer there are no figures, rather than old ones. */
const TIMEOUT_MS = 3_000;

const { STATE, CPU_TOTAL, BALLOON, VCPU, INTERFACE, BLOCK } = StatsGroups;
const GROUPS = STATE | CPU_TOTAL | BALLOON | VCPU | INTERFACE | BLOCK;
/** Of a domain that is busy with something, what can be had without waiting. */
const FLAGS = ListFlags.ACTIVE | StatsFlags.NOWAIT;

/** The part of a connection that is used. */
export interface StatsSource {
  readonly isConnected: boolean;
  readonly long: Pick<Calls, 'domainStats'>;
}

/** Reads the statistics of all domains that run, with one call. */
export class StatsReader {
  readonly #libvirt: StatsSource;
  readonly #clock: Clock;
  #last: { readonly atMs: number; readonly stats: Promise<readonly DomainStats[]> } | undefined;

  constructor(libvirt: StatsSource, clock: Clock) {
    this.#libvirt = libvirt;
    this.#clock = clock;
  }

  /** Never rejects: while libvirt does not answer, nothing is known. */
  read(): Promise<readonly DomainStats[]> {
    const now = this.#clock.now();
    if (!this.#last || now - this.#last.atMs >= FRESH_MS) this.#last = { atMs: now, stats: this.#ask() };
    return this.#last.stats;
  }

  async #ask(): Promise<readonly DomainStats[]> {
    if (!this.#libvirt.isConnected) return [];
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      return await this.#libvirt.long.domainStats(GROUPS, [], FLAGS, { signal });
    } catch (error) {
      if (isNoAnswer(error)) return [];
      throw error;
    }
  }
}

/** Whether libvirt, or a guest behind it, did not answer or did not want to. */
export const isNoAnswer = (error: unknown): boolean =>
  error instanceof LibvirtError ||
  error instanceof ConnectionError ||
  error instanceof CallTimeoutError ||
  (error instanceof Error && error.name === 'TimeoutError');
