import { isMapping, type Path } from './values.ts';

/** What OpenAPI says of a value. */
export interface SchemaNode {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly allOf?: readonly SchemaNode[];
  readonly $ref?: string;
  readonly default?: unknown;
  readonly 'x-kubernetes-group-version-kind'?: readonly { group?: string; version?: string; kind?: string }[];
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

/** A document of OpenAPI v3, as far as schemas go. */
export interface OpenApi {
  readonly components?: { readonly schemas?: Readonly<Record<string, SchemaNode>> };
}

/** The kinds that an editor has help for. */
export interface Schema {
  readonly schemas: Readonly<Record<string, SchemaNode>>;
  readonly root: SchemaNode;
}

/** A field that can be written somewhere. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** Whether its value is a mapping or list, which continues on the next line. */
  readonly isNested: boolean;
}

/** The schema of a kind in the document of its group and version. */
export function schemaOf(document: OpenApi, group: string, version: string, kind: string): Schema | undefined {
  const schemas = document.components?.schemas ?? {};
  const isWanted = (node: SchemaNode): boolean =>
    node['x-kubernetes-group-version-kind']?.some(
      (each) => (each.group ?? '') === group && each.version === version && each.kind === kind,
    ) === true;
  const root =
    Object.values(schemas).find(isWanted) ??
    Object.entries(schemas).find(([name]) => name.endsWith(`.${version}.${kind}`))?.[1];
  return root && { schemas, root };
}

/** References and `allOf` written out; what stands beside them wins. */
export function resolved(node: SchemaNode, schemas: Schema['schemas'], depth = 0): SchemaNode {
  if (depth > 8) return node;
  const { $ref, allOf = [], ...own } = node;
  const target = $ref === undefined ? undefined : schemas[$ref.slice($ref.lastIndexOf('/') + 1)];
  const parts = [...(target ? [target] : []), ...allOf].map((part) => resolved(part, schemas, depth + 1));
  return Object.assign({}, ...parts, own) as SchemaNode;
}

/** What is said of the value at a path; undefined where anything goes. */
export function nodeAt({ schemas, root }: Schema, path: Path): SchemaNode | undefined {
  let node: SchemaNode | undefined = resolved(root, schemas);
  for (const step of path) {
    const { items, properties, additionalProperties }: SchemaNode = node;
    const own =
      typeof step === 'number' ? items : properties && Object.hasOwn(properties, step) ? properties[step] : undefined;
    const next = own ?? (isMapping(additionalProperties) ? (additionalProperties as SchemaNode) : undefined);
    if (!next) return undefined;
    node = resolved(next, schemas);
  }
  return node;
}

/** The fields that a mapping at a path can have, required ones first. */
export function fieldsAt(schema: Schema, path: Path): Field[] {
  const node = nodeAt(schema, path);
  const required = new Set(node?.required);
  return Object.entries(node?.properties ?? {})
    .map(([name, raw]) => {
      const field = resolved(raw, schema.schemas);
      return {
        name,
        type: typeText(field, schema.schemas),
        description: field.description ?? '',
        isRequired: required.has(name),
        isNested: field.type === 'object' || field.type === 'array' || field.properties !== undefined,
      };
    })
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired) || a.name.localeCompare(b.name));
}

/** The values that a field can have, where the server lists them. */
export function valuesAt(schema: Schema, path: Path): string[] {
  const node = nodeAt(schema, path);
  if (node?.type === 'boolean') return ['true', 'false'];
  return (node?.enum ?? []).map(String);
}

/** `string`, `integer`, `[]object`: the words of `kubectl explain`. */
export function typeText(node: SchemaNode, schemas: Schema['schemas']): string {
  if (node['x-kubernetes-int-or-string'] || node.format === 'int-or-string') return 'integer or string';
  if (node.type === 'array') return `[]${node.items ? typeText(resolved(node.items, schemas), schemas) : 'any'}`;
  if (isMapping(node.additionalProperties))
    return `map of ${typeText(resolved(node.additionalProperties as SchemaNode, schemas), schemas)}`;
  return node.type ?? (node.properties ? 'object' : 'any');
}
