import type { Column } from '../../kind.ts';
import { addQuantities, formatQuantity, parseQuantity, type Quantity } from '../../quantity.ts';
import { type Infer, map, opt, quantity, req, string, struct } from '../../schema.ts';

/** Amounts in use, by the names of the resources. */
export const Usage = map(quantity);
export type Usage = Infer<typeof Usage>;

/** A span of time as Go writes it, such as `15s`. */
export const MetricsWindow = { ...string, name: 'io.k8s.apimachinery.pkg.apis.meta.v1.Duration' };

export const ContainerMetrics = struct(
  'io.k8s.metrics.pkg.apis.metrics.v1beta1.ContainerMetrics',
  'CPU and memory that a container uses.',
  {
    name: opt(1, string, 'Name of the container.'),
    usage: req(2, Usage, 'CPU and memory in use.'),
  },
);
export interface ContainerMetrics extends Infer<typeof ContainerMetrics> {}

/** CPU as metrics.k8s.io writes it: in billionths of a core. */
export const nanocores = (cores: number): string => (cores > 0 ? `${Math.round(cores * 1e9)}n` : '0');

/** Memory as metrics.k8s.io writes it: in kibibytes. */
export const kibibytes = (bytes: number): string => (bytes >= 1024 ? `${Math.floor(bytes / 1024)}Ki` : '0');

const ZERO: Quantity = { nano: 0n, form: 'decimal' };

const total = (usages: readonly Usage[], resource: string): string =>
  formatQuantity(usages.map((usage) => parseQuantity(usage[resource] ?? 0)).reduce(addQuantities, ZERO));

/** The columns of objects that say what is in use, called as metrics-server calls them. */
export const usageColumns = <T extends { window: string }>(usagesOf: (object: T) => readonly Usage[]): Column<T>[] => [
  ...['cpu', 'memory'].map(
    (resource): Column<T> => ({
      name: resource,
      type: 'string',
      format: 'quantity',
      description: `Amount of ${resource} in use.`,
      value: (object) => total(usagesOf(object), resource),
    }),
  ),
  {
    name: 'Window',
    type: 'string',
    format: 'duration',
    description: 'Span of time over which the CPU was measured.',
    value: ({ window }) => window,
  },
];
