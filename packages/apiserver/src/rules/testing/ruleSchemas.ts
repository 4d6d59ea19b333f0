import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import type { ValidationRule } from '@vireo/api/schema.ts';

/** Schemas to put rules on. */
export const text: JSONSchemaProps = { type: 'string' };
export const short: JSONSchemaProps = { type: 'string', maxLength: 10 };
export const int: JSONSchemaProps = { type: 'integer' };

/** The same with rules. */
export const withRules = (schema: JSONSchemaProps, ...rules: (string | ValidationRule)[]): JSONSchemaProps => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});

/** An object with fields. */
export const object = (properties: Record<string, JSONSchemaProps>, required?: string[]): JSONSchemaProps => ({
  type: 'object',
  properties,
  ...(required && { required }),
});

/** A list. */
export const list = (items: JSONSchemaProps, more: Partial<JSONSchemaProps> = {}): JSONSchemaProps => ({
  type: 'array',
  items,
  ...more,
});

/** What makes a list one with keys. */
export const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
export const small = object({ a: short, n: int });

/** A list of so many texts with a rule that costs about 1 600 for each. */
export const dear = (maxItems: number): JSONSchemaProps =>
  list(withRules({ type: 'string', maxLength: 1000 }, "self.contains('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')"), {
    maxItems,
  });
