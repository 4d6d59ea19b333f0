/**
 * How server-side apply sees a value of a schema: as one leaf, or as a map or list whose parts have owners of their own.
 */
import type { Property, Schema } from '@vireo/api';
import { isObject, own } from '@vireo/api/json.ts';
import { objectFields } from '@vireo/api/meta.ts';
import { fieldElement, indexElement, keyElement, valueElement } from './pathElement.ts';

/** A value, and where it stands. No schema: its parts follow from the value itself. */
export interface Place {
  readonly schema?: Schema | undefined;
  /** List type by way of the strategic merge patch, for lists that say nothing else. */
  readonly property?: Property;
  /** Whether something above keeps unknown fields, which then holds for everything below. */
  readonly isOpen?: boolean;
}

/** `place` of a leaf: where its parts stand, which are checked although nobody owns them. */
export type Structure =
  | { readonly type: 'scalar'; readonly scalar: 'string' | 'numeric' | 'boolean' | 'untyped' }
  | { readonly type: 'atomic'; readonly of: 'list' | 'map' | 'anything'; readonly place: Place }
  | { readonly type: 'map'; readonly place: Place }
  | ListStructure;

export interface ListStructure {
  readonly type: 'list';
  readonly items: Place;
  readonly keys: readonly string[] | undefined;
}

const DEDUCED: Place = {};
const DEDUCED_MAP: Structure = { type: 'map', place: DEDUCED };
const DEDUCED_LIST: Structure = { type: 'atomic', of: 'list', place: DEDUCED };
const ANYTHING: Structure = { type: 'atomic', of: 'anything', place: DEDUCED };
const UNTYPED: Structure = { type: 'scalar', scalar: 'untyped' };
const SCALARS = {
  string: { type: 'scalar', scalar: 'string' },
  integer: { type: 'scalar', scalar: 'numeric' },
  number: { type: 'scalar', scalar: 'numeric' },
  boolean: { type: 'scalar', scalar: 'boolean' },
} as const satisfies Record<string, Structure>;

/** What `value` is at this place. The value decides only where the schema does not; null is then a map. */
export function structureOf(place: Place, value: unknown): Structure {
  const { schema } = place;
  if (!schema) return deduced(value);
  if (schema.protoMessage === 'raw') return ANYTHING;
  switch (schema.type) {
    case 'array':
      return listStructure(schema, place);
    case 'object':
      return mapStructure(place);
    case 'string':
      return isPlainString(schema) ? SCALARS.string : UNTYPED;
    case 'integer':
    case 'number':
    case 'boolean':
      return SCALARS[schema.type];
    default:
      if (schema.mapType === 'atomic') return ANYTHING;
      if (isObject(value) || value === null) return mapStructure(place);
      return deduced(value);
  }
}

/** Whether values of several types may stand there. */
export const takesAnyType = ({ schema }: Place): boolean => !schema || schema.type === undefined;

const isPlainString = ({ format }: Schema): boolean => format === undefined || format === 'byte';

function deduced(value: unknown): Structure {
  if (Array.isArray(value)) return DEDUCED_LIST;
  return isObject(value) || value === null ? DEDUCED_MAP : UNTYPED;
}

const maps = new WeakMap<Place, Structure>();

function mapStructure(place: Place): Structure {
  let structure = maps.get(place);
  if (!structure) {
    structure = place.schema?.mapType === 'atomic' ? { type: 'atomic', of: 'map', place } : { type: 'map', place };
    maps.set(place, structure);
  }
  return structure;
}

const lists = new WeakMap<Place, Structure>();

function listStructure(schema: Schema, place: Place): Structure {
  let structure = lists.get(place);
  if (!structure) {
    structure = newListStructure(schema, place);
    lists.set(place, structure);
  }
  return structure;
}

function newListStructure(schema: Schema, place: Place): Structure {
  const keys = schema.listType === undefined ? patchKeys(place.property) : (schema.listMapKeys ?? []);
  const type = schema.listType ?? (keys && keys.length > 0 ? 'map' : keys ? 'set' : 'atomic');
  if (!schema.items || type === 'atomic') return { type: 'atomic', of: 'list', place };
  return { type: 'list', items: placeOfItems(place), keys: type === 'map' ? keys : undefined };
}

/** Where the items of a list stand. */
export const placeOfItems = ({ schema, isOpen }: Place): Place =>
  schema?.items ? placeIn(schema, isOpen, schema.items) : DEDUCED;

/** A list that strategic merge patches merge is a map by their key, or a set. */
function patchKeys(property: Property | undefined): readonly string[] | undefined {
  if (!property?.patchStrategy?.split(',').includes('merge')) return undefined;
  return property.patchMergeKey ? [property.patchMergeKey] : [];
}

/** Where the value of a key of a map stands; undefined if the schema knows no such key. */
export function placeOfKey({ schema, isOpen }: Place, key: string): Place | undefined {
  if (!schema) return DEDUCED;
  const property = namedField(schema, key);
  if (property) return placeIn(schema, isOpen, property.schema, property);
  if (schema.values) return isAnySchema(schema.values) ? DEDUCED : placeIn(schema, isOpen, schema.values);
  return schema.properties && !isOpen && !schema.preserveUnknownFields ? undefined : DEDUCED;
}

const closedPlaces = new WeakMap<Schema | Property, Place>();
const openPlaces = new WeakMap<Schema | Property, Place>();

/** Places are the same object each time. What has a name is a type of its own, wherever it stands. */
function placeIn(parent: Schema, isOpen: boolean | undefined, schema: Schema, property?: Property): Place {
  const opens = (isOpen || parent.preserveUnknownFields) === true && schema.name === undefined;
  const places = opens ? openPlaces : closedPlaces;
  let place = places.get(property ?? schema);
  if (!place) {
    place = { schema, ...(property && { property }), ...(opens && { isOpen: true }) };
    places.set(property ?? schema, place);
  }
  return place;
}

/** A field that the schema names, and not only a key of a map. */
export const namedField = (schema: Schema | undefined, key: string): Property | undefined =>
  (schema?.properties && own(schema.properties, key)) ??
  (schema?.embeddedResource ? own<Property>(objectFields, key) : undefined);

const isAnySchema = (schema: Schema): boolean => Object.keys(schema).length === 0;

/** The element of a list that an item is, or undefined if it has none. */
export function itemElement(item: unknown, { items, keys }: ListStructure): string | undefined {
  if (!keys) return isObject(item) || Array.isArray(item) || item === null ? undefined : valueElement(item);
  if (!isObject(item)) return undefined;
  const present: [string, unknown][] = [];
  for (const key of keys) {
    const value = own(item, key);
    const given = value === undefined ? defaultOf(items.schema, key) : value;
    if (given !== undefined) present.push([key, given]);
  }
  return present.length > 0 ? keyElement(present) : undefined;
}

/** The key that is missing has its default; numbers and texts of Go's structs are never missing. */
function defaultOf(items: Schema | undefined, key: string): unknown {
  const property = items?.properties && own(items.properties, key);
  if (!property || property.default !== undefined) return property?.default;
  if (property.proto === undefined || property.pointer) return undefined;
  return { integer: 0, number: 0, string: '', boolean: false }[property.schema.type as string];
}

/** The elements of the items of a list, in order. Items that have none go by their place. */
export const itemElements = (list: readonly unknown[], structure: ListStructure): string[] =>
  list.map((item, index) => itemElement(item, structure) ?? indexElement(index));

export { fieldElement };
