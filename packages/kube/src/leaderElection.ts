import { isReason, Lease } from '@vireo/api';
import type { Client } from './client.ts';
import { type Clock, pause, systemClock } from './clock.ts';
import { consoleLog, type Log } from './log/index.ts';
import type { ResourceClient } from './resourceClient.ts';

export interface LeaderElectionOptions {
  readonly client: Client;
  /** Namespace and name of the Lease that candidates compete for. */
  readonly namespace: string;
  readonly name: string;
  /** Unique among the candidates: host name and process, for instance. */
  readonly identity: string;
  /** What the Lease says of whoever holds it. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** How long others wait before they take over from a leader that does not renew its lease. */
  readonly leaseDurationMs?: number;
  /** How long a leader tries to renew before it gives up; shorter than the lease lasts. */
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
  /** Called whenever another candidate is found to lead. */
  readonly onStandby?: (leader: string) => void;
  readonly clock?: Clock;
  readonly log?: Log;
}

type LeaseSpec = NonNullable<Lease['spec']>;

/** The time for which a process leads. */
export interface Term {
  /** Aborts when the leadership is lost. */
  readonly signal: AbortSignal;
  /** Whether nobody else can lead now: the lease that was last acknowledged has not run out since it was asked for. */
  holds(): boolean;
}

/**
 * Runs `lead` whenever this process is the leader, until `signal` aborts. The signal of the term aborts when the
 * leadership is lost; once `lead` has returned then, the process is a candidate again. A `lead` that returns of its own
 * accord, or throws, ends it all. The lease is given up as soon as nobody acts on it any more.
 */
export async function runWhileLeader(
  options: LeaderElectionOptions,
  lead: (term: Term) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const election = new Election(options);
  let hasFinished = false;
  while (!signal.aborted && !hasFinished) {
    await election.win(signal);
    if (signal.aborted) return;
    const term = new AbortController();
    const end = () => term.abort();
    signal.addEventListener('abort', end, { once: true });
    const holds = (): boolean => !term.signal.aborted && election.holds();
    const leading = lead({ signal: term.signal, holds }).finally(() => {
      hasFinished = !term.signal.aborted;
      end();
    });
    const [outcome] = await Promise.allSettled([leading, election.keep(term.signal).finally(end)]);
    signal.removeEventListener('abort', end);
    await election.release();
    if (outcome.status === 'rejected') throw outcome.reason;
  }
}

const MAX_RELEASES = 3;

class Election {
  readonly #leases: ResourceClient<Lease>;
  readonly #options: LeaderElectionOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #leaseDurationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  /** The lease as last seen, and when it last changed by our own clock: clocks of other hosts are not to be trusted. */
  #observed: { readonly lease: Lease; readonly at: number } | undefined;
  /** Until when others wait, by our clock: they count from what they see, which is after we have sent it. */
  #heldUntilMs = 0;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#leases = options.client.of(Lease);
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? consoleLog;
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2_000;
    if (this.#renewDeadlineMs >= this.#leaseDurationMs)
      throw new RangeError(
        `renewDeadlineMs (${this.#renewDeadlineMs}) must be less than leaseDurationMs (${this.#leaseDurationMs})`,
      );
  }

  /** Resolves when the lease is ours, or at the abort. */
  async win(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (await this.#tryToHold(signal)) {
        this.#log.info('became leader', this.#lease(), this.#who());
        return;
      }
      await pause(this.#retryPeriodMs * (1 + Math.random() / 5), signal, this.#clock);
    }
  }

  holds(): boolean {
    return this.#clock.now() < this.#heldUntilMs;
  }

