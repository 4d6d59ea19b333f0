import { isObject } from '@vireo/api/json.ts';
import type { Schema } from '@vireo/api/schema.ts';

/** Where in an object: names of fields, and numbers in lists. */
export type Path = readonly (string | number)[];

export const formatPath = (path: Path): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${step}`)).join('');

/** Every place of a schema that takes a text, one element of each list and one key of each map. */
export function stringPaths(schema: Schema, path: Path = [], seen: readonly Schema[] = []): Path[] {
  // Some kinds hold themselves, as schemas of schemas do.
  if (seen.some(({ name }) => name !== undefined && name === schema.name)) return [];
  const below = (inner: Schema, step: string | number): Path[] =>
    stringPaths(inner, [...path, step], [...seen, schema]);
  if (schema.properties)
    return Object.entries(schema.properties).flatMap(([name, { schema: inner }]) => below(inner, name));
  if (schema.items) return below(schema.items, 0);
  if (schema.values) return below(schema.values, 'key');
  return schema.type === 'string' || schema.intOrString || schema.type === undefined ? [path] : [];
}

/** Every text of an object, and every key that its writer chose. */
export function textsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path];
  if (Array.isArray(value)) return value.flatMap((each, i) => textsOf(each, [...path, i]));
  if (isObject(value)) return Object.entries(value).flatMap(([name, each]) => textsOf(each, [...path, name]));
  return [];
}

/** The object with something else at a place; what is missing on the way there is made. */
export function withAt(value: unknown, [step, ...rest]: Path, put: unknown): unknown {
  if (step === undefined) return put;
  if (typeof step === 'number') {
    const list = Array.isArray(value) ? [...value] : [];
    list[step] = withAt(list[step], rest, put);
    return list;
  }
  const object = isObject(value) ? value : {};
  return { ...object, [step]: withAt(object[step], rest, put) };
}
