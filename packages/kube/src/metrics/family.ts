/** What a metric is: its name and what whoever reads it has to know. */
export interface MetricSpec {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** Whether every component has one of its own, so that in one text a label has to tell them apart. */
  readonly isShared?: boolean;
}

/** One line of a metric: the values of its labels, in their order, and how much. */
export interface Sample {
  readonly labels: readonly string[];
  readonly value: number;
  /** Further labels, whose names depend on the object: the text that `labelText` made of them. */
  readonly more?: string;
}

/** Told of a metric that cannot be read. */
export type OnMetricError = (metric: string, error: unknown) => void;

interface Histogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** All series of one name. */
export class Family {
  readonly spec: MetricSpec;
  /** Upper bounds of a histogram. */
  readonly buckets: readonly number[];
  /** Where samples come from that are read when they are asked for. */
  readonly readers: (() => Iterable<Sample>)[] = [];
  readonly #values = new Map<string, number>();
  readonly #histograms = new Map<string, Histogram>();

  constructor(spec: MetricSpec, buckets: readonly number[] = []) {
    this.spec = spec;
    this.buckets = buckets;
  }

  add(values: readonly string[], by: number): void {
    const labels = labelText(this.spec.labels, values);
    this.#values.set(labels, (this.#values.get(labels) ?? 0) + by);
  }

  observe(values: readonly string[], value: number): void {
    const labels = labelText(this.spec.labels, values);
    let entry = this.#histograms.get(labels);
    if (!entry) {
      entry = { counts: this.buckets.map(() => 0), sum: 0, count: 0 };
      this.#histograms.set(labels, entry);
    }
    const bucket = this.buckets.findIndex((bound) => value <= bound);
    if (bucket >= 0) entry.counts[bucket] = (entry.counts[bucket] ?? 0) + 1;
    entry.sum += value;
    entry.count++;
  }

  /**
   * Appends its lines, without the head. `extra`: text of labels that every line gets in front of its own. What cannot be
   * read is left out, and `onError` is called: one odd object must not hide all others.
   */
  appendTo(lines: string[], extra: string, onError: OnMetricError): void {
    const { name, labels: names } = this.spec;
    for (const read of this.readers) {
      const before = lines.length;
      try {
        for (const { labels, value, more = '' } of read())
          lines.push(line(name, joinLabels(extra, joinLabels(labelText(names, labels), more)), value));
      } catch (error) {
        lines.length = before;
        onError(name, error);
      }
    }
    for (const [labels, value] of this.#values) lines.push(line(name, joinLabels(extra, labels), value));
    for (const [labels, { counts, sum, count }] of this.#histograms) {
      const all = joinLabels(extra, labels);
      let total = 0;
      for (const [index, bound] of this.buckets.entries()) {
        total += counts[index] ?? 0;
        lines.push(line(`${name}_bucket`, joinLabels(all, `le="${numberText(bound)}"`), total));
      }
      lines.push(line(`${name}_bucket`, joinLabels(all, 'le="+Inf"'), count));
      lines.push(line(`${name}_sum`, all, sum));
      lines.push(line(`${name}_count`, all, count));
    }
  }
}

const line = (name: string, labels: string, value: number): string =>
  labels ? `${name}{${labels}} ${numberText(value)}` : `${name} ${numberText(value)}`;

const joinLabels = (a: string, b: string): string => (a && b ? `${a},${b}` : a || b);

/** Labels as they stand between braces. An empty label is to Prometheus what a missing one is; it is left out. */
export function labelText(names: readonly string[], values: readonly string[]): string {
  let text = '';
  for (let index = 0; index < names.length; index++) {
    const value = values[index];
    if (value) text += `${text && ','}${names[index]}="${escapeLabel(value)}"`;
  }
  return text;
}

const escapeLabel = (value: string): string =>
  /[\\"\n]/.test(value) ? value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n') : value;

/** In Go's words where JavaScript has others. */
const numberText = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? '+Inf' : value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
