/** The fields that a value sets, by its schema. */
import type { Schema } from '@vireo/api';
import { isObject, type JsonObject } from '@vireo/api/json.ts';
import { EMPTY_SET, type FieldSet, nodeOf } from './fieldSet.ts';
import {
  fieldElement,
  itemElements,
  type ListStructure,
  namedField,
  type Place,
  placeOfKey,
  structureOf,
} from './structure.ts';

/** The fields of a configuration or an object. */
export const membersOf = (value: unknown, schema: Schema): FieldSet => nodeOfValue(value, { schema }) ?? EMPTY_SET;

/** The node of a value: whether it is a field itself, and the fields below it. */
function nodeOfValue(value: unknown, place: Place): FieldSet | undefined {
  const structure = structureOf(place, value);
  if (structure.type === 'map') return isObject(value) ? nodeOfMap(value, structure.place) : undefined;
  if (structure.type === 'list') return Array.isArray(value) ? nodeOfList(value, structure) : undefined;
  return EMPTY_SET;
}

function nodeOfMap(value: JsonObject, place: Place): FieldSet | undefined {
  const below: [string, FieldSet][] = [];
  for (const key of Object.keys(value)) {
    const item = value[key];
    if (item === undefined) continue;
    const node = nodeOfValue(item, placeOfKey(place, key) ?? {});
    const kept = isNothing(item) || !namedField(place.schema, key) ? asMember(node) : node;
    if (kept) below.push([fieldElement(key), kept]);
  }
  return nodeOf(false, below);
}

/** Items that occur twice are one field without others below it. */
function nodeOfList(value: readonly unknown[], structure: ListStructure): FieldSet | undefined {
  const nodes = new Map<string, FieldSet>();
  itemElements(value, structure).forEach((element, i) => {
    nodes.set(element, nodes.has(element) ? EMPTY_SET : asMember(nodeOfValue(value[i], structure.items)));
  });
  return nodeOf(false, [...nodes]);
}

/** Null and a map without keys are fields wherever they stand. */
const isNothing = (value: unknown): boolean => value === null || (isObject(value) && Object.keys(value).length === 0);

/** The same node, as a field of its own. */
const asMember = (node: FieldSet | undefined): FieldSet =>
  node === undefined
    ? EMPTY_SET
    : (nodeOf(
        true,
        Object.entries(node).filter(([element]) => element !== '.'),
      ) as FieldSet);
