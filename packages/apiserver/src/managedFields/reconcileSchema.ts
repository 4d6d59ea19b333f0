/** Brings what managers own in line with a schema that has changed since. */
import type { Schema } from '@vireo/api';
import { EMPTY_SET, elementsBelow, type FieldSet, isMember, nodeOf } from './fieldSet.ts';
import { type Place, placeOfKey, structureOf } from './structure.ts';

const known = new WeakMap<FieldSet, { schema: Schema; fields: FieldSet }>();

/** Fields below what has become atomic are replaced by it. Stored sets are checked once for each schema. */
export function reconcileFields(fields: FieldSet, schema: Schema): FieldSet {
  const before = known.get(fields);
  if (before?.schema === schema) return before.fields;
  const reconciled = reconcileNode(fields, false, { schema }) ?? EMPTY_SET;
  known.set(fields, { schema, fields: reconciled });
  return reconciled;
}

function reconcileNode(node: FieldSet, isField: boolean, place: Place): FieldSet | undefined {
  const elements = elementsBelow(node);
  if (elements.length === 0 || !place.schema) return node;
  const structure = structureOf(place, null);
  if (structure.type === 'atomic') return EMPTY_SET;
  if (structure.type === 'scalar') return node;
  let changed = false;
  const below = elements.map((element): [string, FieldSet] => {
    const child = node[element] as FieldSet;
    const inner = structure.type === 'list' ? structure.items : (placeOfKey(structure.place, element.slice(2)) ?? {});
    const result = reconcileNode(child, isMember(child), inner) ?? EMPTY_SET;
    if (result !== child) changed = true;
    return [element, result];
  });
  return changed ? nodeOf(isField, below) : node;
}