  /** Renews until the lease is lost, or could not be renewed in time, or at the abort. */
  async keep(signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(this.#retryPeriodMs, signal, this.#clock);
      if (signal.aborted) return;
      if (await this.#renewInTime(signal)) continue;
      if (!signal.aborted) this.#log.warn('lost leadership', this.#lease(), this.#who());
      return;
    }
  }

  async #renewInTime(signal: AbortSignal): Promise<boolean> {
    const deadline = new AbortController();
    const end = () => deadline.abort();
    const cancel = this.#clock.after(this.#renewDeadlineMs, end);
    signal.addEventListener('abort', end, { once: true });
    try {
      while (!deadline.signal.aborted) {
        if (await this.#tryToHold(deadline.signal)) return true;
        if (this.#observed && !this.#isOurs(this.#observed.lease)) return false;
        await pause(this.#retryPeriodMs, deadline.signal, this.#clock);
      }
      return false;
    } finally {
      cancel();
      signal.removeEventListener('abort', end);
    }
  }

  /** Lets another candidate take over at once. */
  async release(): Promise<void> {
    const { name, namespace } = this.#options;
    let lease = this.#observed?.lease;
    this.#heldUntilMs = 0;
    for (let attempt = 1; lease && this.#isOurs(lease); attempt++) {
      const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: this.#now() };
      try {
        this.#observe(await this.#leases.update({ ...lease, spec }));
        return;
      } catch (error) {
        // A renewal that was cut off may have been done all the same.
        const isRenewed = isReason(error, 'Conflict') && attempt < MAX_RELEASES;
        lease = isRenewed ? await this.#leases.find(name, { namespace }).catch(() => undefined) : undefined;
        if (!lease)
          this.#log.warn('cannot release the lease; it will expire', this.#lease(), { ...this.#who(), error });
      }
    }
  }

  /** Takes or renews the lease if that is ours to do. Failures count as no. */
  async #tryToHold(signal: AbortSignal): Promise<boolean> {
    try {
      const { name, namespace } = this.#options;
      const lease = await this.#leases.find(name, { namespace, signal });
      if (lease) this.#observe(lease);
      if (lease && !this.#mayTake(lease)) {
        this.#options.onStandby?.(lease.spec?.holderIdentity ?? '');
        return false;
      }
      const sentAt = this.#clock.now();
      const held = lease
        ? await this.#leases.update({ ...this.#described(lease), spec: this.#claimed(lease.spec) }, { signal })
        : await this.#leases.create(this.#draft(), { signal });
      this.#observe(held);
      this.#heldUntilMs = sentAt + this.#leaseDurationMs;
      return true;
    } catch (error) {
      const isRace = isReason(error, 'Conflict', 'AlreadyExists') || signal.aborted;
      if (!isRace) this.#log.warn('cannot read or write the lease', this.#lease(), { ...this.#who(), error });
      return false;
    }
  }

  #observe(lease: Lease): void {
    const isSame = this.#observed?.lease.metadata.resourceVersion === lease.metadata.resourceVersion;
    if (!isSame) this.#observed = { lease, at: this.#clock.now() };
  }

  #mayTake({ spec }: Lease): boolean {
    if (!spec?.holderIdentity || spec.holderIdentity === this.#options.identity) return true;
    const lastsMs = (spec.leaseDurationSeconds ?? 0) * 1000;
    return this.#clock.now() >= (this.#observed?.at ?? 0) + lastsMs;
  }

  #isOurs(lease: Lease): boolean {
    return lease.spec?.holderIdentity === this.#options.identity;
  }

  #draft(): Lease {
    const { name, namespace, annotations } = this.#options;
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace, ...(annotations && { annotations }) },
      spec: { ...this.#claimed(undefined), leaseTransitions: 0 },
    };
  }

  #described(lease: Lease): Lease {
    const { annotations } = this.#options;
    if (!annotations) return lease;
    return {
      ...lease,
      metadata: { ...lease.metadata, annotations: { ...lease.metadata.annotations, ...annotations } },
    };
  }

  #claimed(before: LeaseSpec | undefined): LeaseSpec {
    const { identity } = this.#options;
    const isRenewal = before?.holderIdentity === identity;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#leaseDurationMs / 1000),
      acquireTime: isRenewal ? before.acquireTime : this.#now(),
      renewTime: this.#now(),
      leaseTransitions: (before?.leaseTransitions ?? 0) + (isRenewal ? 0 : 1),
    };
  }

  /** MicroTime: six digits of a second, of which a JavaScript clock fills three. */
  #now(): string {
    return new Date(this.#clock.now()).toISOString().replace('Z', '000Z');
  }

  #lease() {
    const { namespace, name } = this.#options;
    return { kind: Lease.kind, namespace, name };
  }

  #who() {
    return { identity: this.#options.identity };
  }
}
