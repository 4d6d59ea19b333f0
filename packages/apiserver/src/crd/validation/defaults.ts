import { type FieldError, field, type Schema } from '@vireo/api';
import { deepClone, deepEqual, own } from '@vireo/api/json.ts';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { schemaFromJson } from '@vireo/api/schemaFromJson.ts';
import type { Allowance } from '../../rules/allowance.ts';
import { RuleValidator } from '../../rules/validator.ts';
import { typeEmbedded, validateEmbedded } from '../../schema/embedded.ts';
import { pruneUnknownFields } from '../../schema/pruning.ts';
import { validateSchema } from '../../schema/validate.ts';
import { sortedJson } from './goForm.ts';

const META_FIELDS = ['metadata', 'apiVersion', 'kind'];
const NOBODY = { kind: '', version: '' };

/** A schema in the forms that are needed here, each compiled once for all that is inside. */
interface Forms {
  readonly json: JSONSchemaProps;
  readonly whole: Schema;
  /** What is left where only OpenAPI counts: an int or string is then anything, and lists have no types. */
  readonly plain: Schema;
}

/** Where a schema stands: the object that it belongs to, and the way there. */
interface Place {
  readonly resource: Schema;
  /** The object around a value at this place. */
  readonly around: (value: unknown) => unknown;
  /** Whether it is apiVersion, kind or metadata of that object, or something below. */
  readonly isInMeta: boolean;
}

/** What is wrong with the defaults in a schema of a resource. Kubernetes does not look at those of the values of maps. */
export function defaultErrors(schema: JSONSchemaProps, path: string, allowance: Allowance): FieldError[] {
  const json = { ...schema, 'x-kubernetes-embedded-resource': true };
  const whole = schemaFromJson(json);
  const forms = { json, whole, plain: plainSchema(whole) };
  return visit(forms, path, { resource: forms.whole, around: typed, isInMeta: false }, allowance);
}

const typed = (value: unknown): unknown => ({
  kind: 'Validation',
  apiVersion: 'validation/v1',
  ...(value as object),
});

function visit(forms: Forms, path: string, outer: Place, allowance: Allowance): FieldError[] {
  const { json, whole, plain } = forms;
  const isResource = whole.embeddedResource === true;
  const place = isResource ? { resource: whole, around: typed, isInMeta: false } : outer;
  const errors: FieldError[] = [];
  if ((json.default ?? undefined) !== undefined) {
    errors.push(...(place.isInMeta ? metaErrors : valueErrors)(forms, `${path}.default`, place, allowance));
  }
  if (whole.items && plain.items) {
    const items = { json: json.items as JSONSchemaProps, whole: whole.items, plain: plain.items };
    errors.push(...visit(items, `${path}.items`, { ...place, around: (value) => place.around([value]) }, allowance));
  }
  for (const [name, child] of Object.entries(json.properties ?? {})) {
    const [inWhole, inPlain] = [whole, plain].map(({ properties = {} }) => own(properties, name)?.schema);
    if (!inWhole || !inPlain) continue;
    const within = {
      ...place,
      around: (value: unknown) => place.around({ [name]: value }),
      isInMeta: place.isInMeta || (isResource && META_FIELDS.includes(name)),
    };
    const property = { json: child, whole: inWhole, plain: inPlain };
    errors.push(...visit(property, `${path}.properties[${name}]`, within, allowance));
  }
  return errors;
}

function valueErrors({ json, whole, plain }: Forms, at: string, _: Place, allowance: Allowance): FieldError[] {
  const value = deepClone(json.default);
  const pruned = deepClone(value);
  pruneUnknownFields(pruned, whole, whole.embeddedResource === true);
  const unknown = deepEqual(pruned, value)
    ? []
    : [field.invalid(at, sortedJson(value), 'must not have unknown fields')];
  const { error } = typeEmbedded(value, whole, at, NOBODY);
  if (error) return [...unknown, error];
  const embedded = validateEmbedded(value, whole, at);
  return [...unknown, ...(embedded.length > 0 ? embedded : ownErrors(value, whole, plain, at, allowance))];
}

/** What stands in the metadata of an object is tried in an object. */
function metaErrors({ json, whole, plain }: Forms, at: string, { resource, around }: Place, allowance: Allowance) {
  const object = around(deepClone(json.default));
  const { error } = typeEmbedded(object, resource, '', NOBODY);
  const errors = error ? [error] : validateEmbedded(object, resource);
  if (errors.length === 0) return ownErrors(json.default, whole, plain, at, allowance);
  const texts = [...new Set(errors.map((each) => `${each.field}: ${each.text}`))];
  const why = `must result in valid metadata: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`;
  return [field.invalid(at, sortedJson(json.default), why)];
}

/** Whether a default fits the schema that it stands in, and its rules. */
function ownErrors(value: unknown, whole: Schema, plain: Schema, at: string, allowance: Allowance): FieldError[] {
  const errors = validateSchema(value, plain, at);
  return errors.length > 0 ? errors : RuleValidator.onDefault(whole, value, at, allowance);
}

function plainSchema(schema: Schema): Schema {
  const { intOrString: _, listType: __, ...rest } = schema;
  const { items, values, properties, not } = rest;
  const plain: Record<string, unknown> = { ...rest, anyFormat: true };
  if (items) plain.items = plainSchema(items);
  if (values) plain.values = plainSchema(values);
  if (not) plain.not = plainSchema(not);
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const) if (rest[word]) plain[word] = rest[word].map(plainSchema);
  if (properties) {
    const entries = Object.entries(properties);
    plain.properties = Object.fromEntries(
      entries.map(([name, property]) => [name, { ...property, schema: plainSchema(property.schema) }]),
    );
  }
  return plain;
}
