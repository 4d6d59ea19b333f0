/** A metric as a text in Prometheus' format has it. */
export interface ParsedMetric {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly ParsedSample[];
}

export interface ParsedSample {
  /** With `_bucket`, `_sum` or `_count` at its end where the metric is a histogram. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const HELP = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\]|\\\\|\\n)*)$/;
const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/;
const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|\+Inf|-Inf|NaN)$/i;

/**
 * Reads Prometheus' text format as strictly as its description is: every metric has its HELP and TYPE once and all its
 * lines behind them, names and labels are well formed, no series stands twice, histograms add up. Throws on anything else.
 */
export function parseExposition(text: string): Map<string, ParsedMetric> {
  if (!text.endsWith('\n')) throw new Error('the text does not end with a line feed');
  const metrics = new Map<string, ParsedMetric & { samples: ParsedSample[] }>();
  const series = new Set<string>();
  const lines = text.slice(0, -1).split('\n');
  let current: { name: string; type: string; samples: ParsedSample[] } | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const fail = (why: string): never => {
      throw new Error(`line ${at + 1}, ${JSON.stringify(line)}: ${why}`);
    };
    if (line.startsWith('#')) {
      const [, name = fail('no HELP'), help = ''] = HELP.exec(line) ?? [];
      const [, typed, type = ''] = TYPE.exec(lines[++at] ?? '') ?? [];
      if (typed !== name) fail('not followed by the TYPE of the same metric');
      if (metrics.has(name)) fail('a metric that stood before');
      current = { name, type, samples: [] };
      metrics.set(name, { help, type, samples: current.samples });
      continue;
    }
    const [, name = fail('no sample'), labelText = '', number = ''] = SAMPLE.exec(line) ?? [];
    if (!current) return fail('a sample of no metric');
    const suffix = name.slice(current.name.length);
    const isOurs = name.startsWith(current.name) && suffixesOf(current.type).includes(suffix);
    if (!isOurs) fail(`not of ${current.name}`);
    if (!NUMBER.test(number)) fail('no number');
    const labels = parseLabels(labelText, fail);
    const identity = `${name}${JSON.stringify(Object.entries(labels).sort())}`;
    if (series.has(identity)) fail('a series that stood before');
    series.add(identity);
    const value = Number(number.replace(/Inf$/i, 'Infinity'));
    if (current.type === 'counter' && value < -1) fail('a counter below nothing');
    current.samples.push({ name, labels, value });
  }
  for (const [name, metric] of metrics) if (metric.type === 'histogram') checkHistogram(name, metric.samples);
  return metrics;
}

const suffixesOf = (type: string): readonly string[] => (type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']);

function parseLabels(text: string, fail: (why: string) => never): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = text; rest !== ''; ) {
    const [whole = '', name = fail('no label'), value = ''] = LABEL.exec(rest) ?? [];
    if (Object.hasOwn(labels, name)) fail(`the label ${name} stands twice`);
    labels[name] = value.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
    rest = rest.slice(whole.length);
  }
  return labels;
}

/** Buckets never fall, the last is +Inf and equals the count; every series has its sum. */
function checkHistogram(name: string, samples: readonly ParsedSample[]): void {
  const bySeries = new Map<string, ParsedSample[]>();
  for (const sample of samples) {
    const { le: _, ...rest } = sample.labels;
    const key = JSON.stringify(Object.entries(rest).sort());
    bySeries.set(key, [...(bySeries.get(key) ?? []), sample]);
  }
  for (const [key, all] of bySeries) {
    const buckets = all.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')));
    const [count] = all.filter((sample) => sample.name === `${name}_count`);
    const sums = all.filter((sample) => sample.name === `${name}_sum`);
    const isRising = (values: readonly number[], by: (a: number, b: number) => boolean): boolean =>
      values.every((value, index) => index === 0 || by(values[index - 1] as number, value));
    const isWhole =
      isRising(bounds, (a, b) => a < b) &&
      isRising(
        buckets.map(({ value }) => value),
        (a, b) => a <= b,
      ) &&
      bounds.at(-1) === Number.POSITIVE_INFINITY &&
      buckets.at(-1)?.value === count?.value &&
      sums.length === 1;
    if (!isWhole) throw new Error(`the histogram ${name} ${key} does not add up`);
  }
}
