import type { Schema } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';

/**
 * The first place where a value is not of its schema's type, in words; undefined where all is well. Only types and
 * missing fields count: enough to read the value without care, and what else is wrong is for others to say.
 *
 * @example
 * typeMismatch('dryRun', 'All', list(string)) // 'dryRun is "All", not of type array'
 */
export function typeMismatch(path: string, value: unknown, schema: Schema): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isOfType(value, schema)) return `${path} is ${describe(value)}, not of type ${schema.type}`;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items && first(value.entries(), ([index, item]) => typeMismatch(`${path}[${index}]`, item, items));
  }
  if (!isObject(value)) return undefined;
  const { properties = {}, values } = schema;
  const missing = Object.entries(properties).find(([name, { required }]) => required && value[name] == null);
  if (missing) return `${join(path, missing[0])} is missing`;
  return first(Object.entries(value), ([name, inner]) => {
    const of = values ?? (Object.hasOwn(properties, name) ? properties[name]?.schema : undefined);
    return of && typeMismatch(join(path, name), inner, of);
  });
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function first<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isOfType(value: unknown, { type, format }: Schema): boolean {
  if (type === undefined) return true;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  if (format === 'quantity') return typeof value === 'string' || typeof value === 'number';
  return typeof value === type;
}

const describe = (value: unknown): string => (Array.isArray(value) ? 'a list' : (JSON.stringify(value) ?? 'nothing'));
