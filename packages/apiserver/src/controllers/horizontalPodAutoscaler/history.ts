/** A number that holds since a moment. */
export interface Timed {
  readonly atMs: number;
  readonly value: number;
}

/** What an autoscaler has wanted and done. */
export interface History {
  readonly recommendations: readonly Timed[];
  readonly scaleUps: readonly Timed[];
  readonly scaleDowns: readonly Timed[];
  /** Of its target's pods, as last seen. */
  readonly selector?: string;
}

const NONE: History = { recommendations: [], scaleUps: [], scaleDowns: [] };
/** The longest window that a behavior may have, and the longest period of a policy, are shorter. */
const KEPT_MS = 3_600_000;

/** What each autoscaler has wanted and done lately. As in Kubernetes, nothing of it outlives the process. */
export class Histories {
  readonly #byKey = new Map<string, History>();

  of(key: string): History {
    return this.#byKey.get(key) ?? NONE;
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }

  /** Notes what is wanted. The first thing that is known of an autoscaler is how many replicas its target had. */
  recommend(key: string, value: number, nowMs: number): void {
    this.#change(key, ({ recommendations }) => ({ recommendations: added(recommendations, value, nowMs) }));
  }

  scaled(key: string, from: number, to: number, nowMs: number): void {
    this.#change(key, ({ scaleUps, scaleDowns }) =>
      to > from ? { scaleUps: added(scaleUps, to - from, nowMs) } : { scaleDowns: added(scaleDowns, from - to, nowMs) },
    );
  }

  selects(key: string, selector: string): void {
    this.#change(key, () => ({ selector }));
  }

  /** The autoscalers of a namespace with the selectors of their targets. */
  *selectorsIn(namespace: string): Iterable<readonly [key: string, selector: string]> {
    for (const [key, { selector }] of this.#byKey)
      if (selector !== undefined && key.startsWith(`${namespace}/`)) yield [key, selector];
  }

  #change(key: string, change: (history: History) => Partial<History>): void {
    const history = this.of(key);
    this.#byKey.set(key, { ...history, ...change(history) });
  }
}

const added = (all: readonly Timed[], value: number, nowMs: number): Timed[] => [
  ...all.filter(({ atMs }) => atMs > nowMs - KEPT_MS),
  { atMs: nowMs, value },
];
