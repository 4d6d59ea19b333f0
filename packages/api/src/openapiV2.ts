/**
 * Schemas as OpenAPI v2 publishes them: without defaults, without alternatives, and with texts beside a reference. What
 * version 2 cannot say is left out, in the way that old clients can read.
 */
import { scalarKeywords } from './keywords.ts';
import type { JSONSchemaProps } from './kinds/apiextensions/jsonSchemaProps.ts';
import { ObjectMeta, objectFields } from './meta.ts';
import type { OpenApiSchema } from './openapi.ts';
import type { Property, Schema } from './schema.ts';

/** One entry of `definitions`, and the named schemas that it refers to. */
export interface Definition {
  readonly schema: OpenApiSchema;
  readonly references: readonly Schema[];
}

/** The definition of a named schema of a built-in kind. */
export function definitionOf(named: Schema): Definition {
  const references = new Set<Schema>();
  const refer = (schema: Schema): OpenApiSchema => {
    const target = schema.base ?? schema;
    if (target.name === undefined) return emit(schema);
    references.add(target);
    return { $ref: definitionRef(target), ...(schema.base && difference(schema, schema.base)) };
  };
  const emit = (schema: Schema): OpenApiSchema => {
    if (schema.format === 'quantity') return { ...described(schema), type: 'string' };
    if (schema.intOrString) return { ...described(schema), type: 'string', format: 'int-or-string' };
    const { properties, items, values } = schema;
    return {
      ...keywords(schema, ['nullable', 'preserveUnknownFields']),
      ...(properties && structFields(properties, refer)),
      ...(values && Object.keys(values).length > 0 && { additionalProperties: refer(values) }),
      ...(items && { items: refer(items) }),
    };
  };
  return { schema: emit(named), references: [...references] };
}

const definitionRef = ({ name }: Schema): string => `#/definitions/${name}`;

const described = ({ description }: Schema): OpenApiSchema => (description === undefined ? {} : { description });

function keywords(schema: Schema, without: readonly (keyof Schema)[] = []): OpenApiSchema {
  const present = scalarKeywords.filter(([ours]) => schema[ours] !== undefined && !without.includes(ours));
  return Object.fromEntries(present.map(([ours, theirs]) => [theirs, schema[ours]]));
}

const difference = (schema: Schema, base: Schema): OpenApiSchema =>
  Object.fromEntries(
    scalarKeywords.filter(([ours]) => schema[ours] !== base[ours]).map(([ours, theirs]) => [theirs, schema[ours]]),
  );

function structFields(properties: Readonly<Record<string, Property>>, refer: (schema: Schema) => OpenApiSchema) {
  const entries = Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
  const required = entries.filter(([, property]) => property.required).map(([name]) => name);
  return {
    ...(entries.length > 0 && {
      properties: Object.fromEntries(entries.map(([name, property]) => [name, fieldOf(property, refer)])),
    }),
    ...(required.length > 0 && { required }),
  };
}

const fieldOf = (property: Property, refer: (schema: Schema) => OpenApiSchema): OpenApiSchema => ({
  ...refer(property.schema),
  ...(property.description !== undefined && { description: property.description }),
  ...(property.patchStrategy !== undefined && { 'x-kubernetes-patch-strategy': property.patchStrategy }),
  ...(property.patchMergeKey !== undefined && { 'x-kubernetes-patch-merge-key': property.patchMergeKey }),
});

const METADATA: OpenApiSchema = { $ref: definitionRef(ObjectMeta), ...described(objectFields.metadata) };
const TEXT = (property: Property): OpenApiSchema => ({ ...described(property), type: 'string' });
const TYPE_AND_METADATA: Record<string, OpenApiSchema> = {
  apiVersion: TEXT(objectFields.apiVersion),
  kind: TEXT(objectFields.kind),
  metadata: METADATA,
};

/**
 * The definition of a custom resource. Where unknown fields are kept nothing is said, or old clients would refuse them.
 */
export function customDefinitionOf(schema: Schema): Definition {
  if (schema.preserveUnknownFields) return { schema: { type: 'object' }, references: [] };
  const { properties, ...rest } = reduced(schema);
  return {
    schema: { ...rest, properties: sortedKeys({ ...properties, ...TYPE_AND_METADATA }) },
    references: [ObjectMeta],
  };
}

/**
 * A part of a custom resource's schema without what clients of version 2 stumble over: alternatives, null, and types of
 * which they know only half.
 */
function reduced(schema: Schema): OpenApiSchema {
  const { nullable, preserveUnknownFields, properties = {}, items, values, embeddedResource } = schema;
  const isOpen = nullable || preserveUnknownFields;
  const json: OpenApiSchema = keywords(schema, ['nullable']);
  const entries = isOpen ? [] : Object.entries(properties);
  const shown = entries.filter(([, property]) => !isOnlyRequired(property));
  if (shown.length > 0)
    json.properties = sortedKeys(Object.fromEntries(shown.map(([name, field]) => [name, reducedField(field)])));
  if (items && !isOpen) json.items = reduced(items);
  if (values) json.additionalProperties = Object.keys(values).length === 0 ? true : reduced(values);
  const isUntyped =
    nullable || (schema.type === 'array' && !json.items) || (schema.type === 'object' && preserveUnknownFields);
  if (isUntyped) delete json.type;
  const required = requiredFields(schema, isOpen === true);
  if (required.length > 0) json.required = required;
  return embeddedResource && !preserveUnknownFields ? embedded(json) : json;
}

/** Fields that may be null are not required; a map whose values may be null requires nothing. */
function requiredFields({ properties = {}, values }: Schema, isOpen: boolean): string[] {
  if (values?.nullable) return [];
  return Object.entries(properties)
    .filter(([, { required, schema }]) => required && (isOpen || !schema.nullable))
    .map(([name]) => name);
}

/** A name in `required` without a property of that name. */
const isOnlyRequired = ({ schema, required, description, default: fallback }: Property): boolean =>
  required && Object.keys(schema).length === 0 && description === undefined && fallback === undefined;

const reducedField = ({ schema, description }: Property): OpenApiSchema => ({
  ...reduced(schema),
  ...(description !== undefined && { description }),
});

/** An object within an object has the fields that every object has. */
function embedded(json: OpenApiSchema): OpenApiSchema {
  const required = json.required ?? [];
  return {
    ...json,
    properties: sortedKeys({ ...json.properties, ...TYPE_AND_METADATA }),
    required: [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))],
  };
}

const sortedKeys = (properties: Record<string, JSONSchemaProps>): Record<string, JSONSchemaProps> =>
  Object.fromEntries(Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1)));
