import { isObject } from '@vireo/api/json.ts';

type Fields = Record<string, unknown>;

/** Without these an object could not be told from others. */
const ALWAYS = ['id', 'type', 'links'] as const;

/**
 * An object with the fields that the queries `include`, `exclude` and `excludeValues` leave: dotted paths, repeated or
 * parted by commas. `excludeValues` leaves the keys of a map, and empties their values.
 */
export function withFields(object: Fields, query: URLSearchParams): Fields {
  const paths = (name: string): string[][] =>
    query
      .getAll(name)
      .flatMap((each) => each.split(','))
      .filter(Boolean)
      .map((each) => each.split('.'));
  const included = paths('include');
  const own = Object.fromEntries(ALWAYS.flatMap((key) => (key in object ? [[key, object[key]]] : [])));
  let shown = included.length === 0 ? object : included.reduce((chosen, path) => copied(object, chosen, path), own);
  for (const path of paths('exclude')) shown = changed(shown, path, () => undefined);
  for (const path of paths('excludeValues')) shown = changed(shown, path, emptied);
  return shown;
}

const emptied = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, ''])) : value;

/** `target` with what `source` has at the path. */
function copied(source: Fields, target: Fields, [key = '', ...rest]: readonly string[]): Fields {
  if (!Object.hasOwn(source, key)) return target;
  const value = source[key];
  if (rest.length === 0) return { ...target, [key]: value };
  if (!isObject(value)) return target;
  const before = target[key];
  return { ...target, [key]: copied(value, isObject(before) ? before : {}, rest) };
}

function changed(
  object: Fields,
  [key = '', ...rest]: readonly string[],
  change: (value: unknown) => unknown | undefined,
): Fields {
  if (!Object.hasOwn(object, key)) return object;
  const { [key]: value, ...others } = object;
  const next = rest.length === 0 ? change(value) : isObject(value) ? changed(value, rest, change) : value;
  return next === undefined ? others : { ...object, [key]: next };
}
