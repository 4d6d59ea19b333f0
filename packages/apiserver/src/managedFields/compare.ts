/** Which fields a write adds, changes and removes, by the schema's idea of a field. */
import type { Schema } from '@vireo/api';
import { deepEqual, isObject, type JsonObject, own } from '@vireo/api/json.ts';
import { EMPTY_SET, type FieldSet, isEmptySet, nodeOf, union } from './fieldSet.ts';
import {
  fieldElement,
  itemElement,
  type ListStructure,
  type Place,
  placeOfKey,
  type Structure,
  structureOf,
  takesAnyType,
} from './structure.ts';
import { keyProblem } from './typeErrors.ts';
import { UntypedValue } from './untypedValue.ts';
import { valueStructsOf } from './valueStructs.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const LEAF = EMPTY_SET;
const NOTHING: Comparison = { added: EMPTY_SET, modified: EMPTY_SET, removed: EMPTY_SET };

/** What differs between two objects of a schema. `undefined` is an object that does not exist. */
export function compare(old: unknown, now: unknown, schema: Schema): Comparison {
  const change = compareValues(old ?? {}, now ?? {}, { schema });
  return change
    ? { added: root(change.added), modified: root(change.modified), removed: root(change.removed) }
    : NOTHING;
}

const root = (node: FieldSet | undefined): FieldSet => node ?? EMPTY_SET;

/** What differs at one place; absent if nothing does. */
interface Change {
  readonly added?: FieldSet | undefined;
  readonly modified?: FieldSet | undefined;
  readonly removed?: FieldSet | undefined;
}

type Below = [string, FieldSet][];

/** Gathers the changes of the parts of a map or list. */
class Changes {
  #isEmpty = true;
  readonly #added: Below = [];
  readonly #modified: Below = [];
  readonly #removed: Below = [];

  add(element: string, change: Change | undefined): void {
    if (!change) return;
    this.#isEmpty = false;
    if (change.added) this.#added.push([element, change.added]);
    if (change.modified) this.#modified.push([element, change.modified]);
    if (change.removed) this.#removed.push([element, change.removed]);
  }

  /** `isNew`, `isGone`: whether the map or list itself has come or gone. */
  node(isNew: boolean, isGone: boolean): Change | undefined {
    if (this.#isEmpty && !isNew && !isGone) return undefined;
    return {
      added: nodeOf(isNew, this.#added),
      modified: nodeOf(false, this.#modified),
      removed: nodeOf(isGone, this.#removed),
    };
  }
}

function compareValues(old: unknown, now: unknown, place: Place): Change | undefined {
  if (old === now) return undefined;
  const structure = structureOf(place, now === undefined ? old : now);
  // Where both are of different types, both count, each in its own way.
  if (old !== undefined && now !== undefined && takesAnyType(place)) {
    const before = structureOf(place, old);
    if (before.type !== structure.type) return joined(compareAs(before, old, now), compareAs(structure, old, now));
  }
  return compareAs(structure, old, now);
}

const joined = (a: Change | undefined, b: Change | undefined): Change | undefined =>
  (a || b) && {
    added: joinedNode(a?.added, b?.added),
    modified: joinedNode(a?.modified, b?.modified),
    removed: joinedNode(a?.removed, b?.removed),
  };

const joinedNode = (a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined =>
  a && b ? (isEmptySet(a) && isEmptySet(b) ? LEAF : union({ x: a }, { x: b }).x) : (a ?? b);

function compareAs(structure: Structure, old: unknown, now: unknown): Change | undefined {
  if (structure.type === 'map') {
    const [before, after] = [asMap(old), asMap(now)];
    if (before || after) return compareMaps(before ?? {}, after ?? {}, structure.place, old, now);
  } else if (structure.type === 'list') {
    const [before, after] = [asList(old), asList(now)];
    if (before || after) return compareLists(before ?? [], after ?? [], structure, old, now);
  }
  return compareLeaves(old, now);
}

/** Maps and lists without anything in them are leaves, so that null and empty stay apart. */
const asMap = (value: unknown): JsonObject | undefined => (isObject(value) && hasKeys(value) ? value : undefined);
const asList = (value: unknown): unknown[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value : undefined;

function hasKeys(object: JsonObject): boolean {
  for (const _ in object) return true;
  return false;
}

function compareLeaves(old: unknown, now: unknown): Change | undefined {
  if (old === undefined) return { added: LEAF };
  if (now === undefined) return { removed: LEAF };
  return deepEqual(old, now) ? undefined : { modified: LEAF };
}

function compareMaps(
  before: JsonObject,
  after: JsonObject,
  place: Place,
  old: unknown,
  now: unknown,
): Change | undefined {
  const changes = new Changes();
  const [isNew, isGone] = [old === undefined, now === undefined];
  const structs = valueStructsOf(place.schema);
  for (const key of Object.keys(after)) {
    const value = after[key];
    const previous = Object.hasOwn(before, key) ? before[key] : !isNew && structs.has(key) ? {} : undefined;
    if (value === previous || value === undefined) continue;
    changes.add(fieldElement(key), compareValues(previous, value, placeOfKey(place, key) ?? {}));
  }
  for (const key of Object.keys(before)) {
    if (before[key] === undefined || own(after, key) !== undefined) continue;
    const left = !isGone && structs.has(key) ? {} : undefined;
    changes.add(fieldElement(key), compareValues(before[key], left, placeOfKey(place, key) ?? {}));
  }
  if (isNew)
    for (const key of structs) if (own(after, key) === undefined) changes.add(fieldElement(key), { added: LEAF });
  return changes.node(isNew, isGone);
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  structure: ListStructure,
  old: unknown,
  now: unknown,
): Change | undefined {
  const [left, right] = [byElement(before, structure), byElement(after, structure)];
  const changes = new Changes();
  const { items } = structure;
  for (const [element, values] of right) changes.add(element, compareItems(left.get(element), values, items));
  for (const [element, values] of left)
    if (!right.has(element)) changes.add(element, compareItems(values, undefined, items));
  return changes.node(old === undefined, now === undefined);
}

/** The items of a list; several where one element stands for all of them. */
function byElement(list: readonly unknown[], structure: ListStructure): Map<string, unknown[]> {
  const result = new Map<string, unknown[]>();
  list.forEach((item, i) => {
    const element = itemElement(item, structure);
    if (element === undefined) throw new UntypedValue(`element ${i}: ${keyProblem(item, structure.keys)}`);
    const same = result.get(element);
    if (same) same.push(item);
    else result.set(element, [item]);
  });
  return result;
}

/** Items that occur twice are one field without others below it. */
function compareItems(old: unknown[] | undefined, now: unknown[] | undefined, items: Place): Change | undefined {
  const [isTwice, areTwice] = [(old?.length ?? 0) > 1, (now?.length ?? 0) > 1];
  if (isTwice && areTwice) return deepEqual(old, now) ? undefined : { modified: LEAF };
  if (isTwice) return joined({ removed: LEAF }, now && compareValues(undefined, now[0], items));
  if (areTwice) return joined({ added: LEAF }, old && compareValues(old[0], undefined, items));
  return compareValues(old?.[0], now?.[0], items);
}
