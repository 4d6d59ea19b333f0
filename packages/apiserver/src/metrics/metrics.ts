/** Counters, gauges and histograms in Prometheus' text format. */
export class Metrics {
  readonly #families = new Map<string, Family>();

  counter(
    name: string,
    help: string,
    labels: readonly string[] = [],
  ): (values?: readonly string[], by?: number) => void {
    const family = this.#family(name, help, 'counter');
    return (values = [], by = 1) => family.add(labelText(labels, values), by);
  }

  /** Read when asked for. */
  gauge(name: string, help: string, read: () => number): void {
    this.#family(name, help, 'gauge').read = read;
  }

  /** Many values under one name, read when asked for. */
  gauges(
    name: string,
    help: string,
    labels: readonly string[],
    read: () => Iterable<{ readonly labels: readonly string[]; readonly value: number }>,
  ): void {
    this.#family(name, help, 'gauge').readMany = function* () {
      for (const { labels: values, value } of read()) yield [labelText(labels, values), value];
    };
  }

  histogram(
    name: string,
    help: string,
    labels: readonly string[],
    buckets: readonly number[],
  ): (values: readonly string[], seconds: number) => void {
    const family = this.#family(name, help, 'histogram');
    family.buckets = buckets;
    return (values, seconds) => family.observe(labelText(labels, values), seconds);
  }

  render(): string {
    return `${[...this.#families.values()].map((family) => family.render()).join('\n')}\n`;
  }

  #family(name: string, help: string, type: string): Family {
    const family = new Family(name, help, type);
    this.#families.set(name, family);
    return family;
  }
}

class Family {
  readonly #name: string;
  readonly #help: string;
  readonly #type: string;
  readonly #values = new Map<string, number>();
  readonly #histograms = new Map<string, { counts: number[]; sum: number; count: number }>();
  buckets: readonly number[] = [];
  read: (() => number) | undefined;
  readMany: (() => Iterable<readonly [labels: string, value: number]>) | undefined;

  constructor(name: string, help: string, type: string) {
    this.#name = name;
    this.#help = help;
    this.#type = type;
  }

  add(labels: string, by: number): void {
    this.#values.set(labels, (this.#values.get(labels) ?? 0) + by);
  }

  observe(labels: string, value: number): void {
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

  render(): string {
    const lines = [`# HELP ${this.#name} ${this.#help}`, `# TYPE ${this.#name} ${this.#type}`];
    if (this.read) lines.push(`${this.#name} ${this.read()}`);
    for (const [labels, value] of this.readMany?.() ?? []) lines.push(`${this.#name}${braced(labels)} ${value}`);
    for (const [labels, value] of this.#values) lines.push(`${this.#name}${braced(labels)} ${value}`);
    for (const [labels, { counts, sum, count }] of this.#histograms) {
      let total = 0;
      for (const [index, bound] of this.buckets.entries()) {
        total += counts[index] ?? 0;
        lines.push(`${this.#name}_bucket${braced(joined(labels, `le="${bound}"`))} ${total}`);
      }
      lines.push(`${this.#name}_bucket${braced(joined(labels, 'le="+Inf"'))} ${count}`);
      lines.push(`${this.#name}_sum${braced(labels)} ${sum}`, `${this.#name}_count${braced(labels)} ${count}`);
    }
    return lines.join('\n');
  }
}

const braced = (labels: string): string => (labels ? `{${labels}}` : '');
const joined = (a: string, b: string): string => (a ? `${a},${b}` : b);
const labelText = (names: readonly string[], values: readonly string[]): string =>
  names.map((name, index) => `${name}="${escapeLabel(values[index] ?? '')}"`).join(',');
const escapeLabel = (value: string): string =>
  /[\\"\n]/.test(value) ? value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n') : value;
