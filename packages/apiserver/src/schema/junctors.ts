import { type FieldError, field } from '@vireo/api';
import { isObject, own } from '@vireo/api/json.ts';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';

/** What allOf, anyOf, oneOf and not may not say: it would decide how a value is stored, not whether it is good. */
const EMPTY = ['description', 'type', 'title'] as const;
const UNDEFINED = ['default', 'additionalProperties'] as const;
const FALSE = [
  'nullable',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
] as const;

/** What is wrong inside a combination. An int-or-string may name its two types there. */
export function nestedErrors(schema: JSONSchemaProps, path: string, mayNameTypes = false): FieldError[] {
  const forbid = (key: string, state: string) => field.forbidden(`${path}.${key}`, `must be ${state} to be structural`);
  const errors = [
    ...EMPTY.filter((key) => schema[key] && !(key === 'type' && mayNameTypes)).map((key) => forbid(key, 'empty')),
    ...(schema['x-kubernetes-validations']?.length ? [forbid('x-kubernetes-validations', 'empty')] : []),
    ...UNDEFINED.filter((key) => schema[key] !== undefined).map((key) => forbid(key, 'undefined')),
    ...FALSE.filter((key) => schema[key]).map((key) => forbid(key, 'false')),
  ];
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    errors.push(...nestedErrors(child, `${path}.properties[${name}]`));
  }
  if (isObject(schema.items)) errors.push(...nestedErrors(schema.items as JSONSchemaProps, `${path}.items`));
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const) {
    (schema[word] ?? []).forEach((branch, i) => {
      errors.push(...nestedErrors(branch, `${path}.${word}[${i}]`, mayNameTypes));
    });
  }
  return schema.not ? [...errors, ...nestedErrors(schema.not, `${path}.not`, mayNameTypes)] : errors;
}

/** Fields that a combination speaks of and that the schema around it does not know. */
export function completenessErrors(
  nested: JSONSchemaProps,
  outer: JSONSchemaProps | undefined,
  nestedPath: string,
  outerPath: string,
): FieldError[] {
  if (!outer) return [field.required(outerPath, `because it is defined in ${nestedPath}`)];
  const errors = Object.entries(nested.properties ?? {}).flatMap(([name, child]) =>
    completenessErrors(
      child,
      own(outer.properties ?? {}, name),
      `${nestedPath}.properties[${name}]`,
      `${outerPath}.properties[${name}]`,
    ),
  );
  if (isObject(nested.items)) {
    const items = isObject(outer.items) ? (outer.items as JSONSchemaProps) : undefined;
    errors.push(
      ...completenessErrors(nested.items as JSONSchemaProps, items, `${nestedPath}.items`, `${outerPath}.items`),
    );
  }
  return errors;
}
