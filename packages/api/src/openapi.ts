/**
 * Schemas as OpenAPI v3: with references for the documents that the server publishes (`toOpenApi`), inline for
 * CustomResourceDefinitions (`inlineOpenApi`), and back (`schemaFromJson`).
 */
import { scalarKeywords } from './keywords.ts';
import type { Kind } from './kind.ts';
import type { JSONSchemaProps } from './kinds/apiextensions/jsonSchemaProps.ts';
import { ListMeta, objectFields } from './meta.ts';
import { list, opt, type Property, req, type Schema, struct } from './schema.ts';

export { schemaFromJson } from './schemaFromJson.ts';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One entry of `components.schemas`. */
export interface OpenApiSchema extends JSONSchemaProps {
  'x-kubernetes-patch-strategy'?: string;
  'x-kubernetes-patch-merge-key'?: string;
  'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
}

type KindNames = Pick<Kind<unknown>, 'group' | 'version' | 'kind' | 'listKind' | 'schema'>;

/** The name that a kind's schema goes by: `io.k8s.api.core.v1.Pod`, `io.kubevirt.v1.VirtualMachine`. */
export const componentName = ({ group, version, kind, schema }: Omit<KindNames, 'listKind'>): string =>
  schema.name ?? [...group.split('.').reverse(), version, kind].filter((part) => part !== '').join('.');

/** The same for its list: `io.k8s.api.core.v1.PodList`. */
export const listComponentName = (kind: KindNames): string =>
  [...componentName(kind).split('.').slice(0, -1), kind.listKind].join('.');

/** The schema of a kind's list. */
export function listSchema(kind: KindNames): Schema {
  const name = componentName(kind);
  return struct(listComponentName(kind), `A list of ${kind.kind} objects.`, {
    apiVersion: objectFields.apiVersion,
    items: req(2, list(kind.schema.name ? kind.schema : { ...kind.schema, name }), 'The objects.'),
    kind: objectFields.kind,
    metadata: opt(1, ListMeta, 'Version to watch from, and the next page.'),
  });
}

/**
 * Every named schema that `schemas` reach, as OpenAPI components that refer to each other.
 * `kinds` says which components are kinds or lists; kubectl finds a kind's schema by that mark.
 *
 * @example
 * toOpenApi([Pod.schema, listSchema(Pod)], { [componentName(Pod)]: [{ group: '', version: 'v1', kind: 'Pod' }] });
 */
export function toOpenApi(
  schemas: readonly Schema[],
  kinds: Readonly<Record<string, readonly GroupVersionKind[]>> = {},
): Record<string, OpenApiSchema> {
  const components: Record<string, OpenApiSchema> = {};
  const publish = (name: string, schema: Schema): void => {
    if (components[name]) return;
    const component: OpenApiSchema = {};
    components[name] = component; // Before its fields: a schema may contain itself.
    Object.assign(
      component,
      publishSchema(schema, refer),
      kinds[name] && { 'x-kubernetes-group-version-kind': kinds[name] },
    );
  };
  const refer: Child = (schema) => {
    const named = schema.base ?? schema;
    if (named.name === undefined) return publishSchema(schema, refer);
    publish(named.name, named);
    const reference: OpenApiSchema = { $ref: `#/components/schemas/${named.name}` };
    if (!schema.base) return reference;
    return { allOf: [reference], ...difference(schema, schema.base) };
  };
  for (const schema of schemas) refer(schema);
  return components;
}

/** One schema without references, fit for a CustomResourceDefinition. A schema within itself becomes a free object. */
export function inlineOpenApi(schema: Schema): JSONSchemaProps {
  const open: string[] = [];
  const inline: Child = (child) => {
    if (child.name === undefined) return structural(child, inline);
    if (open.includes(child.name)) return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    open.push(child.name);
    const result = structural(child, inline);
    open.pop();
    return result;
  };
  return inline(schema);
}

type Child = (schema: Schema) => OpenApiSchema;

/** What clients expect of the two types that JSON writes in two ways. */
function publishSchema(schema: Schema, child: Child): OpenApiSchema {
  if (schema.format === 'quantity') return { ...describe(schema), oneOf: [{ type: 'string' }, { type: 'number' }] };
  if (schema.name !== undefined && schema.intOrString) {
    return { ...describe(schema), format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] };
  }
  return emit(schema, child);
}

const QUANTITY_PATTERN =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** A CRD knows neither type by name: both are written out, without formats that a server would warn about. */
function structural(schema: Schema, child: Child): OpenApiSchema {
  const anyOf = [{ type: 'integer' }, { type: 'string' }];
  if (schema.format === 'quantity') {
    return { ...describe(schema), anyOf, pattern: QUANTITY_PATTERN, 'x-kubernetes-int-or-string': true };
  }
  if (schema.format === 'int-or-string') return { ...describe(schema), anyOf, 'x-kubernetes-int-or-string': true };
  return emit(schema, child);
}

const describe = ({ description }: Schema): OpenApiSchema => (description ? { description } : {});

function emit(schema: Schema, child: Child): OpenApiSchema {
  const json: OpenApiSchema = {};
  for (const [ours, theirs] of scalarKeywords) {
    const value = schema[ours];
    if (value !== undefined) Object.assign(json, { [theirs]: value });
  }
  if (schema.properties) Object.assign(json, emitProperties(schema.properties, child));
  if (schema.values) json.additionalProperties = isEmpty(schema.values) ? true : child(schema.values);
  if (schema.items) json.items = child(schema.items);
  if (schema.not) json.not = child(schema.not);
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const) {
    const branches = schema[word];
    if (branches) json[word] = branches.map(child);
  }
  return json;
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

function emitProperties(properties: Readonly<Record<string, Property>>, child: Child): OpenApiSchema {
  const entries = Object.entries(properties);
  const required = entries.filter(([, property]) => property.required).map(([name]) => name);
  // A property that is only required (`anyOf: [{ required: [a] }]`) says nothing about its value.
  const shown = entries.filter(([, property]) => !(property.required && isBare(property)));
  const isStruct = shown.length > 0 || required.length === 0;
  return {
    ...(isStruct && {
      properties: Object.fromEntries(shown.map(([name, property]) => [name, emitProperty(property, child)])),
    }),
    ...(required.length > 0 && { required }),
  };
}

const isBare = ({ schema, description, default: fallback }: Property): boolean =>
  isEmpty(schema) && description === undefined && fallback === undefined;

function emitProperty(property: Property, child: Child): OpenApiSchema {
  const own: OpenApiSchema = {
    ...(property.description !== undefined && { description: property.description }),
    ...(property.default !== undefined && { default: property.default }),
    ...(property.patchStrategy !== undefined && { 'x-kubernetes-patch-strategy': property.patchStrategy }),
    ...(property.patchMergeKey !== undefined && { 'x-kubernetes-patch-merge-key': property.patchMergeKey }),
  };
  const inner = child(property.schema);
  // Beside a $ref every other keyword is ignored, so the reference moves into an allOf.
  if (inner.$ref === undefined || isEmpty(own)) return { ...inner, ...own };
  return { allOf: [inner], ...own };
}

function difference(schema: Schema, base: Schema): OpenApiSchema {
  const differs = scalarKeywords.filter(([ours]) => schema[ours] !== undefined && schema[ours] !== base[ours]);
  return Object.fromEntries(differs.map(([ours, theirs]) => [theirs, schema[ours]]));
}
