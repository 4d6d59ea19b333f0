import { type FieldError, field } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { BadPattern, compilePattern } from '../patterns/pattern.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const UNSUPPORTED = ['$ref', 'additionalItems', 'definitions', 'dependencies', 'id', 'patternProperties'] as const;

/** What one schema, without those inside it, may not say. */
export function keywordErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const { type, pattern, items, additionalProperties, properties } = schema;
  const errors = UNSUPPORTED.filter((key) => schema[key] !== undefined).map((key) =>
    field.forbidden(`${path}.${key}`, `${key} is not supported`),
  );
  if (type === 'null') {
    const why = 'type cannot be set to null, use nullable as an alternative';
    errors.push(field.forbidden(`${path}.type`, why));
  } else if (type && !TYPES.includes(type)) errors.push(field.notSupported(`${path}.type`, type, TYPES));
  if (schema.uniqueItems) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(field.forbidden(`${path}.uniqueItems`, why));
  }
  if (additionalProperties === false) {
    errors.push(field.forbidden(`${path}.additionalProperties`, 'additionalProperties cannot be set to false'));
  } else if (additionalProperties && properties && Object.keys(properties).length > 0) {
    const why = 'additionalProperties and properties are mutual exclusive';
    errors.push(field.forbidden(`${path}.additionalProperties`, why));
  }
  if (Array.isArray(items)) {
    errors.push(field.forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  } else if (type === 'array' && items === undefined) {
    errors.push(field.required(`${path}.items`, 'must be specified'));
  }
  if (pattern !== undefined && compilePattern(pattern) instanceof BadPattern) {
    errors.push(field.invalid(`${path}.pattern`, pattern, "must be a valid regular expression, but isn't"));
  }
  return [...errors, ...extensionErrors(schema, path), ...listErrors(schema, path)];
}

function extensionErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { type } = schema;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    const at = `${path}.x-kubernetes-preserve-unknown-fields`;
    errors.push(field.invalid(at, false, 'must be true or undefined'));
  }
  if (schema['x-kubernetes-embedded-resource']) {
    if (type && type !== 'object') {
      const why = 'must be object if x-kubernetes-embedded-resource is true';
      errors.push(field.invalid(`${path}.type`, type, why));
    }
    if (!schema.properties && !schema['x-kubernetes-preserve-unknown-fields']) {
      const why =
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
      errors.push(field.required(`${path}.properties`, why));
    }
  }
  if (schema['x-kubernetes-int-or-string'] && type) {
    errors.push(field.forbidden(`${path}.type`, 'must be empty if x-kubernetes-int-or-string is true'));
  }
  const mapType = schema['x-kubernetes-map-type'];
  if (mapType !== undefined) {
    const at = `${path}.x-kubernetes-map-type`;
    if (mapType !== 'atomic' && mapType !== 'granular') {
      errors.push(field.notSupported(at, mapType, ['atomic', 'granular']));
    }
    if (type !== 'object') {
      errors.push(field.invalid(`${path}.type`, type ?? '', 'must be object if x-kubernetes-map-type is specified'));
    }
  }
  return errors;
}

function listErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const { type, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  const errors: FieldError[] = [];
  const keysAt = `${path}.x-kubernetes-list-map-keys`;
  if (listType !== undefined) {
    if (type !== 'array') {
      errors.push(field.invalid(`${path}.type`, type ?? '', 'must be array if x-kubernetes-list-type is specified'));
    }
    if (!['atomic', 'set', 'map'].includes(listType)) {
      errors.push(field.notSupported(`${path}.x-kubernetes-list-type`, listType, ['atomic', 'set', 'map']));
    }
  }
  if (listType !== 'map') {
    if (keys.length > 0) errors.push(field.forbidden(keysAt, 'may not be set if x-kubernetes-list-type is not map'));
    return errors;
  }
  if (keys.length === 0) {
    return [...errors, field.required(keysAt, 'must not be empty if x-kubernetes-list-type is map')];
  }
  const items: JSONSchemaProps = isObject(schema.items) ? (schema.items as JSONSchemaProps) : {};
  if (items.type !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(field.invalid(`${path}.items.type`, items.type ?? '', why));
  }
  for (const [i, key] of keys.entries()) {
    const property = items.properties && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined;
    if (!property) {
      errors.push(field.invalid(`${keysAt}[${i}]`, key, 'entries must all be names of item properties'));
    } else if (property.default === undefined && !items.required?.includes(key)) {
      const why = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(field.required(`${path}.items.properties[${key}].default`, why));
    }
  }
  return errors;
}
