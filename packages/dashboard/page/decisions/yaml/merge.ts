import { isEqual, isMapping, type Path } from './values.ts';

/** Where both sides changed the same value to something different. */
export interface Clash {
  readonly path: Path;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface Merged {
  readonly value: unknown;
  /** Mine stands in the value at these places. */
  readonly clashes: readonly Clash[];
}

/**
 * What comes of two changes of the same object. Lists of named things (disks, volumes, networks) are merged by name, as
 * server-side apply would; other lists are one value. Where both changed the same value, mine stands, and the clash is told.
 */
export function mergeThreeWay(base: unknown, mine: unknown, theirs: unknown, path: Path = []): Merged {
  if (isEqual(mine, theirs) || isEqual(base, theirs)) return { value: mine, clashes: [] };
  if (isEqual(base, mine)) return { value: theirs, clashes: [] };
  if (isMapping(mine) && isMapping(theirs)) return mergeMappings(isMapping(base) ? base : {}, mine, theirs, path);
  if (isNamedList(mine) && isNamedList(theirs) && (base === undefined || isNamedList(base)))
    return mergeLists(base ?? [], mine, theirs, path);
  return { value: mine, clashes: [{ path, mine, theirs }] };
}

type Fields = Readonly<Record<string, unknown>>;

function mergeMappings(base: Fields, mine: Fields, theirs: Fields, path: Path): Merged {
  const clashes: Clash[] = [];
  const entries: [string, unknown][] = [];
  for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    const merged = mergeThreeWay(base[key], mine[key], theirs[key], [...path, key]);
    clashes.push(...merged.clashes);
    if (merged.value !== undefined) entries.push([key, merged.value]);
  }
  return { value: Object.fromEntries(entries), clashes };
}

interface Named extends Fields {
  readonly name?: string;
  readonly metadata?: { readonly name?: string };
}

const nameIn = (item: Named): string | undefined => item.name ?? item.metadata?.name;

/** Whether every item has a name of its own. */
function isNamedList(value: unknown): value is readonly Named[] {
  if (!Array.isArray(value) || !value.every(isMapping)) return false;
  const names = value.map((item) => nameIn(item as Named));
  return names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
}

/** In the order of mine, with what they added at the end. */
function mergeLists(base: readonly Named[], mine: readonly Named[], theirs: readonly Named[], path: Path): Merged {
  const find = (list: readonly Named[], name: string | undefined): Named | undefined =>
    list.find((item) => nameIn(item) === name);
  const clashes: Clash[] = [];
  const items: unknown[] = [];
  const names = new Set([...mine, ...theirs].map(nameIn));
  for (const name of names) {
    const merged = mergeThreeWay(find(base, name), find(mine, name), find(theirs, name), [...path, items.length]);
    clashes.push(...merged.clashes);
    if (merged.value !== undefined) items.push(merged.value);
  }
  return { value: items, clashes };
}
