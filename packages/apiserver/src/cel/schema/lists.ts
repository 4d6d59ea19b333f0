import type { Schema } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { work } from '../meter.ts';
import { equalResults, Values } from '../values/collections.ts';
import { jsonOf } from '../values/json.ts';
import { CelError, type CelList, type CelValue, type Result } from '../values/values.ts';
import { fromSchema } from './values.ts';

/** A list of JSON; sets and maps by the schema's list type. */
export function schemaList(json: readonly unknown[], schema: Schema): CelList | CelError {
  const { items, listType, listMapKeys } = schema;
  if (!items) return new CelError('invalid array type, expected Items with a non-empty Schema');
  if (listType === 'set') return new SchemaSet(json, items);
  return listType === 'map' ? new SchemaMapList(json, items, listMapKeys ?? []) : new SchemaList(json, items);
}

class SchemaList implements CelList {
  readonly isList = true;
  readonly isTyped = true;
  readonly json: readonly unknown[];
  readonly items: Schema;

  constructor(json: readonly unknown[], items: Schema) {
    this.json = json;
    this.items = items;
  }

  get size(): number {
    return this.json.length;
  }

  get(index: number): Result {
    return fromSchema(this.json[index], this.items);
  }

  add(other: CelList): CelList {
    const left = valuesOf(this);
    const right = valuesOf(other);
    return new Values([...left, ...right]);
  }

  equals(other: CelList): boolean | CelError {
    if (this.size !== other.size) return false;
    for (let i = 0; i < this.size; i++) {
      const same = equalResults(this.get(i), other.get(i));
      if (same !== true) return same;
    }
    return true;
  }
}

/** Errors among them stay: they are found when the element is looked at. */
function valuesOf(list: CelList): CelValue[] {
  work(4 * list.size);
  return Array.from({ length: list.size }, (_, i) => list.get(i) as CelValue);
}

/** A list of type set: the order does not count, and adding keeps what is there. */
class SchemaSet extends SchemaList {
  override add(other: CelList): CelList {
    const values = valuesOf(this);
    const known = new Set(values.map(identity));
    for (const value of valuesOf(other)) {
      if (known.has(identity(value))) continue;
      known.add(identity(value));
      values.push(value);
    }
    return new KeyedValues(values, identity);
  }

  override equals(other: CelList): boolean | CelError {
    if (this.size !== other.size) return false;
    const known = new Set(valuesOf(this).map(identity));
    return valuesOf(other).every((value) => known.has(identity(value)));
  }
}

/** What tells elements of sets apart; they are simple values. */
const identity = (value: CelValue): string => {
  const json = jsonOf(value);
  return json instanceof CelError ? '' : JSON.stringify(json);
};

/** A list of type map: elements are the same if their keys are. */
class SchemaMapList extends SchemaList {
  readonly keys: readonly string[];

  constructor(json: readonly unknown[], items: Schema, keys: readonly string[]) {
    super(json, items);
    this.keys = keys;
  }

  readonly #keyOf = (value: CelValue): string => {
    const json = jsonOf(value);
    return isObject(json) ? JSON.stringify(this.keys.map((key) => json[key])) : '';
  };

  override add(other: CelList): CelList {
    const values = valuesOf(this);
    const places = new Map(values.map((value, i) => [this.#keyOf(value), i]));
    for (const value of valuesOf(other)) {
      const place = places.get(this.#keyOf(value));
      if (place === undefined) values.push(value);
      else values[place] = value;
    }
    return new KeyedValues(values, this.#keyOf);
  }

  override equals(other: CelList): boolean | CelError {
    return new KeyedValues(valuesOf(this), this.#keyOf).equals(other);
  }
}

/** What adding to a set or map list gives: still a set or map list. */
class KeyedValues extends Values {
  readonly #keyOf: (value: CelValue) => string;

  constructor(elements: readonly CelValue[], keyOf: (value: CelValue) => string) {
    super(elements);
    this.#keyOf = keyOf;
  }

  override equals(other: CelList): boolean | CelError {
    if (this.size !== other.size) return false;
    const known = new Map(this.elements.map((value) => [this.#keyOf(value), value]));
    for (const value of valuesOf(other)) {
      const mine = known.get(this.#keyOf(value));
      if (mine === undefined) return false;
      const same = equalResults(mine, value);
      if (same !== true) return same;
    }
    return true;
  }
}
