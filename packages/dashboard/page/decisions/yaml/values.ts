/** A mapping, as YAML and JSON have it. */
export type Mapping = Readonly<Record<string, unknown>>;
/** The way from an object to a value in it: names of fields, and indexes in lists. */
export type Path = readonly (string | number)[];

export const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, i) => isEqual(each, b[i]));
  if (!isMapping(a) || !isMapping(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && isEqual(a[key], b[key]));
}

export function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const step of path) {
    if (Array.isArray(found)) found = found[Number(step)];
    else if (isMapping(found)) found = found[step];
    else return undefined;
  }
  return found;
}

/** The value with another one at a path; undefined removes it there. What is not on the path stays as it is. */
export function withValue(value: unknown, path: Path, next: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return next;
  if (typeof step === 'number') {
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    const inner = withValue(list[step], rest, next);
    if (inner === undefined) return list.filter((_, index) => index !== step);
    return Array.from({ length: Math.max(list.length, step + 1) }, (_, i) => (i === step ? inner : list[i]));
  }
  const mapping = isMapping(value) ? value : {};
  const inner =
    rest.length > 0 && next === undefined && !(step in mapping) ? undefined : withValue(mapping[step], rest, next);
  if (inner !== undefined) return { ...mapping, [step]: inner };
  const { [step]: _, ...others } = mapping;
  return others;
}

/** A path as the API writes it: `spec.volumes[0].name`; names with dots in brackets. */
export const pathText = (path: Path): string =>
  path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : /[.[\]]/.test(step) ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('');

/** Reads what the API writes as a path; names in brackets may be quoted. */
export function parsePath(text: string): Path {
  const steps: (string | number)[] = [];
  for (const [, bracketed, name] of text.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)) {
    if (name !== undefined) steps.push(name);
    else if (/^\d+$/.test(bracketed ?? '')) steps.push(Number(bracketed));
    else steps.push((bracketed ?? '').replace(/^["']|["']$/g, ''));
  }
  return steps;
}
