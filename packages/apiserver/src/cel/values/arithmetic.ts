/** Arithmetic of values. Integers have 64 bits: what does not fit is an error. */
import { CelError, type CelValue, Duration, isList, NO_SUCH_OVERLOAD, type Result, Timestamp, Uint } from './values.ts';

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;
const SECOND = 1_000_000_000n;
const MIN_TIME = -62_135_596_800n * SECOND;
const MAX_TIME = 253_402_300_800n * SECOND - 1n;

/** An int, or the error that it does not fit. */
export const int = (value: bigint): Result =>
  value < MIN_INT || value > MAX_INT ? new CelError('integer overflow') : value;

/** A uint, or the error that it does not fit. */
export const uint = (value: bigint): Result =>
  value < 0n || value > MAX_UINT ? new CelError('unsigned integer overflow') : new Uint(value);

/** A duration of nanoseconds, which must fit an int. */
export function duration(nanos: bigint): Result {
  const checked = int(nanos);
  return checked instanceof CelError ? checked : new Duration(nanos);
}

/** A moment between the years 1 and 9999. */
export const timestamp = (nanos: bigint, minutesEast = 0): Result =>
  nanos < MIN_TIME || nanos > MAX_TIME ? new CelError('timestamp overflow') : new Timestamp(nanos, minutesEast);

export function add(a: CelValue, b: CelValue): Result {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a + b) : NO_SUCH_OVERLOAD;
  if (typeof a === 'string') return typeof b === 'string' ? a + b : NO_SUCH_OVERLOAD;
  if (typeof a === 'number') return typeof b === 'number' ? a + b : NO_SUCH_OVERLOAD;
  if (isList(a)) return isList(b) ? a.add(b) : NO_SUCH_OVERLOAD;
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value + b.value) : NO_SUCH_OVERLOAD;
  if (a instanceof Uint8Array) {
    if (!(b instanceof Uint8Array)) return NO_SUCH_OVERLOAD;
    return Buffer.concat([a, b]);
  }
  if (a instanceof Duration) {
    if (b instanceof Duration) return duration(a.nanos + b.nanos);
    return b instanceof Timestamp ? timestamp(a.nanos + b.nanos, b.minutesEast) : NO_SUCH_OVERLOAD;
  }
  if (a instanceof Timestamp)
    return b instanceof Duration ? timestamp(a.nanos + b.nanos, a.minutesEast) : NO_SUCH_OVERLOAD;
  return new CelError('no such overload: _+_');
}

export function subtract(a: CelValue, b: CelValue): Result {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a - b) : NO_SUCH_OVERLOAD;
  if (typeof a === 'number') return typeof b === 'number' ? a - b : NO_SUCH_OVERLOAD;
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value - b.value) : NO_SUCH_OVERLOAD;
  if (a instanceof Duration) return b instanceof Duration ? duration(a.nanos - b.nanos) : NO_SUCH_OVERLOAD;
  if (a instanceof Timestamp) {
    if (b instanceof Duration) return timestamp(a.nanos - b.nanos, a.minutesEast);
    return b instanceof Timestamp ? duration(a.nanos - b.nanos) : NO_SUCH_OVERLOAD;
  }
  return new CelError('no such overload: _-_');
}

export function multiply(a: CelValue, b: CelValue): Result {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a * b) : NO_SUCH_OVERLOAD;
  if (typeof a === 'number') return typeof b === 'number' ? a * b : NO_SUCH_OVERLOAD;
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value * b.value) : NO_SUCH_OVERLOAD;
  return new CelError('no such overload: _*_');
}

export function divide(a: CelValue, b: CelValue): Result {
  if (typeof a === 'number') return typeof b === 'number' ? a / b : NO_SUCH_OVERLOAD;
  return wholeNumbers(a, b, '_/_', 'division by zero', (left, right) => left / right);
}

export function modulo(a: CelValue, b: CelValue): Result {
  return wholeNumbers(a, b, '_%_', 'modulus by zero', (left, right) => left % right);
}

function wholeNumbers(
  a: CelValue,
  b: CelValue,
  name: string,
  byZero: string,
  operate: (a: bigint, b: bigint) => bigint,
): Result {
  const isUint = a instanceof Uint;
  const left = isUint ? a.value : a;
  const right = isUint && b instanceof Uint ? b.value : isUint ? undefined : b;
  if (typeof left !== 'bigint') return new CelError(`no such overload: ${name}`);
  if (typeof right !== 'bigint') return NO_SUCH_OVERLOAD;
  if (right === 0n) return new CelError(byZero);
  // The one quotient that does not fit; Go takes the remainder for an overflow, too.
  if (!isUint && left === MIN_INT && right === -1n) return new CelError('integer overflow');
  const result = operate(left, right);
  return isUint ? uint(result) : int(result);
}

export function negate(a: CelValue): Result {
  if (typeof a === 'bigint') return int(-a);
  if (typeof a === 'number') return -a;
  if (a instanceof Duration) return duration(-a.nanos);
  return typeof a === 'boolean' ? NO_SUCH_OVERLOAD : new CelError('no such overload: -_');
}
