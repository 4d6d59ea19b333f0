import { type Family, labelText, type OnMetricError } from './family.ts';
import type { Metrics } from './metrics.ts';

/** The media type of `exposition`. */
export const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * The metrics of components, by their names, in Prometheus' text format. Each metric stands once: of several components
 * that each have one of its own the label `container` tells which, as Prometheus does for containers asked one by one.
 * What cannot be read is left out, and `onError` is called.
 */
export async function exposition(
  components: ReadonlyMap<string, Metrics>,
  onError: OnMetricError = () => {},
  { names, labels = [] }: MetricSelection = {},
): Promise<string> {
  const byName = new Map<string, { container: string; family: Family }[]>();
  for (const [container, metrics] of components)
    for (const family of await metrics.families(onError)) {
      if (names && !names.has(family.spec.name)) continue;
      const others = byName.get(family.spec.name);
      if (others) others.push({ container, family });
      else byName.set(family.spec.name, [{ container, family }]);
    }
  const lines: string[] = [];
  for (const [name, families] of byName) {
    const { help, type } = (families[0] as { family: Family }).family.spec;
    lines.push(`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`);
    for (const { container, family } of families) {
      const isOneOfMany = components.size > 1 && family.spec.isShared;
      const all: string[] = labels.length > 0 ? [] : lines;
      family.appendTo(all, isOneOfMany ? labelText(['container'], [container]) : '', onError);
      if (labels.length > 0) for (const line of all) if (hasLabels(line, labels)) lines.push(line);
    }
  }
  lines.push('');
  return lines.join('\n');
}

/** Which metrics are wanted, and with which labels; everything if nothing is said. */
export interface MetricSelection {
  readonly names?: ReadonlySet<string>;
  readonly labels?: readonly (readonly [name: string, value: string])[];
}

/**
 * The selection that a query asks for: `name[]=METRIC`, as Prometheus' client for Java has it, and `label=NAME=VALUE`,
 * each as often as needed. A reader of a few lines need not take all of thousands of VMs.
 */
export function metricSelection(query: URLSearchParams): MetricSelection {
  const names = query.getAll('name[]');
  const labels = query.getAll('label').map((text): [string, string] => {
    const [name = '', value = ''] = text.split(/=(.*)/s);
    return [name, value];
  });
  return { ...(names.length > 0 && { names: new Set(names) }), labels };
}

/** Quotes within values are escaped, so that what is looked for is never a part of a value. */
function hasLabels(line: string, labels: readonly (readonly [string, string])[]): boolean {
  const text = `,${line.slice(line.indexOf('{') + 1, line.lastIndexOf('}'))},`;
  return labels.every(([name, value]) => text.includes(`,${labelText([name], [value])},`));
}

const escapeHelp = (text: string): string => text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
