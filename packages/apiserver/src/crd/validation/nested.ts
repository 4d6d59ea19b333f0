import { type FieldError, field } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { BadPattern, compilePattern } from '../../patterns/pattern.ts';
import { fieldsOf } from './goForm.ts';

/** What allOf, anyOf, oneOf and not may not say: it would decide how a value is stored, not whether it is good. */
const FORBIDDEN = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
] as const satisfies readonly (readonly [keyof JSONSchemaProps, string])[];

/** What is wrong inside the combinations of a schema. An int or string may name its two types there. */
export function combinationErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const { anyOf = [], allOf = [], oneOf = [], not } = schema;
  const typesAtFirst = isIntOrString(allOf[0]?.anyOf);
  return [
    ...(isIntOrString(anyOf) ? [] : anyOf.flatMap((branch, i) => nestedErrors(branch, `${path}.anyOf[${i}]`))),
    ...allOf.flatMap((branch, i) => nestedErrors(branch, `${path}.allOf[${i}]`, i === 0 && typesAtFirst)),
    ...oneOf.flatMap((branch, i) => nestedErrors(branch, `${path}.oneOf[${i}]`)),
    ...(not ? nestedErrors(not, `${path}.not`) : []),
  ];
}

/** `{type: integer}` or `{type: string}`, in this order and without another word. */
const isIntOrString = (branches: readonly JSONSchemaProps[] | undefined): boolean =>
  branches?.length === 2 &&
  ['integer', 'string'].every((type, i) => branches[i]?.type === type && fieldsOf(branches[i]).length === 1);

function nestedErrors(schema: JSONSchemaProps, path: string, skipsAnyOf = false): FieldError[] {
  const { anyOf: _, ...withoutAnyOf } = schema;
  const { items, properties = {} } = schema;
  return [
    ...nestedCombinations(skipsAnyOf ? withoutAnyOf : schema, path),
    ...patternErrors(schema, path),
    ...(isObject(items) ? nestedErrors(items as JSONSchemaProps, `${path}.items`) : []),
    ...Object.entries(properties).flatMap(([name, child]) => nestedErrors(child, `${path}.properties[${name}]`)),
    ...FORBIDDEN.filter(([keyword]) => isSaid(schema[keyword])).map(([keyword, state]) =>
      field.forbidden(`${path}.${keyword}`, `must be ${state} to be structural`),
    ),
    ...(Object.hasOwn(properties, 'metadata')
      ? [field.forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context')]
      : []),
  ];
}

/** Further down, nothing may name the types of an int or string. */
const nestedCombinations = ({ anyOf = [], allOf = [], oneOf = [], not }: JSONSchemaProps, path: string): FieldError[] =>
  [
    ...anyOf.map((branch, i) => nestedErrors(branch, `${path}.anyOf[${i}]`)),
    ...allOf.map((branch, i) => nestedErrors(branch, `${path}.allOf[${i}]`)),
    ...oneOf.map((branch, i) => nestedErrors(branch, `${path}.oneOf[${i}]`)),
    ...(not ? [nestedErrors(not, `${path}.not`)] : []),
  ].flat();

const isSaid = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/** A pattern that Go cannot compile. */
export function patternErrors({ pattern }: JSONSchemaProps, path: string): FieldError[] {
  if (!pattern) return [];
  const compiled = compilePattern(pattern);
  if (!(compiled instanceof BadPattern)) return [];
  const why = `must be a valid regular expression, but isn't: ${compiled.message}`;
  return [field.invalid(`${path}.pattern`, pattern, why)];
}
