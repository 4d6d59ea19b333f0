import { field, type Schema } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { BadPattern, compilePattern } from '../patterns/pattern.ts';
import { formatOf, hasFormat, isInNumberRange, isInt64 } from './formats.ts';
import { canonical } from './listElements.ts';
import type { Validation } from './validation.ts';

/** Adds what is wrong with a text. */
export function checkString(text: string, schema: Schema, path: string, validation: Validation): void {
  const { minLength, maxLength, pattern, format } = schema;
  const length = minLength === undefined && maxLength === undefined ? 0 : codePoints(text);
  // Kubernetes names the first of these three only.
  if (maxLength !== undefined && length > maxLength) validation.fail(() => field.tooLong(path, maxLength));
  else if (minLength !== undefined && length < minLength) {
    validation.fail(() => field.invalid(path, text, `${path} in body should be at least ${minLength} chars long`));
  } else if (pattern !== undefined) checkPattern(text, pattern, path, validation);
  const checked = format === undefined ? undefined : formatOf(schema);
  if (checked !== undefined && !hasFormat(text, checked)) {
    validation.fail(() =>
      field.typeInvalid(path, text, `${path} in body must be of type ${checked}: ${JSON.stringify(text)}`),
    );
  }
}

function checkPattern(text: string, source: string, path: string, validation: Validation): void {
  const pattern = compilePattern(source);
  // A definition with such a pattern is refused; one that was stored before checks nothing.
  if (pattern instanceof BadPattern) return;
  validation.patternWork -= pattern.testWork(text);
  const isTooMuch = validation.patternWork < 0;
  if (!isTooMuch && pattern.test(text)) return;
  const why = isTooMuch ? 'is too long to be matched with' : 'should match';
  validation.fail(() => field.invalid(path, text, `${path} in body ${why} '${source}'`));
}

const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

/** Adds what is wrong with a number. What is out of range is said of no field, as in Kubernetes. */
export function checkNumber(value: number, schema: Schema, path: string, validation: Validation): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const refuse = (why: string, shown = value) => validation.fail(() => field.invalid(path, shown, why));
  checkRange('Checked', value, schema, path, validation);
  // Where 64 bits are asked for, such as nanoseconds since 1970, the nearest number that there is will do.
  const isUnclear = schema.format !== 'int64' && schema.format !== 'int32';
  if (isUnclear && isRounded(value) && (schema.type === 'integer' || schema.intOrString)) {
    const most = Number.MAX_SAFE_INTEGER;
    refuse(`${path} in body should be between -${most} and ${most}`);
  }
  // Go compares integers with integers.
  const limit = (bound: number, name: string): number =>
    checkRange(name, bound, schema, path, validation) && Number.isInteger(value) ? Math.trunc(bound) : bound;
  if (multipleOf !== undefined) {
    const factor = limit(multipleOf, 'MultipleOf');
    if (factor <= 0) refuse(`factor MultipleOf declared for ${path} must be positive: ${factor}`, factor);
    else if (!isMultiple(value, factor)) refuse(`${path} in body should be a multiple of ${factor}`);
  }
  if (maximum !== undefined) {
    const most = limit(maximum, 'Maximum boundary');
    if (exclusiveMaximum ? value >= most : value > most)
      refuse(`${path} in body should be less than ${exclusiveMaximum ? '' : 'or equal to '}${most}`);
  }
  if (minimum !== undefined) {
    const least = limit(minimum, 'Minimum boundary');
    if (exclusiveMinimum ? value <= least : value < least)
      refuse(`${path} in body should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${least}`);
  }
}

/** Go divides integers exactly, and compares what is left of other numbers with a tolerance. */
const isMultiple = (value: number, factor: number): boolean =>
  Number.isInteger(value) && Number.isInteger(factor)
    ? value % factor === 0
    : isWhole(factor < 1 ? (1 / factor) * value : value / factor);

/** Whether the integer may have been another one before it was read. */
const isRounded = (value: number): boolean => isInt64(value) && !Number.isSafeInteger(value);

/** Whether the number fits the type and the format; otherwise it is said. */
function checkRange(name: string, value: number, schema: Schema, path: string, validation: Validation): boolean {
  const { type, intOrString } = schema;
  const format = formatOf(schema);
  if (intOrString || isInNumberRange(value, type, format)) return true;
  const shown = format === undefined ? '(default format)' : `with format ${format}`;
  validation.fail(() => field.invalid('', '', `${name} value must be of type ${type} ${shown} in ${path}`));
  return false;
}

/** Whole but for what calculating with fractions loses. */
function isWhole(value: number): boolean {
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  return whole > 0 && (value - whole) / (value + whole) < 1e-9;
}

/** Adds that the value is none of those that are allowed. */
export function checkEnum(value: unknown, allowed: readonly unknown[], path: string, validation: Validation): void {
  if (allowed.length === 0 || isAllowed(value, allowed)) return;
  validation.fail(() => {
    const supported = allowed.map((other) => (typeof other === 'string' ? other : JSON.stringify(other)));
    return field.notSupported(path, value, supported);
  });
}

/** Go converts the value to the type of the allowed one first: fractions are cut off, and integers are characters. */
function isAllowed(value: unknown, allowed: readonly unknown[]): boolean {
  if (value === null) return false;
  if (isOneOf(value, allowed)) return true;
  if (typeof value !== 'number') return false;
  return isOneOf(Math.trunc(value), allowed) || (isCodePoint(value) && isOneOf(String.fromCodePoint(value), allowed));
}

const SHORT_ENUM = 32;
const allowedTexts = new WeakMap<readonly unknown[], Set<string>>();

/** An enum can be as long as a list whose items it is about: looked up, not gone through. */
function isOneOf(value: unknown, allowed: readonly unknown[]): boolean {
  if (allowed.length <= SHORT_ENUM) return allowed.some((each) => deepEqual(each, value));
  let texts = allowedTexts.get(allowed);
  if (!texts) {
    texts = new Set(allowed.map(canonical));
    allowedTexts.set(allowed, texts);
  }
  return texts.has(canonical(value));
}

const isCodePoint = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 0x10_ff_ff;
