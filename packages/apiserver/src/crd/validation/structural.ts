/**
 * Whether a schema is structural: every field has a type outside of the combinations, so that pruning and defaulting
 * know what to do. The refusals are Kubernetes' own.
 */
import { type FieldError, field } from '@vireo/api';
import { isObject, own } from '@vireo/api/json.ts';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { completenessErrors } from './completeness.ts';
import { fieldsOf } from './goForm.ts';
import { combinationErrors, patternErrors } from './nested.ts';

type Level = 'root' | 'field' | 'item';

const TYPE_MISSING: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  field: 'must not be empty for specified object fields',
  item: 'must not be empty for specified array items',
};

/** What is wrong with the structure of the schema at `path`, in the order of the messages. */
export function structuralErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const errors: FieldError[] = [];
  visit(schema, 'root', path, errors);
  errors.push(...completenessErrors(schema, schema, path, path));
  const texts = new Map(errors.map((error) => [error, `${error.field}: ${error.text}`]));
  return errors.sort((a, b) => (texts.get(a)! < texts.get(b)! ? -1 : 1));
}

function visit(schema: JSONSchemaProps, level: Level, path: string, errors: FieldError[]): void {
  const { type, items, properties = {} } = schema;
  const additionalProperties = schema.additionalProperties ?? undefined;
  if (type === 'array' && !isObject(items)) errors.push(field.required(`${path}.items`, 'must be specified'));
  if (isObject(items)) visit(items as JSONSchemaProps, 'item', `${path}.items`, errors);
  for (const [name, child] of Object.entries(properties)) visit(child, 'field', `${path}.properties[${name}]`, errors);
  if (additionalProperties !== undefined && level === 'root') {
    errors.push(field.forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  if (isObject(additionalProperties)) {
    visit(additionalProperties as JSONSchemaProps, 'field', `${path}.additionalProperties`, errors);
  }
  errors.push(
    ...extensionErrors(schema, path),
    ...combinationErrors(schema, path),
    ...patternErrors(schema, path),
    ...typeErrors(schema, level, path),
    ...metaErrors(schema, level, path),
  );
}

function extensionErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  if (!schema['x-kubernetes-int-or-string']) return [];
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((keyword) => schema[keyword])
    .map((keyword) => field.invalid(`${path}.${keyword}`, true, 'must be false if x-kubernetes-int-or-string is true'));
}

function typeErrors(schema: JSONSchemaProps, level: Level, path: string): FieldError[] {
  const { type, 'x-kubernetes-embedded-resource': isEmbedded } = schema;
  const takesAny = schema['x-kubernetes-int-or-string'] || schema['x-kubernetes-preserve-unknown-fields'];
  const errors: FieldError[] = [];
  if (isEmbedded && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type ? field.invalid(`${path}.type`, type, why) : field.required(`${path}.type`, why));
  } else if (!type && !takesAny) {
    errors.push(field.required(`${path}.type`, TYPE_MISSING[level]));
  }
  if (isEmbedded && (schema.additionalProperties ?? undefined) !== undefined) {
    const why = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(field.forbidden(`${path}.additionalProperties`, why));
  }
  if (level === 'root' && type && type !== 'object') {
    errors.push(field.invalid(`${path}.type`, type, 'must be object at the root'));
  }
  return errors;
}

/** The server looks after kind, apiVersion and metadata; a schema may only say more of the name. */
function metaErrors(schema: JSONSchemaProps, level: Level, path: string): FieldError[] {
  const { properties = {}, 'x-kubernetes-embedded-resource': isEmbedded } = schema;
  const isResource = level === 'root' || isEmbedded === true;
  const errors: FieldError[] = [];
  for (const name of isResource ? ['kind', 'apiVersion'] : []) {
    const property = own(properties, name);
    if (property && property.type !== 'string') {
      errors.push(field.invalid(`${path}.properties[${name}].type`, property.type ?? '', 'must be string'));
    }
  }
  const metadata = own(properties, 'metadata');
  if (metadata) {
    const at = `${path}.properties[metadata]`;
    if (isResource && metadata.type !== 'object') {
      errors.push(field.invalid(`${at}.type`, metadata.type ?? '', 'must be object'));
    }
    if (level === 'root' && saysMoreThanNames(metadata)) {
      const why = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
      errors.push(field.forbidden(at, why));
    }
  }
  if (isEmbedded && !schema['x-kubernetes-preserve-unknown-fields'] && Object.keys(properties).length === 0) {
    const why =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(field.required(`${path}.properties`, why));
  }
  return errors;
}

function saysMoreThanNames(metadata: JSONSchemaProps): boolean {
  const { type: _, default: __, properties = {}, ...rest } = metadata;
  return (
    Object.keys(properties).some((name) => name !== 'name' && name !== 'generateName') || fieldsOf(rest).length > 0
  );
}
