/** Values from JSON whose schema is not known, and back. */
import { isObject, type JsonObject, own, setOwn } from '@vireo/api/json.ts';
import { COST_EXCEEDED, CostExceeded, namesOf, withWork, work } from '../meter.ts';
import { SchemaObject } from '../schema/values.ts';
import { concatenate, equalLists, equalMaps } from './collections.ts';
import { toText } from './convert.ts';
import {
  CelError,
  type CelList,
  type CelMap,
  type CelValue,
  Duration,
  isList,
  isMap,
  type Result,
  Timestamp,
  Uint,
} from './values.ts';

/** JSON as it is: whole numbers are ints. Nothing is copied, and objects are looked at only where expressions do. */
export function fromJson(json: unknown): CelValue {
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return new JsonList(json);
  if (isObject(json)) return new JsonMap(json);
  return typeof json === 'string' || typeof json === 'boolean' ? json : null;
}

class JsonList implements CelList {
  readonly isList = true;
  readonly json: readonly unknown[];

  constructor(json: readonly unknown[]) {
    this.json = json;
  }

  get size(): number {
    return this.json.length;
  }

  get(index: number): Result {
    return fromJson(this.json[index]);
  }

  add(other: CelList): CelList {
    return concatenate(this, other);
  }

  equals(other: CelList): boolean | CelError {
    return equalLists(this, other) !== false;
  }
}

class JsonMap implements CelMap {
  readonly isMap = true;
  readonly json: JsonObject;

  constructor(json: JsonObject) {
    this.json = json;
  }

  get size(): number {
    return namesOf(this.json).length;
  }

  find(key: CelValue): Result | undefined {
    const value = typeof key === 'string' ? own(this.json, key) : undefined;
    return value === undefined ? undefined : fromJson(value);
  }

  keys(): Iterable<CelValue> {
    return namesOf(this.json);
  }

  equals(other: CelMap): boolean | CelError {
    return equalMaps(this, other);
  }
}

/**
 * A value as JSON: what a mutation applies, or an annotation holds. Values that JSON cannot express are an error, and
 * so are those that are too large: a list of two lists of two lists … takes no room before it is written out.
 */
export function toJson(value: Result): unknown {
  try {
    return withWork(() => jsonOf(value));
  } catch (error) {
    if (error instanceof CostExceeded) return new CelError(COST_EXCEEDED);
    throw error;
  }
}

/** The same as a part of a run, which ends where it is too much work. */
export function jsonOf(value: Result): unknown {
  work(4);
  if (value instanceof CelError) return value;
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'number':
      return value;
    case 'bigint':
      return Number(value);
  }
  if (value === null) return null;
  if (value instanceof Uint) return Number(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Duration || value instanceof Timestamp) return toText(value);
  if (value instanceof JsonList || value instanceof JsonMap || value instanceof SchemaObject) return value.json;
  if (isList(value)) return listToJson(value);
  if (isMap(value)) return mapToJson(value);
  return new CelError('the value cannot be converted to JSON');
}

function listToJson(list: CelList): unknown {
  const json: unknown[] = [];
  for (let i = 0; i < list.size; i++) {
    const element = jsonOf(list.get(i));
    if (element instanceof CelError) return element;
    json.push(element);
  }
  return json;
}

function mapToJson(map: CelMap): unknown {
  const json: JsonObject = {};
  for (const key of map.keys()) {
    const value = jsonOf(map.find(key) ?? null);
    if (value instanceof CelError) return value;
    const name = typeof key === 'string' ? key : toText(key);
    if (typeof name === 'string') setOwn(json, name, value);
  }
  return json;
}
