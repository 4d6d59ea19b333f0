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
  read(spec: MetricSpec, read: () => Iterable<Sample>): void {
    this.#family(spec).readers.push(read);
  }

  /** Has something done before the metrics are read: that which takes a call to somebody. It must end soon. */
  prepare(action: () => Promise<void>): void {
    this.#preparations.push(action);
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
