/**
 * Whether a CustomResourceDefinition's schema is structural: every field has a type outside of the combinations, so
 * that pruning and defaulting know what to do. The refusals are Kubernetes' own.
 */
import { type FieldError, field } from '@vireo/api';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { type Allowance, newAllowance } from '../rules/allowance.ts';
import { defaultErrors } from './defaultErrors.ts';
import { completenessErrors, nestedErrors } from './junctors.ts';
import { keywordErrors } from './schemaKeywords.ts';

/** What is wrong with the schema at `path`, such as `spec.versions[0].schema.openAPIV3Schema`. */
export function validateStructural(
  schema: JSONSchemaProps,
  path: string,
  allowance: Allowance = newAllowance(),
): FieldError[] {
  const errors: FieldError[] = [];
  walk(schema, path, 'root', allowance, errors);
  if (schema.type !== undefined && schema.type !== 'object') {
    errors.push(field.invalid(`${path}.type`, schema.type, 'must be object at the root'));
  }
  const metadata = schema.properties?.metadata;
  if (metadata) errors.push(...metadataErrors(metadata, `${path}.properties[metadata]`));
  return errors;
}

type Position = 'root' | 'field' | 'item';

const TYPE_MISSING: Readonly<Record<Position, string>> = {
  root: 'must not be empty at the root',
  field: 'must not be empty for specified object fields',
  item: 'must not be empty for specified array items',
};

/** `allowance`: for rules on defaults. Kubernetes does not look at those below the values of maps. */
function walk(
  schema: JSONSchemaProps,
  path: string,
  position: Position,
  allowance: Allowance | undefined,
  errors: FieldError[],
): void {
  const { type, properties = {}, items, additionalProperties } = schema;
  const anyType = schema['x-kubernetes-int-or-string'] || schema['x-kubernetes-preserve-unknown-fields'];
  if (!type && !(anyType && position !== 'root')) errors.push(field.required(`${path}.type`, TYPE_MISSING[position]));
  errors.push(...keywordErrors(schema, path), ...junctorErrors(schema, path));
  if (allowance) errors.push(...defaultErrors(schema, path, allowance));

  for (const [name, child] of Object.entries(properties)) {
    walk(child, `${path}.properties[${name}]`, 'field', allowance, errors);
  }
  if (additionalProperties && typeof additionalProperties === 'object') {
    walk(additionalProperties, `${path}.additionalProperties`, 'field', undefined, errors);
  }
  if (items && !Array.isArray(items)) walk(items, `${path}.items`, 'item', allowance, errors);
}

function junctorErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const branches = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((word) =>
    (schema[word] ?? []).map((branch, i) => ({ branch, at: `${path}.${word}[${i}]` })),
  );
  if (schema.not) branches.push({ branch: schema.not, at: `${path}.not` });
  return branches.flatMap(({ branch, at }) => [
    ...nestedErrors(branch, at, schema['x-kubernetes-int-or-string'] === true),
    ...completenessErrors(branch, schema, at, path),
  ]);
}

/** The server looks after the metadata; a schema may only say more of the name. */
function metadataErrors({ properties = {}, ...rest }: JSONSchemaProps, path: string): FieldError[] {
  const others = Object.keys(properties).some((name) => name !== 'name' && name !== 'generateName');
  const allowed = ['type', 'description'];
  const forbidden = others || Object.keys(rest).some((key) => !allowed.includes(key));
  const why = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return forbidden ? [field.forbidden(path, why)] : [];
}
