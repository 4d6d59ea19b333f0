import { ApiError, type FieldError, field, type Schema } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { RequestBody } from '@vireo/kube';
import { parseBody } from '../actions/body.ts';
import { typeMismatch } from '../schemaTypes.ts';

/**
 * The input of one of Harvester's actions: an object of the schema. As there, names of fields may be written in any
 * case, unknown ones are ignored, and what is wrong is answered with 422.
 */
export function readInput<B>(body: RequestBody | undefined, schema: Schema<B>): B {
  const value = parse(body, schema) ?? {};
  if (!isObject(value)) throw invalidInput(schema, [field.typeInvalid('body', value, 'must be an object')]);
  const input = withKnownNames(value, schema);
  const missing = Object.entries(schema.properties ?? {}).filter(
    ([name, { required }]) => required && (input[name] == null || input[name] === ''),
  );
  if (missing.length > 0)
    throw invalidInput(
      schema,
      missing.map(([name]) => field.required(name)),
    );
  const mismatch = typeMismatch('', input, schema);
  if (mismatch !== undefined) throw refusal(schema, mismatch);
  return input as B;
}

function parse(body: RequestBody | undefined, schema: Schema): unknown {
  try {
    return parseBody(body);
  } catch (error) {
    throw refusal(schema, (error as Error).message);
  }
}

function withKnownNames(value: Record<string, unknown>, { properties = {} }: Schema): Record<string, unknown> {
  const known = new Map(Object.keys(properties).map((name) => [name.toLowerCase(), name]));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [known.get(name.toLowerCase()) ?? name, each]));
}

const nameOf = ({ name }: Schema): string => name?.split('.').at(-1) ?? 'input';

/** The refusal of an input: the fields that are wrong, and why. */
export function invalidInput(schema: Schema, errors: readonly FieldError[]): ApiError {
  const causes = errors.map(({ type, field: path, text }) => ({ reason: type, message: text, field: path }));
  const texts = errors.map(({ field: path, text }) => `${path}: ${text}`).join(', ');
  return new ApiError('Invalid', `the body is not a valid ${nameOf(schema)}: ${texts}`, {
    kind: nameOf(schema),
    causes,
  });
}

/** The refusal of one field of an input. */
export const invalidField = ({ field: path, text, type }: FieldError, details: { kind?: string } = {}): ApiError =>
  new ApiError('Invalid', `${path}: ${text}`, { ...details, causes: [{ reason: type, message: text, field: path }] });

/** Clients such as kubectl show nothing but the causes of what is invalid: there has to be one. */
const refusal = (schema: Schema, why: string): ApiError =>
  new ApiError('Invalid', `the body is not a valid ${nameOf(schema)}: ${why}`, {
    kind: nameOf(schema),
    causes: [{ reason: 'FieldValueTypeInvalid', message: why, field: 'body' }],
  });
