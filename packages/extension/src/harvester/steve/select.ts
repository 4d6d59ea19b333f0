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

/**
 * Alternatives are parted by commas; each is `path=part of the value`, or `!=`. `'the whole value'` stands in single
 * quotes; a part of it, such as one with a comma, may stand in double ones.
 */
const parseFilter = (text: string): Test[] =>
  (text.match(/(?:=(?:'[^']*'|"[^"]*")(?=,|$)|[^,])+/g) ?? ['']).map((alternative) => {
    const [, path = '', operator, wanted = ''] = /^(.*?)(!=|=)(.*)$/s.exec(alternative) ?? [];
    if (operator === undefined) return () => true;
    const matches = matcherOf(wanted);
    return (object) => textsAt(object, path).some(matches) !== (operator === '!=');
  });

function matcherOf(wanted: string): (text: string) => boolean {
  const [, quote, quoted = ''] = /^(['"])(.*)\1$/s.exec(wanted) ?? [];
  if (quote === "'") return (text) => text === quoted;
  const part = quote ? quoted : wanted;
  return (text) => text.includes(part);
}

function sort<T extends object>(objects: readonly T[], order: string | null): readonly T[] {
  if (!order) return objects;
  const keys = order
    .split(',')
    .map((key) => (key.startsWith('-') ? { path: key.slice(1), sign: -1 } : { path: key, sign: 1 }));
  return objects.toSorted((a, b) => {
    for (const { path, sign } of keys) {
      const [left, right] = [textsAt(a, path).join(), textsAt(b, path).join()];
      if (left !== right) return (left < right ? -1 : 1) * sign;
    }
    return 0;
  });
}

/**
 * The values at a path as texts: of every item where there is a list, or of one, by its number. Keys with dots stand in
 * brackets: `metadata.labels[kubevirt.io/os]`, `metadata.fields[2]`.
 */
function textsAt(object: object, path: string): string[] {
  let values: unknown[] = [object];
  for (const [, bracketed, plain = ''] of path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)) {
    const key = bracketed ?? plain;
    values = values.flatMap((value) =>
      Array.isArray(value) && bracketed === undefined
        ? value.map((item) => memberOf(item, key))
        : [memberOf(value, key)],
    );
  }
  return values.flat().map(textOf);
}

const memberOf = (value: unknown, key: string): unknown =>
  (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;

const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const positive = (text: string | null): number | undefined => {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : undefined;
};
