/**
 * Path elements, as FieldsV1 writes them: `f:name` is a field or the key of a map, `k:{"name":"app"}` an item of a list
 * by its keys, `v:"x"` an item of a set, `i:0` an item by its place.
 */
import { isObject, type JsonObject, own } from '@vireo/api/json.ts';
import { goQuoted } from '../schema/goNames.ts';
import { EMPTY_SET, type FieldSet, isEmptySet, nodeOf } from './fieldSet.ts';

export const fieldElement = (name: string): string => `f:${name}`;

export const valueElement = (value: unknown): string => `v:${JSON.stringify(value)}`;

export const indexElement = (index: number): string => `i:${index}`;

/** Keys come sorted, as list types are compared by name. */
export function keyElement(keys: readonly (readonly [string, unknown])[]): string {
  const sorted = keys.length < 2 ? keys : [...keys].sort(([a], [b]) => (a < b ? -1 : 1));
  return `k:{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

/** A path as conflicts and errors show it: `.spec.containers[name="app"].image`. */
export const pathText = (path: readonly string[]): string => path.map(elementText).join('');

/** One element of a path as conflicts and errors show it. */
export function elementText(element: string): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${rest}`;
    case 'v':
      return `[=${valueText(JSON.parse(rest))}]`;
    case 'k': {
      const keys = Object.entries(JSON.parse(rest) as JsonObject);
      return `[${keys.map(([name, value]) => `${name}=${valueText(value)}`).join(',')}]`;
    }
    default:
      return `[${rest}]`;
  }
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`;
  if (isObject(value))
    return Object.entries(value)
      .map(([name, member]) => `${name}=${valueText(member)}`)
      .join('');
  return typeof value === 'string' ? goQuoted(value) : String(value);
}

/** Reads a set that a client sent. Returns undefined if it is none. */
export function parseFieldSet(value: unknown): FieldSet | undefined {
  if (!isObject(value)) return undefined;
  const below = parseBelow(value, 0);
  return below && (nodeOf(false, below) ?? EMPTY_SET);
}

/** No object nests deeper than this many levels, so no path is longer. */
const MAX_ELEMENTS = 1000;

function parseBelow(value: JsonObject, depth: number): [string, FieldSet][] | undefined {
  if (depth > MAX_ELEMENTS) return undefined;
  const below: [string, FieldSet][] = [];
  for (const key of Object.keys(value)) {
    if (key === '.') continue;
    const element = parseElement(key);
    const inner = own(value, key);
    if (element === undefined || !isObject(inner)) return undefined;
    const children = parseBelow(inner, depth + 1);
    if (!children) return undefined;
    const node = nodeOf(Object.hasOwn(inner, '.') || isEmptySet(inner as FieldSet), children);
    if (node) below.push([element, node]);
  }
  return below;
}

function parseElement(key: string): string | undefined {
  const rest = key.slice(2);
  if (key[1] !== ':') return undefined;
  switch (key[0]) {
    case 'f':
      return key;
    case 'i':
      return /^-?\d+$/.test(rest) ? key : undefined;
    case 'v': {
      const value = parseJson(rest);
      return value === undefined ? undefined : valueElement(value);
    }
    case 'k': {
      const keys = parseJson(rest);
      return isObject(keys) ? keyElement(Object.entries(keys)) : undefined;
    }
    default:
      return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
