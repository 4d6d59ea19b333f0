import { FIELDS, type Field } from '../../../src/figures/fields.ts';
import type { Range } from '../../../src/figures/history.ts';
import type { Columns } from '../../../src/figures/tier.ts';
import { formatBytes } from '../quantity.ts';

export type Unit = 'cores' | 'bytes' | 'bytesPerSecond' | 'perSecond';

/** One line of a chart. */
export interface Line {
  readonly field: Field;
  readonly label: string;
  /** Drawn below the axis, so that both directions are seen at once. */
  readonly isDown?: boolean;
}

export interface ChartSpec {
  readonly key: string;
  readonly title: string;
  readonly unit: Unit;
  readonly lines: readonly Line[];
}

export const CHARTS: readonly ChartSpec[] = [
  { key: 'cpu', title: 'CPU', unit: 'cores', lines: [{ field: 'cpuCores', label: 'used' }] },
  { key: 'memory', title: 'Memory', unit: 'bytes', lines: [{ field: 'memoryUsed', label: 'used' }] },
  {
    key: 'disk',
    title: 'Disks',
    unit: 'bytesPerSecond',
    lines: [
      { field: 'diskReadBytes', label: 'read' },
      { field: 'diskWriteBytes', label: 'written', isDown: true },
    ],
  },
  {
    key: 'operations',
    title: 'Disk operations',
    unit: 'perSecond',
    lines: [
      { field: 'diskReads', label: 'reads' },
      { field: 'diskWrites', label: 'writes', isDown: true },
    ],
  },
  {
    key: 'network',
    title: 'Network',
    unit: 'bytesPerSecond',
    lines: [
      { field: 'networkInBytes', label: 'in' },
      { field: 'networkOutBytes', label: 'out', isDown: true },
    ],
  },
];

export const RANGE_TITLES: Readonly<Record<Range, string>> = { live: '5 min', hour: '1 h', day: '24 h' };

/** A figure with its unit: `0.98 cores`, `1.5 MiB/s`, `12 /s`. */
export function formatFigure(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '–';
  const size = Math.abs(value);
  switch (unit) {
    case 'cores':
      return `${formatCores(size)} ${size === 1 ? 'core' : 'cores'}`;
    case 'bytes':
      return formatBytes(Math.round(size));
    case 'bytesPerSecond':
      return `${formatBytes(Math.round(size))}/s`;
    case 'perSecond':
      return `${size >= 10 ? Math.round(size) : Math.round(size * 10) / 10} /s`;
  }
}

/** Cores as people compare them: two places, fewer if they are 0. */
export const formatCores = (cores: number): string => String(Math.round(cores * 100) / 100);

/** What uPlot draws: times in seconds, then each line; those that point down are negative. */
export function plotData({ lines }: Pick<ChartSpec, 'lines'>, { timesMs, values }: Columns): (number | null)[][] {
  const empty = timesMs.map(() => null);
  return [
    timesMs.map((ms) => ms / 1000),
    ...lines.map(({ field, isDown }) => {
      const column = values[field] ?? empty;
      return isDown ? column.map((value) => (value === null ? null : -value)) : [...column];
    }),
  ];
}

/** The axis from 0, with what was given in sight, and room above. */
export function axisRange(
  { unit, lines }: Pick<ChartSpec, 'unit' | 'lines'>,
  least: number | null,
  most: number | null,
  given: number | undefined,
): [number, number] {
  const floor = unit === 'cores' ? 0.1 : unit === 'perSecond' ? 1 : 1024;
  const top = Math.max(given ?? 0, most ?? 0, floor) * 1.1;
  const bottom = lines.some(({ isDown }) => isDown) ? Math.min(least ?? 0, -floor) * 1.1 : 0;
  return [bottom, top];
}

/** The newest figure of a field that is known. */
export function newest({ values }: Columns, field: Field): number | null {
  return values[field]?.at(-1) ?? null;
}

/** Whether anything was ever known of a chart. */
export const hasValues = ({ lines }: Pick<ChartSpec, 'lines'>, { values }: Columns): boolean =>
  lines.some(({ field }) => values[field]?.some((value) => value !== null) ?? false);

/** What is said in place of a line that nobody knows, so that it is not taken for 0. */
export function missingText(key: string, origin: 'guests' | 'launchers', hasAgent: boolean): string {
  if (origin === 'launchers' && key !== 'cpu' && key !== 'memory')
    return 'Not known: metrics.k8s.io has CPU and memory only. With the right to get /metrics it would be.';
  if (key === 'memory') return 'The guest does not report its memory: it has no balloon driver, or has just started.';
  if (key === 'network' && !hasAgent)
    return 'Not counted: no guest agent reports, and the host does not count the pod network.';
  return 'Nothing has been measured yet.';
}

/** Starts of a machine, each once: what counters tell and what the instance says of its own start. */
export function marksOf(restartsMs: readonly number[], createdAt: string | undefined, fromMs: number): number[] {
  const createdMs = Date.parse(createdAt ?? '');
  const marks = Number.isNaN(createdMs) ? [] : [createdMs];
  // A restart is seen with the sample after it.
  for (const atMs of restartsMs) if (!marks.some((mark) => Math.abs(mark - atMs) < SAME_START_MS)) marks.push(atMs);
  return marks.filter((mark) => mark >= fromMs).sort((a, b) => a - b);
}
const SAME_START_MS = 60_000;

/** Rows of the table of values: at most `most` of the points, the newest first. */
export function tableRows({ timesMs, values }: Columns, most: number) {
  const points = timesMs
    .map((ms, index) => ({ ms, figures: FIELDS.map((field) => [field, values[field]?.[index] ?? null] as const) }))
    .filter(({ figures }) => figures.some(([, value]) => value !== null));
  const step = Math.max(1, Math.ceil(points.length / most));
  return points
    .reverse()
    .filter((_, index) => index % step === 0)
    .map(({ ms, figures }) => ({ ms, figures: Object.fromEntries(figures) as Record<Field, number | null> }));
}
