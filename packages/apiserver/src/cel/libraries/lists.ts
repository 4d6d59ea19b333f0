/** Kubernetes' functions of lists (`isSorted`, `sum`, `indexOf`) and cel-go's (`sort`, `slice`, `flatten`). */
import { declare, type FunctionDeclaration, type Library, memberOverload, overload } from '../declarations.ts';
import { work } from '../meter.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  STRING,
  TIMESTAMP,
  typeParameter,
  UINT,
} from '../types.ts';
import { add } from '../values/arithmetic.ts';
import { elementsOf, Values } from '../values/collections.ts';
import { compare, equal, isComparable } from '../values/equality.ts';
import {
  CelError,
  type CelList,
  type CelValue,
  Duration,
  isList,
  NO_SUCH_OVERLOAD,
  type Result,
  typeName,
  Uint,
} from '../values/values.ts';

const T = typeParameter('T');

const SUMMABLE: readonly (readonly [string, CelType, CelValue])[] = [
  ['int', INT, 0n],
  ['uint', UINT, new Uint(0n)],
  ['double', DOUBLE, 0],
  ['duration', DURATION, new Duration(0n)],
];

const COMPARABLE: readonly (readonly [string, CelType])[] = [
  ['int', INT],
  ['uint', UINT],
  ['double', DOUBLE],
  ['bool', BOOL],
  ['duration', DURATION],
  ['timestamp', TIMESTAMP],
  ['string', STRING],
  ['bytes', BYTES],
];

/** A function of lists of anything that has an order. */
const forComparable = (
  name: string,
  id: (type: string) => string,
  result: (type: CelType) => CelType,
  call: (list: CelList) => Result,
): FunctionDeclaration =>
  declare(
    name,
    ...COMPARABLE.map(([typeId, type]) => memberOverload(id(typeId), [listType(type)], result(type), call)),
  );

function isSorted(list: CelList): Result {
  const elements = elementsOf(list);
  if (elements instanceof CelError) return elements;
  for (const [i, element] of elements.entries()) {
    if (!isComparable(element)) return NO_SUCH_OVERLOAD;
    if (i > 0 && compare(elements[i - 1] as CelValue, element) === 1) return false;
  }
  return true;
}

const extreme =
  (name: string, replacedWhen: -1 | 1) =>
  (list: CelList): Result => {
    const elements = elementsOf(list);
    if (elements instanceof CelError) return elements;
    if (elements.length === 0) return new CelError(`${name} called on empty list`);
    if (!elements.every(isComparable)) return NO_SUCH_OVERLOAD;
    return elements.reduce((best, element) => (compare(best, element) === replacedWhen ? element : best));
  };

const sum =
  (zero: CelValue) =>
  (list: CelList): Result => {
    const elements = elementsOf(list);
    if (elements instanceof CelError) return elements;
    return elements.reduce<Result>((total, element) => (total instanceof CelError ? total : add(total, element)), zero);
  };

function indexOf(list: CelList, item: CelValue): Result {
  for (let i = 0; i < list.size; i++) if (isAt(list, i, item)) return BigInt(i);
  return -1n;
}

function lastIndexOf(list: CelList, item: CelValue): Result {
  for (let i = list.size - 1; i >= 0; i--) if (isAt(list, i, item)) return BigInt(i);
  return -1n;
}

function isAt(list: CelList, index: number, item: CelValue): boolean {
  const element = list.get(index);
  return !(element instanceof CelError) && equal(element, item) === true;
}

function slice(list: CelList, start: bigint, end: bigint): Result {
  const refuse = (why: string) => new CelError(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0n || end < 0n) return refuse('negative indexes not supported');
  if (start > end) return refuse('start index must be less than or equal to end index');
  if (BigInt(list.size) < end) return refuse(`list is length ${list.size}`);
  const elements = elementsOf(list);
  return elements instanceof CelError ? elements : new Values(elements.slice(Number(start), Number(end)));
}

