import { Family, type MetricSpec, type OnMetricError, type Sample } from './family.ts';

/** A metric whose type is said by the method that makes it. */
type Described = Omit<MetricSpec, 'type' | 'labels'> & Partial<Pick<MetricSpec, 'labels'>>;

/** The metrics of one component: counted as things happen, or read when somebody asks. */
export class Metrics {
  readonly #families = new Map<string, Family>();
  readonly #preparations: (() => Promise<void>)[] = [];

  /** Returns what counts one more, or `by` more. */
  counter(spec: Described): (values?: readonly string[], by?: number) => void {
    const family = this.#family({ labels: [], ...spec, type: 'counter' });
    return (values = [], by = 1) => family.add(values, by);
  }

  /** Returns what notes one more value; `buckets`: their upper bounds. */
  histogram(spec: Described, buckets: readonly number[]): (values: readonly string[], value: number) => void {
    const family = this.#family({ labels: [], ...spec, type: 'histogram' }, buckets);
    return (values, value) => family.observe(values, value);
  }

  /** One value, read when it is asked for. */
  gauge(name: string, help: string, read: () => number): void {
    this.read({ name, help, labels: [], type: 'gauge' }, () => [{ labels: [], value: read() }]);
  }

  /** Many values under one name, read when they are asked for. Asked for twice, the metric has the values of both. */
  read(spec: MetricSpec, read: () => Iterable<Sample>, signal?: AbortSignal): void {
    addUntil(this.#family(spec).readers, read, signal);
  }

  /** Has something done before the metrics are read: that which takes a call to somebody. It must end soon. */
  prepare(action: () => Promise<void>, signal?: AbortSignal): void {
    addUntil(this.#preparations, action, signal);
  }

  /** The same metrics, for somebody who comes and goes: what is read for them is read until the signal aborts. */
  until(signal: AbortSignal): Metrics {
    return new PassingMetrics(this, signal);
  }

  /** What `exposition` reads, after all preparations. */
  async families(onError: OnMetricError): Promise<readonly Family[]> {
    const reportError = (error: unknown): void => onError('', error);
    await Promise.all(this.#preparations.map((action) => action().catch(reportError)));
    return [...this.#families.values()];
  }

  /** What there is, values aside. */
  specs(): MetricSpec[] {
    return [...this.#families.values()].map(({ spec }) => spec);
  }

  #family(spec: MetricSpec, buckets?: readonly number[]): Family {
    const known = this.#families.get(spec.name);
    if (known) return known;
    const family = new Family(spec, buckets);
    this.#families.set(spec.name, family);
    return family;
  }
}

/** See `Metrics.until`. What was counted stays. */
class PassingMetrics extends Metrics {
  readonly #lasting: Metrics;
  readonly #signal: AbortSignal;

  constructor(lasting: Metrics, signal: AbortSignal) {
    super();
    this.#lasting = lasting;
    this.#signal = signal;
  }

  override counter(spec: Described) {
    return this.#lasting.counter(spec);
  }

  override histogram(spec: Described, buckets: readonly number[]) {
    return this.#lasting.histogram(spec, buckets);
  }

  override read(spec: MetricSpec, read: () => Iterable<Sample>, signal = this.#signal): void {
    this.#lasting.read(spec, read, signal);
  }

  override prepare(action: () => Promise<void>, signal = this.#signal): void {
    this.#lasting.prepare(action, signal);
  }

  override families(onError: OnMetricError) {
    return this.#lasting.families(onError);
  }

  override specs(): MetricSpec[] {
    return this.#lasting.specs();
  }
}

function addUntil<T>(all: T[], one: T, signal: AbortSignal | undefined): void {
  if (signal?.aborted) return;
  all.push(one);
  signal?.addEventListener('abort', () => all.splice(all.indexOf(one), 1), { once: true });
}
