import { scalarKeywords } from './keywords.ts';
import type { JSONSchemaProps } from './kinds/apiextensions/jsonSchemaProps.ts';
import type { Property, Schema } from './schema.ts';

/** Compiles a CustomResourceDefinition's schema into ours. */
export function schemaFromJson(json: JSONSchemaProps): Schema {
  const schema: Record<string, unknown> = {};
  for (const [ours, theirs] of scalarKeywords) {
    if (json[theirs] !== undefined) schema[ours] = json[theirs];
  }
  const properties = propertiesFrom(json);
  if (properties) schema.properties = properties;
  if (json.additionalProperties === true) schema.values = {};
  else if (json.additionalProperties) schema.values = schemaFromJson(json.additionalProperties);
  // Kubernetes allows one schema for all items only.
  if (json.items && !Array.isArray(json.items)) schema.items = schemaFromJson(json.items);
  const elementDefault = elementOf(json)?.default;
  if (elementDefault !== undefined) schema.elementDefault = elementDefault;
  if (json.not) schema.not = schemaFromJson(json.not);
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const) {
    const branches = json[word];
    if (branches) schema[word] = branches.map(schemaFromJson);
  }
  return schema;
}

/** The schema of the items of a list or of the values of a map. */
function elementOf({ items, additionalProperties }: JSONSchemaProps): JSONSchemaProps | undefined {
  if (additionalProperties && additionalProperties !== true) return additionalProperties;
  return items && !Array.isArray(items) ? items : undefined;
}

/** A field's text and default stand in its schema in JSON, and beside its schema with us. */
function propertiesFrom({ properties, required = [] }: JSONSchemaProps): Record<string, Property> | undefined {
  if (!properties && required.length === 0) return undefined;
  const needed = new Set(required);
  const names = new Set([...Object.keys(properties ?? {}), ...required]);
  const entries = [...names].map((name): [string, Property] => {
    const { default: fallback, ...rest } = properties?.[name] ?? {};
    const { description, ...schema } = schemaFromJson(rest);
    return [
      name,
      {
        schema,
        required: needed.has(name),
        ...(description !== undefined && { description }),
        ...(fallback !== undefined && { default: fallback }),
        ...patchRules(rest),
      },
    ];
  });
  return Object.fromEntries(entries);
}

function patchRules(json: JSONSchemaProps): Partial<Property> {
  const { 'x-kubernetes-patch-strategy': patchStrategy, 'x-kubernetes-patch-merge-key': patchMergeKey } =
    json as Record<string, string | undefined>;
  return {
    ...(patchStrategy !== undefined && { patchStrategy }),
    ...(patchMergeKey !== undefined && { patchMergeKey }),
  };
}
