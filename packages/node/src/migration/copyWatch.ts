import type { MigrationProgress } from '@vireo/api/kinds/kubevirt/migration.ts';
import type { Clock } from '@vireo/kube';
import { type Calls, type DomainRef, LibvirtError } from '@vireo/libvirt';
import { decideMonitor, downtimeLimitMs, type MigrationMode, type MonitorDecision } from './monitor.ts';
import { ProgressSchedule, progressOf } from './progress.ts';
import type { MigrationState } from './role.ts';
import { settledOrDue } from './unlessStopped.ts';

/** As KubeVirt says it. */
export const ABORTED = 'Live migration has been aborted';

/** An abort may be lost, or come before there is something to abort: it is repeated until the copy has ended. */
const ABORT_AGAIN_MS = 2_000;
/** A daemon that does not answer holds up nothing but the question. */
const CALL = { timeoutMs: 10_000 };

/** What of a move may change from outside while it goes on. */
export interface CopyControl {
  /** Why it is not to go on, for example because somebody wants it aborted. */
  whyStop(): string | undefined;
  /** Told now and then how far a move is that takes longer than a moment. */
  onProgress(progress: MigrationProgress): void;
  /** Told of a new mode. */
  onMode(mode: MigrationMode): void;
  /** Told of each kind of call that fails for another reason than libvirt's word. */
  onError(what: string, error: unknown): void;
}

type CopyCalls = Pick<
  Calls,
  'jobStats' | 'abortJob' | 'domainState' | 'startPostCopy' | 'suspendDomain' | 'setMigrationMaxDowntime'
>;

export interface CopyContext {
  readonly domain: DomainRef;
  readonly calls: CopyCalls;
  readonly configuration: MigrationState['migrationConfiguration'];
  readonly control: CopyControl;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Looks after a copy, and intervenes where it takes too long or is to be aborted. */
export class CopyWatch {
  readonly #context: CopyContext;
  /** Why we have stopped the move, where we have. */
  stopReason: string | undefined;
  isPausedByUs = false;
  #downtimeMs = 0;
  #mode: MigrationMode = 'PreCopy';
  #isAborting = false;
  #abortedAtMs = Number.NEGATIVE_INFINITY;
  readonly #reported = new Set<string>();

  constructor(context: CopyContext) {
    this.#context = context;
  }

  /**
   * Waits for the copy. As long as libvirt may be copying, this does not end, whatever fails: what comes next would be done
   * to a guest of which nobody knows where it is. Only the end of the agent ends it, and libvirt's work with it.
   */
  async wait(performing: Promise<{ cookie: Buffer }>, bytes: number): Promise<Buffer> {
    const { clock, signal } = this.#context;
    const look = this.#looking(bytes);
    while (!(await settledOrDue(performing, clock))) {
      signal.throwIfAborted();
      await look();
    }
    return (await performing).cookie;
  }

  #looking(bytes: number): () => Promise<void> {
    const { calls, domain, control, clock, configuration } = this.#context;
    const started = clock.now();
    const schedule = new ProgressSchedule();
    let [lowest, progressedAt] = [Number.POSITIVE_INFINITY, started];
    return async () => {
      // What runs on the target already cannot be called back.
      if (this.#mode !== 'PostCopy') this.stopReason ??= control.whyStop();
      if (this.stopReason !== undefined) return this.#abort();
      // There may be none yet.
      const stats = await calls.jobStats(domain, 0, CALL).catch(() => undefined);
      const now = clock.now();
      await this.limitDowntime(stats?.parameters.number('memory_iteration') ?? 0);
      const found = stats && progressOf(stats.parameters, bytes);
      if (schedule.isDue(found, now - started)) control.onProgress(found);
      const remaining = stats?.parameters.number('data_remaining') ?? lowest;
      if (remaining < lowest) [lowest, progressedAt] = [remaining, now];
      const progress = { elapsedMs: now - started, sinceProgressMs: now - progressedAt, mode: this.#mode, bytes };
      await this.#intervene(decideMonitor(progress, configuration));
    };
  }

  async #intervene(decision: MonitorDecision): Promise<void> {
    const { calls, domain } = this.#context;
    if (decision.action === 'abort') {
      this.stopReason = decision.reason;
      this.#abort();
    } else if (decision.action === 'startPostCopy') {
      // Too early, or just too late: what comes next tells.
      if (await this.#succeeds('start post-copy', calls.startPostCopy(domain, CALL))) this.#enter('PostCopy');
    } else if (decision.action === 'pauseGuest') {
      await this.#succeeds('pause the guest', this.#pauseGuest());
    }
  }

  /** One that stands still already gets more time as well, and nobody is to have it go on in the end. */
  async #pauseGuest(): Promise<void> {
    const { calls, domain } = this.#context;
    const { state } = await calls.domainState(domain, CALL);
    if (state !== 'running') {
      this.#mode = 'Paused';
      return;
    }
    this.isPausedByUs = true;
    await calls.suspendDomain(domain, CALL);
    this.#enter('Paused');
  }

  #enter(mode: MigrationMode): void {
    this.#mode = mode;
    this.#context.control.onMode(mode);
  }

  /** Sets how long the guest may stand still at the end, where that has changed; the next look tries again. */
  async limitDowntime(passes: number): Promise<void> {
    const { calls, domain, configuration } = this.#context;
    const limitMs = downtimeLimitMs(passes, configuration);
    if (limitMs === this.#downtimeMs) return;
    const set = calls.setMigrationMaxDowntime(domain, limitMs, CALL);
    if (await this.#succeeds('limit the downtime', set)) this.#downtimeMs = limitMs;
  }

  /** Nobody waits for it: the copy may end without an answer. */
  #abort(): void {
    const { calls, domain, clock } = this.#context;
    if (this.#isAborting || clock.now() - this.#abortedAtMs < ABORT_AGAIN_MS) return;
    this.#isAborting = true;
    // Where there is nothing to abort, the copy begins, or has just ended.
    void this.#succeeds('abort the migration', calls.abortJob(domain, CALL)).then(() => {
      this.#isAborting = false;
      this.#abortedAtMs = clock.now();
    });
  }

  /** Whether a call does. libvirt refuses what comes a moment too early or too late; all else is reported once. */
  async #succeeds(what: string, call: Promise<unknown>): Promise<boolean> {
    try {
      await call;
      return true;
    } catch (error) {
      if (error instanceof LibvirtError || this.#reported.has(what)) return false;
      this.#reported.add(what);
      this.#context.control.onError(what, error);
      return false;
    }
  }
}
