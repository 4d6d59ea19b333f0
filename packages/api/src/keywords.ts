import type { JSONSchemaProps } from './kinds/apiextensions/jsonSchemaProps.ts';
import type { Schema } from './schema.ts';

/** The keywords that mean the same in our schema and in JSON schema, under their two names. */
export const scalarKeywords = [
  ['title', 'title'],
  ['description', 'description'],
  ['example', 'example'],
  ['externalDocs', 'externalDocs'],
  ['type', 'type'],
  ['format', 'format'],
  ['enum', 'enum'],
  ['nullable', 'nullable'],
  ['pattern', 'pattern'],
  ['minLength', 'minLength'],
  ['maxLength', 'maxLength'],
  ['minimum', 'minimum'],
  ['maximum', 'maximum'],
  ['exclusiveMinimum', 'exclusiveMinimum'],
  ['exclusiveMaximum', 'exclusiveMaximum'],
  ['multipleOf', 'multipleOf'],
  ['minItems', 'minItems'],
  ['maxItems', 'maxItems'],
  ['uniqueItems', 'uniqueItems'],
  ['minProperties', 'minProperties'],
  ['maxProperties', 'maxProperties'],
  ['intOrString', 'x-kubernetes-int-or-string'],
  ['preserveUnknownFields', 'x-kubernetes-preserve-unknown-fields'],
  ['embeddedResource', 'x-kubernetes-embedded-resource'],
  ['listType', 'x-kubernetes-list-type'],
  ['listMapKeys', 'x-kubernetes-list-map-keys'],
  ['mapType', 'x-kubernetes-map-type'],
  ['validations', 'x-kubernetes-validations'],
] as const satisfies readonly (readonly [keyof Schema, keyof JSONSchemaProps])[];
