import { isObject } from '@vireo/api/json.ts';

/** Of pages whose size nobody has said. */
const LARGEST_PAGE = 100_000;

/** Which of the objects, in which order, and how many pages that is. */
export interface Selection<T> {
  readonly items: readonly T[];
  readonly count: number;
  readonly pages?: number;
}

/**
 * What the queries `filter`, `sort`, `page` and `pagesize` ask for.
 *
 * @example
 * select(objects, new URLSearchParams('filter=metadata.name=web&sort=-metadata.creationTimestamp&page=1&pagesize=10'))
 */
export function select<T extends object>(objects: readonly T[], query: URLSearchParams): Selection<T> {
  const filters = query.getAll('filter').map(parseFilter);
  const matching = objects.filter((object) => filters.every((alternatives) => alternatives.some((is) => is(object))));
  const sorted = sort(matching, query.get('sort'));
  const pageSize = positive(query.get('pagesize')) ?? (query.has('page') ? LARGEST_PAGE : undefined);
  if (!pageSize) return { items: sorted, count: sorted.length };
  const start = ((positive(query.get('page')) ?? 1) - 1) * pageSize;
  return {
    items: sorted.slice(start, start + pageSize),
    count: sorted.length,
    pages: Math.ceil(sorted.length / pageSize),
  };
}

type Test = (object: object) => boolean;

/** Alternatives are parted by commas; each is `path=part of the value`, or `!=`. */
const parseFilter = (text: string): Test[] =>
  text.split(',').map((alternative) => {
    const [, path = '', operator, wanted = ''] = /^(.*?)(!=|=)(.*)$/s.exec(alternative) ?? [];
    const isNot = operator === '!=';
    return (object) => operator === undefined || textAt(object, path).includes(wanted) !== isNot;
  });

function sort<T extends object>(objects: readonly T[], order: string | null): readonly T[] {
  if (!order) return objects;
  const keys = order
    .split(',')
    .map((key) => (key.startsWith('-') ? { path: key.slice(1), sign: -1 } : { path: key, sign: 1 }));
  return objects.toSorted((a, b) => {
    for (const { path, sign } of keys) {
      const [left, right] = [textAt(a, path), textAt(b, path)];
      if (left !== right) return (left < right ? -1 : 1) * sign;
    }
    return 0;
  });
}

/** The value at a path as text; keys with dots stand in brackets: `metadata.labels[kubevirt.io/os]`. */
function textAt(object: object, path: string): string {
  let value: unknown = object;
  for (const [, bracketed, plain = ''] of path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)) {
    const key = bracketed ?? plain;
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

const positive = (text: string | null): number | undefined => {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : undefined;
};
