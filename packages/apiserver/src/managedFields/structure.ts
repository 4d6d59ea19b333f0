/**
 * How server-side apply sees a value of a schema: as one leaf, or as a map or list whose parts have owners of their own.
 */
import type { Property, Schema } from '@vireo/api';
import { isObject, own } from '@vireo/api/json.ts';
import { objectFields } from '@vireo/api/meta.ts';
import { fieldElement, indexElement, keyElement, valueElement } from './pathElement.ts';

/** A value, and where it stands. No schema: its parts follow from the value itself. */
export interface Place {
  readonly schema?: Schema;
  /** List type by way of the strategic merge patch, for lists that say nothing else. */
  readonly property?: Property;
}

export type Structure =
  | { readonly type: 'scalar'; readonly scalar: 'string' | 'numeric' | 'boolean' | 'untyped' }
  | { readonly type: 'atomic'; readonly of: 'list' | 'map' | 'anything' }
  | { readonly type: 'map'; readonly schema: Schema | undefined }
  | { readonly type: 'list'; readonly items: Schema; readonly keys: readonly string[] | undefined };

const DEDUCED_MAP: Structure = { type: 'map', schema: undefined };
const DEDUCED_LIST: Structure = { type: 'atomic', of: 'list' };
const UNTYPED: Structure = { type: 'scalar', scalar: 'untyped' };
const ATOMIC_LIST: Structure = { type: 'atomic', of: 'list' };
const ATOMIC_MAP: Structure = { type: 'atomic', of: 'map' };
const ANYTHING: Structure = { type: 'atomic', of: 'anything' };
const SCALARS = {
  string: { type: 'scalar', scalar: 'string' },
  integer: { type: 'scalar', scalar: 'numeric' },
  number: { type: 'scalar', scalar: 'numeric' },
  boolean: { type: 'scalar', scalar: 'boolean' },
} as const satisfies Record<string, Structure>;

/** What `value` is at this place. The value decides only where the schema does not. */
export function structureOf({ schema, property }: Place, value: unknown): Structure {
  if (!schema) return deduced(value);
  if (schema.protoMessage === 'raw') return ANYTHING;
  switch (schema.type) {
    case 'array':
      return listStructure(schema, property);
    case 'object':
      if (schema.mapType === 'atomic') return ATOMIC_MAP;
      return { type: 'map', schema };
    case 'string':
      return isPlainString(schema) ? SCALARS.string : UNTYPED;
    case 'integer':
    case 'number':
    case 'boolean':
      return SCALARS[schema.type];
    default:
      if (schema.intOrString) return UNTYPED;
      return schema.mapType === 'atomic' ? ANYTHING : deduced(value);
  }
}

const isPlainString = ({ format }: Schema): boolean => format === undefined || format === 'byte';

function deduced(value: unknown): Structure {
  if (Array.isArray(value)) return DEDUCED_LIST;
  return isObject(value) ? DEDUCED_MAP : UNTYPED;
}

const lists = new WeakMap<Schema, Structure>();

function listStructure(schema: Schema, property: Property | undefined): Structure {
  const known = lists.get(schema);
  if (known) return known;
  const keys = schema.listType === undefined ? patchKeys(property) : (schema.listMapKeys ?? []);
  const type = schema.listType ?? (keys && keys.length > 0 ? 'map' : keys ? 'set' : 'atomic');
  const { items } = schema;
  const structure: Structure =
    !items || type === 'atomic' ? ATOMIC_LIST : { type: 'list', items, keys: type === 'map' ? keys : undefined };
  if (schema.listType !== undefined) lists.set(schema, structure);
  return structure;
}

/** A list that strategic merge patches merge is a map by their key, or a set. */
function patchKeys(property: Property | undefined): readonly string[] | undefined {
  if (!property?.patchStrategy?.split(',').includes('merge')) return undefined;
  return property.patchMergeKey ? [property.patchMergeKey] : [];
}

/** Where the value of a key of a map stands; undefined if the schema knows no such key. */
export function placeOfKey(schema: Schema | undefined, key: string): Place | undefined {
  if (!schema) return DEDUCED;
  const property = namedField(schema, key);
  if (property) return { schema: property.schema, property };
  if (schema.values) return isAnySchema(schema.values) ? DEDUCED : { schema: schema.values };
  return schema.properties && !schema.preserveUnknownFields ? undefined : DEDUCED;
}

/** A field that the schema names, and not only a key of a map. */
export const namedField = (schema: Schema | undefined, key: string): Property | undefined =>
  (schema?.properties && own(schema.properties, key)) ??
  (schema?.embeddedResource ? own<Property>(objectFields, key) : undefined);

const DEDUCED: Place = {};

const isAnySchema = (schema: Schema): boolean => Object.keys(schema).length === 0;

/** The element of a list that an item is, or undefined if it has none of the keys. */
export function itemElement(item: unknown, items: Schema, keys: readonly string[] | undefined): string | undefined {
  if (!keys) return isObject(item) || Array.isArray(item) ? undefined : valueElement(item);
  if (!isObject(item)) return undefined;
  const present = keys.flatMap((key): [string, unknown][] => {
    const value = own(item, key) ?? defaultOf(items, key);
    return value === undefined || value === null ? [] : [[key, value]];
  });
  return present.length > 0 ? keyElement(present) : undefined;
}

/** The key that is missing has its default; numbers and texts of Go's structs are never missing. */
function defaultOf(items: Schema, key: string): unknown {
  const property = items.properties && own(items.properties, key);
  if (!property || property.default !== undefined) return property?.default;
  if (property.proto === undefined || property.pointer) return undefined;
  return { integer: 0, number: 0, string: '', boolean: false }[property.schema.type as string];
}

/** The elements of the items of a list, in order. Items without keys go by their place. */
export const itemElements = (list: readonly unknown[], items: Schema, keys: readonly string[] | undefined): string[] =>
  list.map((item, index) => itemElement(item, items, keys) ?? indexElement(index));

export { fieldElement };
