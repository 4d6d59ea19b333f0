/**
 * Objects within a custom resource (`x-kubernetes-embedded-resource`): their apiVersion, kind and metadata are typed as
 * those of every object, whatever the schema says.
 */
import { ApiError, badRequest, type FieldError, field, type Schema } from '@vireo/api';
import { isObject, type JsonObject, own } from '@vireo/api/json.ts';
import { ObjectMeta } from '@vireo/api/meta.ts';
import { dns1035Label, pathSegment } from '@vireo/api/names.ts';
import { validateObjectMeta } from '@vireo/api/validateMeta.ts';
import { decodeBuiltin } from './builtin.ts';
import { byKeys, join } from './path.ts';
import { schemaSearch } from './search.ts';

interface Named {
  readonly kind: string;
  readonly version: string;
}

/** Typed metadata, and the paths of the fields that metadata does not have, in the order of sorted keys. */
export function decodeMetadata(metadata: unknown, { kind, version }: Named) {
  if (metadata === null || metadata === undefined) return { metadata: {}, unknownFields: [] };
  const { object, unknownFields } = decodeBuiltin(metadata, { kind, version, schema: ObjectMeta });
  return { metadata: object, unknownFields: [...unknownFields].sort(byKeys).map((path) => `metadata.${path}`) };
}

/**
 * Gives the embedded objects of a resource typed metadata, in place, and returns the paths of fields that went.
 * Throws 400 where a type is wrong.
 */
export function decodeEmbedded(object: unknown, schema: Schema, of: Named): string[] {
  const { unknownFields, error } = typeEmbedded(object, schema, '', of);
  if (!error) return unknownFields.sort();
  const prefix = `${of.kind} in version "${of.version}" cannot be handled as a ${of.kind}: `;
  throw badRequest(`${prefix}${error.field}: ${error.text}`);
}

/** The same for a value at `path`, with the first type that is wrong instead of a refusal. */
export function typeEmbedded(object: unknown, schema: Schema, path: string, of: Named) {
  const unknownFields: string[] = [];
  let error: FieldError | undefined;
  visitEmbedded(object, schema, path, (embedded, at, embeddedSchema) => {
    if (error) return;
    const refuse = (key: string, why: string) => {
      error ??= field.invalid(join(at, key), embedded[key], why);
    };
    for (const key of ['apiVersion', 'kind'])
      if (Object.hasOwn(embedded, key) && typeof embedded[key] !== 'string') refuse(key, 'must be a string');
    if (error || !Object.hasOwn(embedded, 'metadata')) return;
    if (embedded.metadata === null && isNotNullable(embeddedSchema, 'metadata')) {
      delete embedded.metadata;
      return;
    }
    try {
      const decoded = decodeMetadata(embedded.metadata, of);
      embedded.metadata = decoded.metadata;
      unknownFields.push(...decoded.unknownFields.map((name) => join(at, name)));
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      refuse('metadata', thrown.message.slice(thrown.message.indexOf(': ') + 2));
    }
  });
  return { unknownFields, error };
}

/** What is wrong with the embedded objects of a resource. Types have been checked before. */
export function validateEmbedded(object: unknown, schema: Schema, at = ''): FieldError[] {
  const errors: FieldError[] = [];
  visitEmbedded(object, schema, at, (embedded, path) => {
    for (const key of ['apiVersion', 'kind'])
      if (!Object.hasOwn(embedded, key)) errors.push(field.required(join(path, key)));
    for (const [key, value] of Object.entries(embedded)) {
      if (key === 'apiVersion' || key === 'kind')
        errors.push(...nameErrors(key, value).map((why) => field.invalid(join(path, key), value, why)));
      if (key === 'metadata') errors.push(...metadataErrors(value, join(path, key)));
    }
  });
  return errors;
}

function nameErrors(key: 'apiVersion' | 'kind', value: unknown): string[] {
  if (typeof value !== 'string') return ['must be a string'];
  if (value === '') return ['must not be empty'];
  if (key === 'apiVersion') return value.split('/').length > 2 ? [`unexpected GroupVersion string: ${value}`] : [];
  const errors = dns1035Label(value.toLowerCase());
  return errors.length > 0 ? [`may have mixed case, but should otherwise match: ${errors.join(',')}`] : [];
}

function metadataErrors(value: unknown, path: string): FieldError[] {
  if (!isObject(value)) return [];
  const metadata: ObjectMeta = { name: 'fakename', ...value };
  return validateObjectMeta(metadata, { namespaced: metadata.namespace !== undefined, nameRule: pathSegment }, path);
}

type Visit = (embedded: JsonObject, path: string, schema: Schema) => void;

/** Null for a field that is declared and may not be null is as good as nothing. */
function isNotNullable({ properties = {} }: Schema, name: string): boolean {
  const property = own(properties, name);
  return property !== undefined && !property.schema.nullable;
}

function visitEmbedded(value: unknown, schema: Schema, path: string, visit: Visit): void {
  if (!mayHaveEmbedded(schema)) return;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) for (const [i, item] of value.entries()) visitEmbedded(item, items, `${path}[${i}]`, visit);
    return;
  }
  if (!isObject(value)) return;
  if (schema.embeddedResource) visit(value, path, schema);
  for (const key of Object.keys(value)) {
    const property = schema.properties && own(schema.properties, key)?.schema;
    if (property) visitEmbedded(value[key], property, join(path, key), visit);
    else if (schema.values) visitEmbedded(value[key], schema.values, `${path}[${key}]`, visit);
  }
}

/** Most schemas embed nothing, and their objects need not be looked through. */
const mayHaveEmbedded = schemaSearch(({ embeddedResource }) => embeddedResource === true);
