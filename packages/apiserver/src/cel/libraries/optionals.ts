/** Optional values, and what the two-variable comprehensions need. */
import { declare, type Library, memberOverload, overload } from '../declarations.ts';
import { work } from '../meter.ts';
import { BOOL, DYN, listType, mapType, optionalType, typeParameter } from '../types.ts';
import { canonicalKey, Entries, Values } from '../values/collections.ts';
import {
  CelError,
  type CelList,
  type CelMap,
  type CelValue,
  Duration,
  NO_SUCH_OVERLOAD,
  Optional,
  type Result,
  Timestamp,
  Uint,
} from '../values/values.ts';

const K = typeParameter('K');
const V = typeParameter('V');

const YEAR_ONE = -62_135_596_800_000_000_000n;

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.nanos === YEAR_ONE;
  // Only lists and maps that an expression has made say whether they are empty.
  return (value instanceof Values || value instanceof Entries) && value.size === 0;
}

const dereference = ({ value }: Optional): Result =>
  value === undefined ? new CelError('optional.none() dereference') : value;

/** The evaluator looks at the second argument of these only where the first has no value. */
const lazy = (): Result => NO_SUCH_OVERLOAD;

function element(list: CelList, index: number): Result {
  if (list.size === 0) return Optional.none;
  const value = list.get(index);
  return value instanceof CelError ? value : new Optional(value);
}

function unwrap(list: CelList): Result {
  const values: CelValue[] = [];
  work(list.size);
  for (let i = 0; i < list.size; i++) {
    const optional = list.get(i);
    if (!(optional instanceof Optional)) {
      return optional instanceof CelError ? optional : new CelError('value is not optional');
    }
    if (optional.value !== undefined) values.push(optional.value);
  }
  return new Values(values);
}

/** Adds an entry to the map that a comprehension makes; the same key twice is an error. */
export function insertEntry(map: CelMap, key: CelValue, value: CelValue): Result {
  const entries = new Map(entriesOf(map));
  return putEntry(entries, key, value) ?? new Entries(entries);
}

/** Puts an entry into entries that are still being made. */
export function putEntry(
  entries: Map<string | boolean | bigint, readonly [CelValue, CelValue]>,
  key: CelValue,
  value: CelValue,
): CelError | undefined {
  const canonical = canonicalKey(key);
  if (canonical === undefined) return NO_SUCH_OVERLOAD;
  if (entries.has(canonical)) return new CelError(`insert failed: key ${String(canonical)} already exists`);
  entries.set(canonical, [key, value]);
  return undefined;
}

function entriesOf(map: CelMap): [string | boolean | bigint, readonly [CelValue, CelValue]][] {
  // Reading an entry and writing it into a new map.
  work(30 * map.size);
  return [...map.keys()].map((key) => [canonicalKey(key) as string, [key, map.find(key) as CelValue]]);
}

function insertAll(map: CelMap, other: CelMap): Result {
  const entries = new Map(entriesOf(map));
  for (const [, [key, value]] of entriesOf(other)) {
    const failure = putEntry(entries, key, value);
    if (failure) return failure;
  }
  return new Entries(entries);
}

/** `optional.of`, `orValue`, `first` and the like. */
export const optionals: Library = {
  functions: [
    declare(
      'optional.of',
      overload('optional_of', [V], optionalType(V), (value: CelValue) => new Optional(value)),
    ),
    declare(
      'optional.ofNonZeroValue',
      overload('optional_ofNonZeroValue', [V], optionalType(V), (value: CelValue) =>
        isZero(value) ? Optional.none : new Optional(value),
      ),
    ),
    declare(
      'optional.none',
      overload('optional_none', [], optionalType(V), () => Optional.none),
    ),
    declare('value', memberOverload('optional_value', [optionalType(V)], V, dereference)),
    declare(
      'hasValue',
      memberOverload('optional_hasValue', [optionalType(V)], BOOL, (optional: Optional) => optional.hasValue),
    ),
    declare('or', memberOverload('optional_or_optional', [optionalType(V), optionalType(V)], optionalType(V), lazy)),
    declare('orValue', memberOverload('optional_orValue_value', [optionalType(V), V], V, lazy)),
    declare(
      'first',
      memberOverload('list_first', [listType(V)], optionalType(V), (list: CelList) => element(list, 0)),
    ),
    declare(
      'last',
      memberOverload('list_last', [listType(V)], optionalType(V), (list: CelList) => element(list, list.size - 1)),
    ),
    declare('optional.unwrap', overload('optional_unwrap', [listType(optionalType(V))], listType(V), unwrap)),
    declare('unwrapOpt', memberOverload('optional_unwrapOpt', [listType(optionalType(V))], listType(V), unwrap)),
    declare(
      'cel.@mapInsert',
      overload('@mapInsert_map_key_value', [mapType(K, V), K, V], mapType(K, V), insertEntry),
      overload('@mapInsert_map_map', [mapType(K, V), mapType(K, V)], mapType(K, V), insertAll),
    ),
  ],
  types: [optionalType(DYN)],
};
