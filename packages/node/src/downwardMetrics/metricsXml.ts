import { el, writeXml } from '@vireo/hypervisor/xml.ts';

/** What a metric is of: the guest's node, or the guest. */
type Context = 'host' | 'vm';
type Type = 'string' | 'int64' | 'uint64' | 'real64';

/** One metric, as vhostmd writes it. */
export interface Metric {
  readonly context: Context;
  readonly name: string;
  readonly type: Type;
  readonly unit?: string;
  readonly value: string | number;
}

/** A text that does not change, such as a name. */
export const text = (name: string, value: string): Metric => ({ context: 'host', name, type: 'string', value });

/** A whole number. */
export const whole = (context: Context, name: string, value: number, unit?: string): Metric => ({
  context,
  name,
  type: context === 'host' && unit !== 'KiB' ? 'int64' : 'uint64',
  value,
  ...(unit !== undefined && { unit }),
});

/** CPU time. */
export const seconds = (context: Context, name: string, value: number): Metric => ({
  context,
  name,
  type: 'real64',
  unit: 's',
  value,
});

const VALUE_DIGITS = 6;
const written = ({ type, value }: Metric): string =>
  type === 'real64' ? Number(value).toFixed(VALUE_DIGITS) : String(value);

/** The document that programs in guests read, in the form of vhostmd. */
export const metricsXml = (metrics: readonly Metric[]): string =>
  writeXml(
    el(
      'metrics',
      {},
      ...metrics.map((metric) =>
        el(
          'metric',
          { type: metric.type, context: metric.context, unit: metric.unit },
          el('name', {}, metric.name),
          el('value', {}, written(metric)),
        ),
      ),
    ),
  );

/** What is said while nothing is known. */
export const NO_METRICS = '<metrics><!-- host metrics not available --><!-- VM metrics not available --></metrics>';