function flatten(list: CelValue, depth: CelValue = 1n): Result {
  if (!isList(list) || typeof depth !== 'bigint') return NO_SUCH_OVERLOAD;
  if (depth < 0n) return new CelError('level must be non-negative');
  const flat: CelValue[] = [];
  const collect = (part: CelList, level: bigint): CelError | undefined => {
    work(4 + 5 * part.size);
    for (let i = 0; i < part.size; i++) {
      const element = part.get(i);
      if (element instanceof CelError) return element;
      if (level === 0n || !isList(element)) flat.push(element);
      else {
        const failure = collect(element, level - 1n);
        if (failure) return failure;
      }
    }
    return undefined;
  };
  return collect(list, depth) ?? new Values(flat);
}

const sort = (list: CelList): Result => sortByKeys(list, list);

function sortByKeys(list: CelList, keyList: CelList): Result {
  const elements = elementsOf(list);
  const keys = elementsOf(keyList);
  if (elements instanceof CelError) return elements;
  if (keys instanceof CelError) return keys;
  if (elements.length !== keys.length) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${elements.length} and ${keys.length} elements respectively`,
    );
  }
  if (elements.length === 0) return list;
  const first = keys[0] as CelValue;
  if (!isComparable(first)) return new CelError('list elements must be comparable');
  if (keys.length > 1 && keys.some((key) => typeName(key) !== typeName(first)))
    return new CelError('list elements must have the same type');
  work(keys.length * Math.ceil(Math.log2(keys.length + 1)) * 4);
  const order = keys.map((_, i) => i);
  order.sort((a, b) => (compare(keys[a] as CelValue, keys[b] as CelValue) as number | undefined) ?? 0);
  return new Values(order.map((i) => elements[i] as CelValue));
}

function reverse(list: CelList): Result {
  const elements = elementsOf(list);
  return elements instanceof CelError ? elements : new Values(elements.toReversed());
}

function distinct(list: CelList): Result {
  const elements = elementsOf(list);
  if (elements instanceof CelError) return elements;
  const kept: CelValue[] = [];
  for (const element of elements) {
    if (!kept.some((other) => equal(element, other) === true)) kept.push(element);
  }
  return new Values(kept);
}

const MAX_RANGE = 1_000_000;

function range(count: bigint): Result {
  if (count < 0n) return new CelError(`lists.range: size must be non-negative, got ${count}`);
  if (count > MAX_RANGE) return new CelError(`lists.range: size ${count} exceeds maximum allowed (${MAX_RANGE})`);
  work(Number(count));
  return new Values(Array.from({ length: Number(count) }, (_, i) => BigInt(i)));
}

const first = (type: CelType): CelType => type;

/** All functions of lists that are no part of the language itself. */
export const lists: Library = {
  functions: [
    forComparable(
      'isSorted',
      (type) => `list_${type}_is_sorted_bool`,
      () => BOOL,
      isSorted,
    ),
    forComparable('max', (type) => `list_${type}_max_${type}`, first, extreme('max', -1)),
    forComparable('min', (type) => `list_${type}_min_${type}`, first, extreme('min', 1)),
    declare(
      'sum',
      ...SUMMABLE.map(([id, type, zero]) => memberOverload(`list_${id}_sum_${id}`, [listType(type)], type, sum(zero))),
    ),
    declare('indexOf', memberOverload('list_a_index_of_int', [listType(T), T], INT, indexOf)),
    declare('lastIndexOf', memberOverload('list_a_last_index_of_int', [listType(T), T], INT, lastIndexOf)),
    declare('slice', memberOverload('list_slice', [listType(T), INT, INT], listType(T), slice)),
    declare(
      'flatten',
      { ...memberOverload('list_flatten', [listType(listType(T))], listType(T), flatten), unguarded: true },
      { ...memberOverload('list_flatten_int', [listType(DYN), INT], listType(DYN), flatten), unguarded: true },
    ),
    forComparable('sort', (type) => `list_${type}_sort`, listType, sort),
    declare(
      '@sortByAssociatedKeys',
      ...COMPARABLE.map(([id, type]) =>
        memberOverload(`list_${id}_sortByAssociatedKeys`, [listType(T), listType(type)], listType(T), sortByKeys),
      ),
    ),
    declare('reverse', memberOverload('list_reverse', [listType(T)], listType(T), reverse)),
    declare('distinct', memberOverload('list_distinct', [listType(T)], listType(T), distinct)),
    declare('lists.range', overload('lists_range', [INT], listType(INT), range)),
  ],
};
