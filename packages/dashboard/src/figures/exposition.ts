import type { Field, MachineSample, Samples } from './fields.ts';

/** Counters of `/metrics`: what each adds to, and the label that tells devices apart. */
const COUNTERS: Readonly<Record<string, readonly [Field, string?]>> = {
  kubevirt_vmi_cpu_usage_seconds_total: ['cpuCores'],
  kubevirt_vmi_storage_read_traffic_bytes_total: ['diskReadBytes', 'drive'],
  kubevirt_vmi_storage_write_traffic_bytes_total: ['diskWriteBytes', 'drive'],
  kubevirt_vmi_storage_iops_read_total: ['diskReads', 'drive'],
  kubevirt_vmi_storage_iops_write_total: ['diskWrites', 'drive'],
  kubevirt_vmi_network_receive_bytes_total: ['networkInBytes', 'interface'],
  kubevirt_vmi_network_transmit_bytes_total: ['networkOutBytes', 'interface'],
};
const AVAILABLE = 'kubevirt_vmi_memory_available_bytes';
const USABLE = 'kubevirt_vmi_memory_usable_bytes';

/** The metrics that a list of machines needs, and those that charts need. */
export const LIST_METRICS = ['kubevirt_vmi_cpu_usage_seconds_total', AVAILABLE, USABLE];
export const CHART_METRICS = [...Object.keys(COUNTERS), AVAILABLE, USABLE];

const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;
/** From the brace to the value; a label may have braces and spaces in its value. */
const REST = /^\{(.*)\} (\S+)(?: -?\d+)?$/;

interface Draft {
  readonly counters: Map<string, number>;
  node?: string;
  available?: number;
  usable?: number;
}

/** Reads what Prometheus' text format says of guests; everything else is passed over. */
export function parseExposition(text: string, atMs: number): Samples {
  const drafts = new Map<string, Draft>();
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found;
    if (text.startsWith('kubevirt_vmi_', start)) readLine(text.slice(start, end), drafts);
    start = end + 1;
  }
  return new Map([...drafts].map(([key, draft]) => [key, sampleOf(draft, atMs)]));
}

function readLine(line: string, drafts: Map<string, Draft>): void {
  const brace = line.indexOf('{');
  const metric = line.slice(0, brace);
  const counter = Object.hasOwn(COUNTERS, metric) ? COUNTERS[metric] : undefined;
  if (!counter && metric !== AVAILABLE && metric !== USABLE) return;
  const [, labelText = '', valueText] = REST.exec(line.slice(brace)) ?? [];
  const value = Number(valueText);
  if (!Number.isFinite(value) || value < 0) return;
  const labels = new Map<string, string>();
  for (const [, name = '', content = ''] of labelText.matchAll(LABEL)) labels.set(name, content);
  const [namespace, name] = [labels.get('namespace'), labels.get('name')];
  if (!namespace || !name) return;
  const draft = draftOf(drafts, `${namespace}/${name}`);
  draft.node ??= labels.get('node');
  if (metric === AVAILABLE) draft.available = value;
  else if (metric === USABLE) draft.usable = value;
  else if (counter) addTo(draft.counters, `${counter[0]}|${labels.get(counter[1] ?? '') ?? ''}`, value);
}

function draftOf(drafts: Map<string, Draft>, key: string): Draft {
  const known = drafts.get(key) ?? { counters: new Map<string, number>() };
  drafts.set(key, known);
  return known;
}

const addTo = (counters: Map<string, number>, key: string, value: number): void => {
  counters.set(key, (counters.get(key) ?? 0) + value);
};

/** Without a balloon driver the guest does not say how much it could spare, and then nobody knows what it uses. */
function sampleOf({ counters, node, available, usable }: Draft, atMs: number): MachineSample {
  const isKnown = available !== undefined && usable !== undefined && available > 0;
  const gauges = isKnown ? { memoryUsed: Math.max(0, available - usable), memoryTotal: available } : {};
  return { origin: 'guests', ...(node && { node }), atMs, counters, gauges };
}
