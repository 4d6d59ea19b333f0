import {
  APIGroupListSchema,
  APIGroupSchema,
  APIResourceListSchema,
  APIVersionsSchema,
  DeleteOptionsSchema,
  type Kind,
  type Schema,
  WatchEventSchema,
} from '@vireo/api';
import type { GroupVersionKind, OpenApiSchema } from '@vireo/api/openapi.ts';
import { customDefinitionOf, definitionOf } from '@vireo/api/openapiV2.ts';
import type { Resource } from '../../registry/resource.ts';
import { groupPaths, serverPaths } from '../groupPaths.ts';
import { type ApiPath, resourcePaths } from '../operations.ts';
import { markedKinds, schemasOf } from '../schemas.ts';
import { type Entry, entryOf, type List } from './entries.ts';
import { pathV2 } from './paths.ts';

/** A part of the document. Parts overlap: what has the same name is the same. */
export type Part = Readonly<Record<List, readonly Entry[]>>;

type Marks = Readonly<Record<string, readonly GroupVersionKind[]>>;

const resourceParts = new WeakMap<Resource, Part>();

/** What the document says of a resource. A resource that changes is another one, so this is worked out once. */
export function resourcePart(resource: Resource, marks: Marks): Part {
  let part = resourceParts.get(resource);
  if (!part) {
    const { kind, custom } = resource;
    part = partOf(resourcePaths(resource), { ...markedKinds(kind), ...marks }, custom ? kind : undefined);
    resourceParts.set(resource, part);
  }
  return part;
}

/** Paths, and every schema that they reach. `custom`: the kind whose schemas come from a definition. */
export function partOf(apiPaths: readonly ApiPath[], marks: Marks, custom?: Kind): Part {
  const paths: Entry[] = [];
  const parameters = new Map<string, Entry>();
  const definitions = new Map<string, Entry>();
  for (const apiPath of apiPaths) {
    const { value, parameters: shared } = pathV2(apiPath);
    paths.push(entryOf('paths', apiPath.path, value));
    for (const [name, parameter] of shared) parameters.set(name, sharedParameter(name, parameter));
  }
  const reach = (schema: Schema | undefined): void => {
    const name = schema?.name;
    if (schema === undefined || name === undefined || definitions.has(name)) return;
    const { entry, references } = definition(schema, marks[name], custom);
    definitions.set(name, entry);
    references.forEach(reach);
  };
  for (const { operations } of apiPaths)
    for (const { body, responses } of Object.values(operations))
      [body?.schema, ...Object.values(responses)].forEach(reach);
  return { paths, parameters: [...parameters.values()], definitions: [...definitions.values()] };
}

const parameterEntries = new Map<string, Entry>();

/** There are few of them, whatever is served. */
function sharedParameter(name: string, parameter: unknown): Entry {
  const entry = parameterEntries.get(name) ?? entryOf('parameters', name, parameter);
  parameterEntries.set(name, entry);
  return entry;
}

interface KnownDefinition {
  readonly entry: Entry;
  readonly references: readonly Schema[];
}

const known = new WeakMap<Schema, KnownDefinition>();

/** Most schemas are of many resources, and are written once. */
function definition(schema: Schema, kinds: readonly GroupVersionKind[] | undefined, custom?: Kind): KnownDefinition {
  let found = known.get(schema);
  if (!found) {
    const { object, list } = custom ? schemasOf(custom) : {};
    const made = schema === object ? customDefinitionOf(schema) : definitionOf(schema);
    const selectable = custom && (schema === object || schema === list) ? selectableFields(custom) : {};
    const value = { ...made.schema, ...(kinds && { 'x-kubernetes-group-version-kind': kinds }), ...selectable };
    found = { entry: entryOf('definitions', schema.name as string, value), references: made.references };
    known.set(schema, found);
  }
  return found;
}

function selectableFields({ selectableFields: fields }: Kind): OpenApiSchema {
  const paths = Object.keys(fields).map((fieldPath) => ({ fieldPath }));
  return paths.length > 0 ? ({ 'x-kubernetes-selectable-fields': paths } as OpenApiSchema) : {};
}

/** What does not change: the built-in groups, and what is served beside them. */
export interface FixedPart {
  /** Kinds of every built-in group, by the names of their schemas. */
  readonly marks: Marks;
  readonly part: Part;
}

/** These belong to every built-in group, and are marked so. */
export function fixedPart(kinds: readonly Pick<Kind, 'group' | 'version'>[]): FixedPart {
  const groups = Map.groupBy(kinds, ({ group }) => group);
  const versions = [...groups].map(([group, all]) => [group, [...new Set(all.map(({ version }) => version))]] as const);
  const everywhere = (kind: string): GroupVersionKind[] =>
    versions
      .flatMap(([group, all]) => all.map((version) => ({ group, version, kind })))
      .sort((a, b) => (`${a.group} ${a.version}` < `${b.group} ${b.version}` ? -1 : 1));
  const marks = {
    [APIGroupSchema.name as string]: [{ group: '', version: 'v1', kind: 'APIGroup' }],
    [APIGroupListSchema.name as string]: [{ group: '', version: 'v1', kind: 'APIGroupList' }],
    [APIResourceListSchema.name as string]: [{ group: '', version: 'v1', kind: 'APIResourceList' }],
    [APIVersionsSchema.name as string]: [{ group: '', version: 'v1', kind: 'APIVersions' }],
    [DeleteOptionsSchema.name as string]: everywhere('DeleteOptions'),
    [WatchEventSchema.name as string]: everywhere('WatchEvent'),
  };
  const paths = [...serverPaths, ...versions.flatMap(([group, all]) => groupPaths(group, all))];
  return { marks, part: partOf(paths, marks) };
}
