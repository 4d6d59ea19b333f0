/** Fields and indexes: `a.b`, `a[b]`, `a.?b`, `a[?b]` and `has(a.b)`. */
import { work } from '../meter.ts';
import {
  CelError,
  type CelValue,
  displayKey,
  isList,
  isMap,
  noSuchKey,
  Optional,
  type Result,
  typeName,
  Uint,
} from '../values/values.ts';

const LOOK_UP_WORK = 4;

/** What is at the key; undefined where nothing is. */
function find(container: CelValue, key: CelValue): Result | undefined {
  if (isMap(container)) {
    work(LOOK_UP_WORK + (typeof key === 'string' ? key.length >> 2 : 0));
    return container.find(key);
  }
  if (!isList(container)) return undefined;
  const index = indexOf(key);
  if (index instanceof CelError) return index;
  return index >= 0 && index < container.size ? container.get(index) : undefined;
}

function indexOf(key: CelValue): number | CelError {
  if (typeof key === 'bigint') return Number(key);
  if (key instanceof Uint) return Number(key.value);
  if (typeof key === 'number') {
    return Number.isInteger(key) ? key : new CelError(`unsupported index value ${key} in list`);
  }
  return new CelError(`unsupported index type '${typeName(key)}' in list`);
}

const missing = (container: CelValue, key: CelValue): CelError =>
  isList(container) ? new CelError(`index out of bounds: ${displayKey(key)}`) : noSuchKey(key);

/** `container.key` or `container[key]`. Of an optional value it is optional as well. */
export function select(container: CelValue, key: CelValue): Result {
  if (container instanceof Optional) return selectOptional(container, key);
  const value = find(container, key);
  return value === undefined ? missing(container, key) : value;
}

/** `container.?key` or `container[?key]`. */
export function selectOptional(container: CelValue, key: CelValue): Result {
  const inner = container instanceof Optional ? container.value : container;
  if (inner === undefined) return Optional.none;
  const value = find(inner, key);
  if (value === undefined) return Optional.none;
  return value instanceof CelError ? value : new Optional(value);
}

/** `has(container.key)`. */
export function hasField(container: CelValue, key: string): Result {
  const inner = container instanceof Optional ? container.value : container;
  if (inner === undefined) return false;
  const value = find(inner, key);
  return value instanceof CelError ? value : value !== undefined;
}
