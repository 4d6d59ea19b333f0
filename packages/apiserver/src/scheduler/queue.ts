import type { Persisted } from '@vireo/api';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { type Clock, keyOf } from '@vireo/kube';
import type { ClusterChange, Filter } from './filter.ts';
import { Heap } from './heap.ts';

const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 10_000;

interface Entry {
  readonly key: string;
  pod: Persisted<Pod>;
  /** Order among equal priorities: who came first. */
  readonly order: number;
  attempts: number;
  /** Not to be tried before. */
  notBefore: number;
  state: 'ready' | 'trying' | 'refused' | 'backingOff';
  refusedBy: readonly Filter[];
  cancelTimer?: () => void;
  /** Its place among those that are ready. */
  turn?: Turn | undefined;
}

/** A pod's place in the queue. The pod may get another one before this one comes. */
interface Turn {
  readonly entry: Entry;
  readonly priority: number;
}

/**
 * Pods that wait for a node: by priority, then by age. A pod that was refused rests until something happens that could
 * change the answer of a filter that refused it, and even then no sooner than its back-off ends.
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  /** Some may have been removed or handed out since: `turn` tells. */
  readonly #ready = new Heap<Turn>((a, b) => comesBefore(a, b));
  /** Refused pods by the changes that may help them; only these are looked at when something changes. */
  readonly #awaiting = new Map<ClusterChange, Set<Entry>>();
  #taker: ((pod: Persisted<Pod> | undefined) => void) | undefined;
  #count = 0;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A new pod, or one whose spec or labels changed: tried as soon as possible. */
  add(pod: Persisted<Pod>): void {
    const key = keyOf(pod);
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = { key, pod, order: this.#count++, attempts: 0, notBefore: 0, state: 'ready', refusedBy: [] };
      this.#entries.set(key, entry);
    }
    entry.pod = pod;
    if (entry.state !== 'trying') this.#makeReady(entry);
  }

  /** A newer version of a pod with the same spec and labels. */
  refresh(pod: Persisted<Pod>): void {
    const entry = this.#entries.get(keyOf(pod));
    if (entry) entry.pod = pod;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.cancelTimer?.();
    entry.turn = undefined;
    this.#awaitNothing(entry);
    this.#entries.delete(key);
  }

  /** The next pod to try; undefined once the queue is closed. For one caller at a time. */
  take(): Promise<Persisted<Pod> | undefined> {
    const { promise, resolve } = Promise.withResolvers<Persisted<Pod> | undefined>();
    this.#taker = resolve;
    this.#handOut();
    return promise;
  }

  /** Rests the pod until a change that one of the filters waits for. */
  addUnschedulable(key: string, refusedBy: readonly Filter[]): void {
    const entry = this.#afterAttempt(key);
    if (!entry) return;
    entry.state = 'refused';
    entry.refusedBy = refusedBy;
    for (const change of refusedBy.flatMap(({ wokenBy }) => wokenBy)) {
      const entries = this.#awaiting.get(change) ?? new Set();
      this.#awaiting.set(change, entries.add(entry));
    }
  }

  /** Tries the pod again after its back-off, whatever happens: the attempt itself went wrong. */
  requeueAfterBackoff(key: string): void {
    const entry = this.#afterAttempt(key);
    if (entry) this.#wake(entry);
  }

  /** Tries the pods again that wait for such a change in the cluster. */
  wakeOn(change: ClusterChange): void {
    for (const entry of [...(this.#awaiting.get(change) ?? [])]) this.#wake(entry);
  }

  close(): void {
    this.#closed = true;
    for (const { cancelTimer } of this.#entries.values()) cancelTimer?.();
    this.#taker?.(undefined);
  }

  #afterAttempt(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    entry.attempts++;
    const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (entry.attempts - 1), MAX_BACKOFF_MS);
    entry.notBefore = this.#clock.now() + backoffMs;
    return entry;
  }

  #awaitNothing(entry: Entry): void {
    for (const { wokenBy } of entry.refusedBy) for (const change of wokenBy) this.#awaiting.get(change)?.delete(entry);
    entry.refusedBy = [];
  }

  #wake(entry: Entry): void {
    this.#awaitNothing(entry);
    const waitMs = entry.notBefore - this.#clock.now();
    if (waitMs <= 0) {
      this.#makeReady(entry);
      return;
    }
    entry.state = 'backingOff';
    entry.cancelTimer?.();
    entry.cancelTimer = this.#clock.after(waitMs, () => this.#makeReady(entry));
  }

  #makeReady(entry: Entry): void {
    entry.cancelTimer?.();
    this.#awaitNothing(entry);
    entry.state = 'ready';
    entry.turn = { entry, priority: entry.pod.spec?.priority ?? 0 };
    this.#ready.add(entry.turn);
    this.#handOut();
  }

  #handOut(): void {
    const taker = this.#taker;
    if (!taker) return;
    if (this.#closed) {
      taker(undefined);
      return;
    }
    const next = this.#first();
    if (!next) return;
    this.#taker = undefined;
    next.turn = undefined;
    next.state = 'trying';
    taker(next.pod);
  }

  #first(): Entry | undefined {
    for (let turn = this.#ready.take(); turn; turn = this.#ready.take())
      if (turn.entry.turn === turn) return turn.entry;
    return undefined;
  }
}

const comesBefore = (a: Turn, b: Turn): boolean =>
  a.priority === b.priority ? a.entry.order < b.entry.order : a.priority > b.priority;
