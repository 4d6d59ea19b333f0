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
): Promise<string> {
  const byName = new Map<string, { container: string; family: Family }[]>();
  for (const [container, metrics] of components)
    for (const family of await metrics.families(onError)) {
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
      family.appendTo(lines, isOneOfMany ? labelText(['container'], [container]) : '', onError);
    }
  }
  lines.push('');
  return lines.join('\n');
}

const escapeHelp = (text: string): string => text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
