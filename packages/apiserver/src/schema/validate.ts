import { type FieldError, field, type Schema } from '@vireo/api';
import { deepEqual, isObject, type JsonObject, own } from '@vireo/api/json.ts';
import { BadPattern, compilePattern } from '../patterns/pattern.ts';
import { isUnchanged } from './correlation.ts';
import { hasFormat, isInNumberRange } from './formats.ts';
import { canonical, duplicateElements, elementsByKeys } from './listElements.ts';
import { join } from './path.ts';

/** Past this many, more errors help nobody and cost time on hostile input. */
const MAX_ERRORS = 100;
/** Nor does more text. A value stands in the text of its error, and so do all values that an enum allows. */
const MAX_TEXT = 1 << 20;

const isFull = (errors: readonly FieldError[]): boolean =>
  errors.length >= MAX_ERRORS || errors.reduce((length, { text }) => length + text.length, 0) > MAX_TEXT;

/**
 * What of `validateSchema` an update is refused for: as in Kubernetes, parts that equal those of the old object pass,
 * so that a stricter schema does not lock what is stored. Elements of a list are compared only where they have keys.
 */
export function validateSchemaUpdate(value: unknown, old: unknown, schema: Schema): FieldError[] {
  const errors = validateSchema(value, schema);
  // Most updates fit, and need no comparison.
  if (errors.length === 0) return errors;
  const left: FieldError[] = [];
  patternWorkLeft = PATTERN_WORK;
  check(value, schema, '', left, old);
  // Elements that occur twice are forgiven everywhere, if there were such before anywhere.
  const isDuplicate = ({ type }: FieldError) => type === 'FieldValueDuplicate';
  const forgiven = left.some(isDuplicate) && errorsOf(old, schema, '').some(isDuplicate);
  return (forgiven ? left.filter((error) => !isDuplicate(error)) : left).slice(0, MAX_ERRORS);
}

/** Everything in which `value` does not fit the schema, in Kubernetes' words. */
export function validateSchema(value: unknown, schema: Schema, path = ''): FieldError[] {
  patternWorkLeft = PATTERN_WORK;
  return errorsOf(value, schema, path);
}

function errorsOf(value: unknown, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  check(value, schema, path, errors);
  return errors.slice(0, MAX_ERRORS);
}

function check(value: unknown, schema: Schema, path: string, errors: FieldError[], old?: unknown): void {
  if (errors.length > 0 && isFull(errors)) return;
  if (old !== undefined && isUnchanged(value, old, schema)) return;
  if (value === null && schema.nullable) return;
  if (!hasType(value, schema)) {
    const actual = typeOf(value);
    const wanted = schema.intOrString ? 'integer,string' : schema.type;
    errors.push(field.typeInvalid(path, actual, `${inBody(path)} must be of type ${wanted}: "${actual}"`));
    return;
  }
  if (typeof value === 'number') checkRange(value, schema, path, errors);
  if (schema.enum && !isAllowed(value, schema.enum)) {
    const supported = schema.enum.map((allowed) => (typeof allowed === 'string' ? allowed : JSON.stringify(allowed)));
    errors.push(field.notSupported(path, value, supported));
  }
  if (typeof value === 'string') checkString(value, schema, path, errors);
  else if (typeof value === 'number') checkNumber(value, schema, path, errors);
  else if (Array.isArray(value)) checkList(value, schema, path, errors, old);
  else if (isObject(value)) checkObject(value, schema, path, errors, old);
  checkCombinations(value, schema, path, errors, old);
}

const SHORT_ENUM = 32;
const allowedTexts = new WeakMap<readonly unknown[], Set<string>>();

/** An enum can be as long as a list whose items it is about: looked up, not gone through. */
function isAllowed(value: unknown, allowed: readonly unknown[]): boolean {
  if (allowed.length <= SHORT_ENUM) return allowed.some((each) => deepEqual(each, value));
  let texts = allowedTexts.get(allowed);
  if (!texts) {
    texts = new Set(allowed.map(canonical));
    allowedTexts.set(allowed, texts);
  }
  return texts.has(canonical(value));
}

/** Kubernetes finds this outside of any field, and says so. */
function checkRange(value: number, { type, format }: Schema, path: string, errors: FieldError[]): void {
  if (format === undefined || isInNumberRange(value, type, format)) return;
  errors.push(field.invalid('<nil>', '', `Checked value must be of type ${type} with format ${format} in ${path}`));
}

function hasType(value: unknown, { type, intOrString }: Schema): boolean {
  if (intOrString) return typeof value === 'string' || isInt64(value);
  switch (type) {
    case undefined:
      return true;
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return isInt64(value);
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number';
  }
}

/** Go reads a number that no int64 can hold as a float. */
const isInt64 = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= -(2 ** 63) && (value as number) < 2 ** 63;

/** The JSON type of a value, with Kubernetes' distinction of integers. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isInt64(value) ? 'integer' : 'number';
  return typeof value;
}

const inBody = (path: string): string => `${path} in body`;

function checkString(text: string, schema: Schema, path: string, errors: FieldError[]): void {
  const { minLength, maxLength, pattern, format } = schema;
  const length = minLength === undefined && maxLength === undefined ? 0 : codePoints(text);
  // Kubernetes names the first of these three only.
  if (maxLength !== undefined && length > maxLength) errors.push(field.tooLong(path, maxLength));
  else if (minLength !== undefined && length < minLength) {
    errors.push(field.invalid(path, text, `${inBody(path)} should be at least ${minLength} chars long`));
  } else if (pattern !== undefined) checkPattern(text, pattern, path, errors);
  // A definition may say so, too, but it means nothing there.
  const isRemark = format === 'quantity' && schema.protoMessage === undefined;
  if (format !== undefined && !isRemark && !hasFormat(text, format)) {
    errors.push(field.typeInvalid(path, text, `${inBody(path)} must be of type ${format}: ${JSON.stringify(text)}`));
  }
}

/** What matching patterns may take in one validation: about 100 ms, which only hostile patterns come near. */
const PATTERN_WORK = 10_000_000;
let patternWorkLeft = 0;

