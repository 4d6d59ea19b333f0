import { type FieldError, field } from '@vireo/api';
import { isObject, own } from '@vireo/api/json.ts';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { itemsForm } from './goForm.ts';
import type { Tolerance } from './tolerance.ts';

const LIST_TYPES = ['atomic', 'set', 'map'];
const MAP_TYPES = ['atomic', 'granular'];

const itemOf = ({ items }: JSONSchemaProps): JSONSchemaProps | undefined =>
  isObject(items) ? (items as JSONSchemaProps) : undefined;

/** What `x-kubernetes-map-type` may not say. */
export function mapTypeErrors({ type, 'x-kubernetes-map-type': mapType }: JSONSchemaProps, path: string): FieldError[] {
  if (mapType === undefined) return [];
  return [
    ...wrongType(type, 'object', 'x-kubernetes-map-type', path),
    ...(MAP_TYPES.includes(mapType) ? [] : [field.notSupported(`${path}.x-kubernetes-map-type`, mapType, MAP_TYPES)]),
  ];
}

/** What `x-kubernetes-list-type` and `x-kubernetes-list-map-keys` may not say. */
export function listTypeErrors(schema: JSONSchemaProps, path: string, tolerance: Tolerance): FieldError[] {
  const { type, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  const at = `${path}.x-kubernetes-list-type`;
  const errors: FieldError[] = [];
  if (listType !== undefined) {
    errors.push(...wrongType(type, 'array', 'x-kubernetes-list-type', path));
    if (type === 'array' && !tolerance.setItems) errors.push(...setItemErrors(schema, path));
    if (!LIST_TYPES.includes(listType)) errors.push(field.notSupported(at, listType, LIST_TYPES));
  }
  if (keys.length > 0 && listType !== 'map') {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(listType === undefined ? field.required(at, why) : field.invalid(at, listType, why));
  }
  if (listType === 'map') errors.push(...mapListErrors(schema, path, keys));
  return tolerance.listKeys ? errors : [...errors, ...listKeyErrors(schema, path)];
}

function wrongType(type: string | undefined, wanted: string, extension: string, path: string): FieldError[] {
  if (type === wanted) return [];
  const why = `must be ${wanted} if ${extension} is specified`;
  return [type ? field.invalid(`${path}.type`, type, why) : field.required(`${path}.type`, why)];
}

/** Items of a set are told apart as wholes, so nobody may own a part of one. */
export function setItemErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const item = itemOf(schema);
  if (schema['x-kubernetes-list-type'] !== 'set' || !item) return [];
  const { type, 'x-kubernetes-list-type': listType = null, 'x-kubernetes-map-type': mapType } = item;
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  if (type === 'array' && listType !== null && listType !== 'atomic') {
    return [field.invalid(`${path}.items.x-kubernetes-list-type`, listType, why)];
  }
  if (type !== 'object' || mapType === 'atomic') return [];
  // The original shows the list type here.
  return [field.invalid(`${path}.items.x-kubernetes-map-type`, listType, why)];
}

function mapListErrors(schema: JSONSchemaProps, path: string, keys: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const keysAt = `${path}.x-kubernetes-list-map-keys`;
  const item = itemOf(schema);
  if (keys.length === 0) errors.push(field.required(keysAt, 'must not be empty if x-kubernetes-list-type is map'));
  if (!item) {
    const at = `${path}.items`;
    errors.push(
      schema.items
        ? field.invalid(at, itemsForm(schema.items), 'must only have a single schema if x-kubernetes-list-type is map')
        : field.required(at, 'must have a schema if x-kubernetes-list-type is map'),
    );
    return errors;
  }
  if (item.type !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, field.invalid(`${path}.items.type`, item.type ?? '', why)];
  }
  const properties = item.properties ?? {};
  // Once each, however often: an error shows all keys, and there may be many.
  if (keys.some((key) => !Object.hasOwn(properties, key))) {
    errors.push(field.invalid(keysAt, keys, 'entries must all be names of item properties'));
  }
  const different = new Set(keys);
  if (different.size < keys.length) errors.push(field.invalid(keysAt, keys, 'must not contain duplicate entries'));
  for (const key of different) {
    const type = own(properties, key)?.type;
    if (type !== 'array' && type !== 'object') continue;
    const why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
    // The original shows the type of the item here.
    errors.push(field.invalid(`${path}.items.properties[${key}].type`, item.type, why));
  }
  return errors;
}

/** Items of sets and maps, and the keys of the latter, must be there. */
export function listKeyErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const { 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  const item = itemOf(schema);
  if (!item || (listType !== 'set' && listType !== 'map')) return [];
  const errors: FieldError[] = [];
  if (item.nullable) {
    const why = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(field.forbidden(`${path}.items.nullable`, why));
  }
  const required = new Set(item.required);
  for (const key of new Set(listType === 'map' ? keys : [])) {
    const property = own(item.properties ?? {}, key);
    const at = `${path}.items.properties[${key}]`;
    if (property && (property.default ?? undefined) === undefined && !required.has(key)) {
      const why = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(field.required(`${at}.default`, why));
    }
    if (property?.nullable) {
      const why = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.push(field.forbidden(`${at}.nullable`, why));
    }
  }
  return errors;
}
