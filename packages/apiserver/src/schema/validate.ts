import { type FieldError, field, type Schema } from '@vireo/api';
import { isObject, type JsonObject, own } from '@vireo/api/json.ts';
import { checkCombinations } from './combinations.ts';
import { isUnchanged } from './correlation.ts';
import { elementsByKeys } from './listElements.ts';
import { hasDuplicates } from './listTypes.ts';
import { join } from './path.ts';
import { checkEnum, checkNumber, checkString } from './scalars.ts';
import { jsonTypeOf, typeError } from './types.ts';
import { Validation } from './validation.ts';

/** Everything in which `value` does not fit the schema, in Kubernetes' words. `at`: where the value is. */
export function validateSchema(value: unknown, schema: Schema, at = ''): FieldError[] {
  return placed(errorsOf(value, schema, undefined), at);
}

/**
 * What of `validateSchema` an update is refused for: as in Kubernetes, parts that equal those of the old object pass,
 * so that a stricter schema does not lock what is stored. Elements of a list are compared only where they have keys.
 */
export function validateSchemaUpdate(value: unknown, old: unknown, schema: Schema, at = ''): FieldError[] {
  const errors = errorsOf(value, schema, undefined);
  // Most updates fit, and need no comparison.
  return errors.length === 0 ? errors : placed(errorsOf(value, schema, old), at);
}

function errorsOf(value: unknown, schema: Schema, old: unknown): FieldError[] {
  const validation = new Validation();
  check(value, schema, '', validation, old);
  return validation.errors;
}

/** A value of a map at the root is called by a path that begins with a dot, which the field has not. */
const placed = (errors: readonly FieldError[], at: string): FieldError[] =>
  errors.map((error) => ({
    ...error,
    field: error.field === '' ? at || '<nil>' : join(at, error.field.replace(/^\./, '')),
  }));

/** What a value counts by itself, besides its type and what it contains. */
const MATCHES = { null: 0, boolean: 4, string: 5, integer: 6, number: 6, array: 6, object: 5 } as const;

/** Adds what is wrong with a value. As in Kubernetes, a wrong type does not end it. */
function check(value: unknown, schema: Schema, path: string, validation: Validation, old?: unknown): void {
  if (validation.isFull) return;
  if (old !== undefined && isUnchanged(value, old, schema)) return;
  const wrongType = typeError(value, schema, path);
  if (wrongType) validation.fail(() => wrongType);
  validation.matches += MATCHES[jsonTypeOf(value)] + (schema.type || schema.intOrString ? (wrongType ? 1 : 2) : 0);
  if (schema.enum) checkEnum(value, schema.enum, path, validation);
  if (value === null) return;
  checkCombinations(value, schema, path, validation, old, check);
  if (typeof value === 'string') checkString(value, schema, path, validation);
  else if (typeof value === 'number') checkNumber(value, schema, path, validation);
  else if (Array.isArray(value)) checkList(value, schema, path, validation, old);
  else if (isObject(value)) checkObject(value, schema, path, validation, old);
}

function checkList(list: readonly unknown[], schema: Schema, path: string, validation: Validation, old: unknown): void {
  const { minItems, maxItems, items } = schema;
  const count = list.length;
  if (maxItems !== undefined && count > maxItems) validation.fail(() => field.tooMany(path, count, maxItems));
  if (minItems !== undefined && count < minItems) {
    validation.fail(() => field.invalid(path, count, `${path} in body should have at least ${minItems} items`));
  }
  if (items) {
    const before = elementsByKeys(old, schema);
    for (let i = 0; i < list.length && !validation.isFull; i++)
      check(list[i], items, `${path}[${i}]`, validation, before?.(list[i]));
  }
  if (schema.uniqueItems && hasDuplicates(list)) {
    validation.fail(() => field.invalid(path, '', `${path} in body shouldn't contain duplicates`));
  }
}

function checkObject(object: JsonObject, schema: Schema, path: string, validation: Validation, old: unknown): void {
  const before = (key: string): unknown => (isObject(old) ? own(old, key) : undefined);
  const { properties, values, minProperties, maxProperties } = schema;
  const count = Object.keys(object).length;
  if (maxProperties !== undefined && count > maxProperties)
    validation.fail(() => field.tooMany(path, count, maxProperties));
  if (minProperties !== undefined && count < minProperties) {
    validation.fail(() =>
      field.invalid(path, count, `${path} in body should have at least ${minProperties} properties`),
    );
  }
  for (const [key, property] of Object.entries(properties ?? {})) {
    if (Object.hasOwn(object, key)) check(object[key], property.schema, join(path, key), validation, before(key));
    else if (property.required) validation.fail(() => field.required(join(path, key)));
  }
  if (values) {
    for (const key of Object.keys(object)) {
      if (!properties || !Object.hasOwn(properties, key))
        check(object[key], values, `${path}.${key}`, validation, before(key));
    }
  }
}
