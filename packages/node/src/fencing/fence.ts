import type { LeasePolicy } from '@vireo/api/kinds/kubevirt/fencing.ts';
import { bootTimeMs } from './bootTime.ts';
import type { DeadMan } from './deadMan.ts';
import type { Ended } from './deadManState.ts';

/** No guest is started this shortly before it would be ended again. */
const START_MARGIN_MS = 5_000;

export interface FenceOptions {
  /** What the administrator of the node wants; undefined: that no silence ends guests. */
  readonly policy: () => LeasePolicy | { readonly problem: string } | undefined;
  readonly deadMan: DeadMan;
  /** Ends the guests that are this node's no more. */
  readonly settle: () => Promise<void>;
  readonly onEnded: (ended: Ended) => void;
  readonly onProblem: (error: unknown) => void;
}

/** Keeps the promises that a node makes with its lease. */
export class Fence {
  readonly #options: FenceOptions;
  /** Why guests have ended that are not reported yet, by the uids of their VMIs. */
  readonly #ended = new Map<string, string>();
  /** Of guests whose end is reported, while the record of the dead-man process still has them. */
  readonly #told = new Set<string>();
  /** What is wrong with the policy, as it was reported. */
  #problem: string | undefined;

  constructor(options: FenceOptions) {
    this.#options = options;
  }

  /** Called before the node says that it lives, when it was silent for a while. */
  settle(): Promise<void> {
    return this.#options.settle();
  }

  /** What the next renewal promises: after how many seconds guests end. Undefined: nothing. */
  async promise(): Promise<number | undefined> {
    const { policy, deadMan, onProblem, onEnded } = this.#options;
    const { ended } = deadMan;
    if (ended) {
      this.#remember(ended);
      deadMan.forgetEnded();
      this.#told.clear();
      onEnded(ended);
    }
    const wanted = policy();
    const problem = wanted && 'problem' in wanted ? wanted.problem : undefined;
    // The controllers cannot read it either: guests that end would start nowhere.
    if (problem !== undefined && problem !== this.#problem) onProblem(new Error(problem));
    this.#problem = problem;
    if (!wanted || 'problem' in wanted) return undefined;
    const seconds = wanted.stopAfterSeconds;
    try {
      await deadMan.arm(seconds * 1000);
      deadMan.shorten(seconds * 1000);
      return seconds;
    } catch (error) {
      // Without it nobody would keep the promise.
      onProblem(error);
      return undefined;
    }
  }

  /** The server has acknowledged a renewal that was sent at that moment, with that promise. */
  acknowledged(sentAtMs: number, promise: number | undefined): void {
    const { deadMan } = this.#options;
    if (promise !== undefined) deadMan.acknowledge(sentAtMs, promise * 1000);
    else deadMan.disarm();
  }

  /** Why the guest of a VMI has ended, if it did by the policy; told once. */
  whyEnded(uid: string): string | undefined {
    const { ended } = this.#options.deadMan;
    if (ended) this.#remember(ended);
    const why = this.#ended.get(uid);
    if (why === undefined) return undefined;
    this.#ended.delete(uid);
    this.#told.add(uid);
    return why;
  }

  #remember({ guests, silentMs }: Ended): void {
    const why = `it was ended by the fencing policy of its node, because no renewal of the node's lease had been acknowledged for ${Math.round(silentMs / 1000)} s`;
    for (const { uid } of guests) if (!this.#told.has(uid)) this.#ended.set(uid, why);
  }

  /** Whether a guest may be started: not when it would have to end at once. */
  mayStart(nowMs = bootTimeMs()): boolean {
    const { heartbeat } = this.#options.deadMan;
    return !heartbeat || nowMs - heartbeat.sentAtMs < heartbeat.stopAfterMs - START_MARGIN_MS;
  }
}