function checkPattern(text: string, source: string, path: string, errors: FieldError[]): void {
  const pattern = compilePattern(source);
  // A definition with such a pattern is refused; one that was stored before checks nothing.
  if (pattern instanceof BadPattern) return;
  patternWorkLeft -= pattern.testWork(text);
  if (patternWorkLeft < 0)
    errors.push(field.invalid(path, text, `${inBody(path)} is too long to be matched with '${source}'`));
  else if (!pattern.test(text)) errors.push(field.invalid(path, text, `${inBody(path)} should match '${source}'`));
}

const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

function checkNumber(value: number, schema: Schema, path: string, errors: FieldError[]): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const refuse = (why: string) => errors.push(field.invalid(path, value, `${inBody(path)} ${why}`));
  // Where 64 bits are asked for, such as nanoseconds since 1970, the nearest number that there is will do.
  const isUnclear = schema.format !== 'int64' && schema.format !== 'int32';
  if (isUnclear && !Number.isSafeInteger(value) && (schema.type === 'integer' || schema.intOrString)) {
    refuse(`should be between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`);
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    refuse(`should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    refuse(`should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf))
    refuse(`should be a multiple of ${multipleOf}`);
}

function checkList(list: readonly unknown[], schema: Schema, path: string, errors: FieldError[], old: unknown): void {
  const { minItems, maxItems, items } = schema;
  if (maxItems !== undefined && list.length > maxItems) errors.push(field.tooMany(path, list.length, maxItems));
  if (minItems !== undefined && list.length < minItems) {
    errors.push(field.invalid(path, list.length, `${inBody(path)} should have at least ${minItems} items`));
  }
  if (items) {
    const before = elementsByKeys(old, schema);
    for (let i = 0; i < list.length && !isFull(errors); i++)
      check(list[i], items, `${path}[${i}]`, errors, before?.(list[i]));
  }
  for (const { index, identity } of duplicateElements(list, schema)) {
    errors.push(field.duplicate(`${path}[${index}]`, identity));
    if (isFull(errors)) return;
  }
  if (schema.uniqueItems && duplicateElements(list, { listType: 'set' }).next().done === false) {
    errors.push(field.invalid(path, '', `${inBody(path)} shouldn't contain duplicates`));
  }
}

function checkObject(object: JsonObject, schema: Schema, path: string, errors: FieldError[], old: unknown): void {
  const before = (key: string): unknown => (isObject(old) ? own(old, key) : undefined);
  const { properties, values, minProperties, maxProperties } = schema;
  const count = Object.keys(object).length;
  if (maxProperties !== undefined && count > maxProperties) errors.push(field.tooMany(path, count, maxProperties));
  if (minProperties !== undefined && count < minProperties) {
    errors.push(field.invalid(path, count, `${inBody(path)} should have at least ${minProperties} properties`));
  }
  for (const [key, property] of Object.entries(properties ?? {})) {
    if (Object.hasOwn(object, key)) check(object[key], property.schema, join(path, key), errors, before(key));
    else if (property.required) errors.push(field.required(join(path, key)));
  }
  if (values) {
    for (const key of Object.keys(object)) {
      if (!properties || !Object.hasOwn(properties, key))
        check(object[key], values, `${path}.${key}`, errors, before(key));
    }
  }
}

function checkCombinations(value: unknown, schema: Schema, path: string, errors: FieldError[], old: unknown): void {
  const { allOf = [], anyOf, oneOf, not } = schema;
  const refuse = (why: string) =>
    errors.push(field.invalid(path, typeof value === 'object' ? '' : value, `${inBody(path)} ${why}`));
  const failuresOf = (other: Schema) => errorsOf(value, other, path);
  const before = errors.length;
  for (const other of allOf) check(value, other, path, errors, old);
  if (errors.length > before) refuse('must validate all the schemas (allOf)');
  if (anyOf) {
    const failures = anyOf.map(failuresOf);
    if (failures.every(isFailure)) {
      refuse('must validate at least one schema (anyOf)');
      errors.push(...fewest(failures));
    }
  }
  if (oneOf) {
    const failures = oneOf.map(failuresOf);
    const valid = failures.filter((list) => !isFailure(list)).length;
    if (valid === 0) {
      refuse('must validate one and only one schema (oneOf). Found none valid');
      errors.push(...fewest(failures));
    } else if (valid > 1) {
      refuse(`must validate one and only one schema (oneOf). Found ${valid} valid alternatives`);
    }
  }
  if (not && !isFailure(failuresOf(not))) refuse('must not validate the schema (not)');
}

const isFailure = (errors: readonly FieldError[]): boolean => errors.length > 0;

/** What is wrong with the alternative that fits best. */
const fewest = (failures: readonly FieldError[][]): readonly FieldError[] =>
  failures.reduce((a, b) => (b.length < a.length ? b : a), failures[0] ?? []);
