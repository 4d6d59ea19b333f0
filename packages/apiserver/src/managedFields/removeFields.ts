/** Takes fields out of an object, for what a manager no longer applies. */
import type { Schema } from '@vireo/api';
import { isObject, type JsonObject, setOwn } from '@vireo/api/json.ts';
import { elementsBelow, type FieldSet, isEmptySet, isMember, nodeOf } from './fieldSet.ts';
import {
  fieldElement,
  itemElements,
  type ListStructure,
  namedField,
  type Place,
  placeOfKey,
  structureOf,
} from './structure.ts';

/** The object without these fields. Shares with the original. */
export function removeFields(value: unknown, fields: FieldSet, schema: Schema): unknown {
  return isEmptySet(fields) ? value : (removeFrom(value, fields, { schema }) ?? {});
}

/** A map or list of which nothing is left is null, and so is one that parts cannot be taken from. */
function removeFrom(value: unknown, fields: FieldSet, place: Place): unknown {
  const structure = structureOf(place, value);
  if (structure.type === 'map' && isObject(value)) return removeFromMap(value, fields, structure.place);
  if (structure.type === 'list' && Array.isArray(value)) return removeFromList(value, fields, structure);
  return structure.type === 'scalar' ? value : null;
}

function removeFromMap(value: JsonObject, fields: FieldSet, place: Place): unknown {
  const result: JsonObject = {};
  let isEmpty = true;
  for (const key of Object.keys(value)) {
    const node = fields[fieldElement(key)];
    if (node && isMember(node)) continue;
    isEmpty = false;
    setOwn(result, key, node ? removeFrom(value[key], node, placeOfKey(place, key) ?? {}) : value[key]);
  }
  return isEmpty ? null : result;
}

function removeFromList(value: readonly unknown[], fields: FieldSet, structure: ListStructure): unknown {
  const elements = itemElements(value, structure);
  const result = value.flatMap((item, i) => {
    const node = fields[elements[i] as string];
    if (!node) return [item];
    return isMember(node) ? [] : [removeFrom(item, node, structure.items)];
  });
  return result.length > 0 ? result : null;
}

/** The set, with the structs that hold its fields as fields of their own: they go when all that is in them goes. */
export function withNamedFields(fields: FieldSet, schema: Schema): FieldSet {
  return isEmptySet(fields) ? fields : addNamedFields(fields, false, { schema });
}

function addNamedFields(node: FieldSet, isField: boolean, place: Place): FieldSet {
  const elements = elementsBelow(node);
  const below = elements.map((element): [string, FieldSet] => {
    const { named, inner } = partAt(place, element);
    const child = node[element] as FieldSet;
    return [element, addNamedFields(child, isMember(child) || named, inner)];
  });
  return nodeOf(isField, below) ?? {};
}

/** What an element of a path leads to. The value is not at hand: a list follows from the kind of element. */
function partAt(place: Place, element: string): { named: boolean; inner: Place } {
  const isField = element.startsWith('f:');
  const structure = structureOf(place, isField ? {} : []);
  if (isField && (structure.type === 'map' || structure.type === 'atomic')) {
    const key = element.slice(2);
    const at = structure.place;
    return { named: namedField(at.schema, key) !== undefined, inner: placeOfKey(at, key) ?? {} };
  }
  return { named: false, inner: structure.type === 'list' ? structure.items : {} };
}
