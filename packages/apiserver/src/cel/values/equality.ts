import { textWork, work } from '../meter.ts';
import {
  CelError,
  type CelValue,
  Duration,
  isList,
  isMap,
  NO_SUCH_OVERLOAD,
  OpaqueValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
} from './values.ts';

const EQUAL_WORK = 4;

/**
 * Whether two values are equal. Numbers compare across their types; values of different types are not equal, and an
 * error where the left one is of a type of Kubernetes.
 */
export function equal(a: CelValue, b: CelValue): boolean | CelError {
  work(EQUAL_WORK);
  if (typeof a === 'string') {
    if (typeof b !== 'string' || a.length !== b.length) return false;
    textWork(a);
    return a === b;
  }
  if (a === null || b === null || typeof a === 'boolean') return a === b;
  const left = numeric(a);
  if (left !== undefined) {
    const right = numeric(b);
    // biome-ignore lint/suspicious/noDoubleEquals: JavaScript compares bigint and number by their exact values
    return right !== undefined && left == right;
  }
  if (isList(a)) return isList(b) ? a.equals(b) : a.isTyped ? NO_SUCH_OVERLOAD : false;
  if (isMap(a)) return isMap(b) ? a.equals(b) : a.isTyped ? NO_SUCH_OVERLOAD : false;
  if (a instanceof Uint8Array) {
    if (!(b instanceof Uint8Array)) return false;
    textWork(a);
    return Buffer.compare(a, b) === 0;
  }
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b);
  if (!(a instanceof OpaqueValue)) return false;
  return b instanceof OpaqueValue && a.type.name === b.type.name ? a.equals(b) : a.equalsOther(b);
}

function equalOptionals(a: Optional, b: Optional): boolean | CelError {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equal(a.value, b.value);
}

/** A number as JavaScript compares it; undefined for what is none. */
export function numeric(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof Uint ? value.value : undefined;
}

/** -1, 0 or 1; an error where values have no order. NaN is neither less nor greater: undefined. */
export function compare(a: CelValue, b: CelValue): -1 | 0 | 1 | undefined | CelError {
  const left = numeric(a);
  if (left !== undefined) {
    const right = numeric(b);
    if (right === undefined) return new CelError('no such overload');
    if (Number.isNaN(left) || Number.isNaN(right)) return undefined;
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (typeof a === 'string' && typeof b === 'string') {
    textWork(a);
    return compareText(a, b);
  }
  if (typeof a === 'boolean' && typeof b === 'boolean') return a === b ? 0 : b ? -1 : 1;
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    textWork(a);
    return Buffer.compare(a, b);
  }
  if ((a instanceof Duration && b instanceof Duration) || (a instanceof Timestamp && b instanceof Timestamp)) {
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  }
  return new CelError('no such overload');
}

/** Whether a value has an order among those of its type. */
export const isComparable = (value: CelValue): boolean => !(compare(value, value) instanceof CelError);

/** By code points, as Go orders UTF-8; JavaScript's order by UTF-16 units differs beyond U+FFFF. */
export function compareText(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left === right) continue;
    const isPair = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
    if (isPair(left) !== isPair(right)) return isPair(left) ? 1 : -1;
    return left < right ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}
