import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { type Clock, keyOf } from '@vireo/kube';
import type { ClusterChange, Filter } from './filter.ts';

const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 10_000;

interface Entry {
  readonly key: string;
  pod: Pod;
  /** Order among equal priorities: who came first. */
  readonly order: number;
  attempts: number;
  /** Not to be tried before. */
  notBefore: number;
  state: 'ready' | 'trying' | 'refused' | 'backingOff';
  refusedBy: readonly Filter[];
  cancelTimer?: () => void;
}

/**
 * Pods that wait for a node: by priority, then by age. A pod that was refused rests until something happens that could
 * change the answer of a filter that refused it, and even then no sooner than its back-off ends.
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #ready = new Map<string, Entry>();
  #taker: ((pod: Pod | undefined) => void) | undefined;
  #count = 0;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A new pod, or one whose wishes changed: tried as soon as possible. */
  add(pod: Pod): void {
    const key = keyOf(pod);
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = { key, pod, order: this.#count++, attempts: 0, notBefore: 0, state: 'ready', refusedBy: [] };
      this.#entries.set(key, entry);
    }
    entry.pod = pod;
    if (entry.state !== 'trying') this.#makeReady(entry);
  }

  /** A newer version of a pod whose wishes are the same. */
  refresh(pod: Pod): void {
    const entry = this.#entries.get(keyOf(pod));
    if (entry) entry.pod = pod;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  remove(key: string): void {
    this.#entries.get(key)?.cancelTimer?.();
    this.#entries.delete(key);
    this.#ready.delete(key);
  }

  /** The next pod to try; undefined once the queue is closed. For one caller at a time. */
  take(): Promise<Pod | undefined> {
    const { promise, resolve } = Promise.withResolvers<Pod | undefined>();
    this.#taker = resolve;
    this.#handOut();
    return promise;
  }

  /** Rests the pod until a change that one of the filters waits for. */
  refused(key: string, refusedBy: readonly Filter[]): void {
    const entry = this.#afterAttempt(key);
    if (!entry) return;
    entry.state = 'refused';
    entry.refusedBy = refusedBy;
  }

  /** Tries the pod again after its back-off, whatever happens: the attempt itself went wrong. */
  failed(key: string): void {
    const entry = this.#afterAttempt(key);
    if (entry) this.#wake(entry);
  }

  /** Something changed in the cluster. */
  happened(change: ClusterChange): void {
    for (const entry of this.#entries.values())
      if (entry.state === 'refused' && entry.refusedBy.some(({ wokenBy }) => wokenBy.includes(change)))
        this.#wake(entry);
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
    const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (entry.attempts - 1), LONGEST_BACKOFF_MS);
    entry.notBefore = this.#clock.now() + backoffMs;
    return entry;
  }

  #wake(entry: Entry): void {
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
    entry.state = 'ready';
    this.#ready.set(entry.key, entry);
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
    this.#ready.delete(next.key);
    next.state = 'trying';
    taker(next.pod);
  }

  #first(): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#ready.values()) if (!first || comesBefore(entry, first)) first = entry;
    return first;
  }
}

function comesBefore(a: Entry, b: Entry): boolean {
  const [left, right] = [a.pod.spec?.priority ?? 0, b.pod.spec?.priority ?? 0];
  return left === right ? a.order < b.order : left > right;
}
