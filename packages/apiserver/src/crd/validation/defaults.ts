import { type FieldError, field, type Schema } from '@vireo/api';
import { deepClone, deepEqual, isObject } from '@vireo/api/json.ts';
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

/** Where a schema stands: the object that it belongs to, and the way there. */
interface Place {
  readonly resource: JSONSchemaProps;
  /** The object around a value at this place. */
  readonly around: (value: unknown) => unknown;
  /** Whether it is apiVersion, kind or metadata of that object, or something below. */
  readonly isInMeta: boolean;
}

/** What is wrong with the defaults in a schema of a resource. Kubernetes does not look at those of the values of maps. */
export function defaultErrors(schema: JSONSchemaProps, path: string, allowance: Allowance): FieldError[] {
  const root = { ...schema, 'x-kubernetes-embedded-resource': true };
  return visit(root, path, { resource: root, around: typed, isInMeta: false }, allowance);
}

const typed = (value: unknown): unknown => ({
  kind: 'Validation',
  apiVersion: 'validation/v1',
  ...(value as object),
});

function visit(schema: JSONSchemaProps, path: string, outer: Place, allowance: Allowance): FieldError[] {
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const place = isResource ? { resource: schema, around: typed, isInMeta: false } : outer;
  const { items, properties = {} } = schema;
  const errors: FieldError[] = [];
  if ((schema.default ?? undefined) !== undefined) {
    errors.push(...(place.isInMeta ? metaErrors : valueErrors)(schema, `${path}.default`, place, allowance));
  }
  if (isObject(items)) {
    const within = { ...place, around: (value: unknown) => place.around([value]) };
    errors.push(...visit(items as JSONSchemaProps, `${path}.items`, within, allowance));
  }
  for (const [name, child] of Object.entries(properties)) {
    const within = {
      ...place,
      around: (value: unknown) => place.around({ [name]: value }),
      isInMeta: place.isInMeta || (isResource && META_FIELDS.includes(name)),
    };
    errors.push(...visit(child, `${path}.properties[${name}]`, within, allowance));
  }
  return errors;
}

function valueErrors(schema: JSONSchemaProps, at: string, _: Place, allowance: Allowance): FieldError[] {
  const compiled = schemaFromJson(schema);
  const value = deepClone(schema.default);
  const pruned = deepClone(value);
  pruneUnknownFields(pruned, compiled, compiled.embeddedResource === true);
  const unknown = deepEqual(pruned, value)
    ? []
    : [field.invalid(at, sortedJson(value), 'must not have unknown fields')];
  const { error } = typeEmbedded(value, compiled, at, NOBODY);
  if (error) return [...unknown, error];
  const embedded = validateEmbedded(value, compiled, at);
  return [...unknown, ...(embedded.length > 0 ? embedded : ownErrors(schema, value, at, allowance))];
}

/** What stands in the metadata of an object is tried in an object. */
function metaErrors(schema: JSONSchemaProps, at: string, { resource, around }: Place, allowance: Allowance) {
  const object = around(deepClone(schema.default));
  const compiled: Schema = { ...schemaFromJson(resource), embeddedResource: true };
  const { error } = typeEmbedded(object, compiled, '', NOBODY);
  const errors = error ? [error] : validateEmbedded(object, compiled);
  if (errors.length === 0) return ownErrors(schema, schema.default, at, allowance);
  const texts = [...new Set(errors.map((each) => `${each.field}: ${each.text}`))];
  const why = `must result in valid metadata: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`;
  return [field.invalid(at, sortedJson(schema.default), why)];
}

/** Whether a default fits the schema that it stands in, and its rules. Types of lists do not count. */
function ownErrors(schema: JSONSchemaProps, value: unknown, at: string, allowance: Allowance): FieldError[] {
  const errors = validateSchema(value, schemaFromJson(withoutExtensions(schema)), at);
  return errors.length > 0 ? errors : RuleValidator.onDefault(schemaFromJson(schema), value, at, allowance);
}

/** What is left where only OpenAPI counts: an int or string is then anything. */
function withoutExtensions(schema: JSONSchemaProps): JSONSchemaProps {
  const { 'x-kubernetes-int-or-string': _, 'x-kubernetes-list-type': __, ...rest } = schema;
  const { items, properties, additionalProperties } = rest;
  return {
    ...rest,
    ...(isObject(items) && { items: withoutExtensions(items as JSONSchemaProps) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, withoutExtensions(each)])),
    }),
    ...(isObject(additionalProperties) && {
      additionalProperties: withoutExtensions(additionalProperties as JSONSchemaProps),
    }),
  };
}
