import { isObject } from '@vireo/api/json.ts';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';

/** Words that a structural schema has no place for, and what the original calls them. */
const UNSUPPORTED = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['patternProperties', 'patternProperties'],
  ['dependencies', 'dependencies'],
  ['additionalItems', 'additionalItems'],
  ['definitions', 'definitions'],
] as const satisfies readonly (readonly [keyof JSONSchemaProps, string])[];

/** Why a schema, or one inside it, cannot be made structural at all. Nothing more is then said of its structure. */
export function conversionError(schema: JSONSchemaProps): string | undefined {
  const found = UNSUPPORTED.find(([keyword]) => isSet(schema[keyword]));
  if (found) return `OpenAPIV3Schema '${found[1]}' is not supported`;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  for (const inner of schemasInside(schema)) {
    const error = conversionError(inner);
    if (error !== undefined) return error;
  }
  return undefined;
}

const isSet = (value: unknown): boolean =>
  typeof value === 'boolean' || (isObject(value) ? Object.keys(value).length > 0 : Boolean(value));

/** The schemas directly inside one. */
export function* schemasInside(schema: JSONSchemaProps): Generator<JSONSchemaProps> {
  const { items, not, allOf = [], anyOf = [], oneOf = [], properties = {}, additionalProperties } = schema;
  if (not) yield not;
  yield* allOf;
  yield* anyOf;
  yield* oneOf;
  if (Array.isArray(items)) yield* items;
  else if (items) yield items;
  yield* Object.values(properties);
  if (isObject(additionalProperties)) yield additionalProperties as JSONSchemaProps;
}
