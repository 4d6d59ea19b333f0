import type { Kind } from './kind.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
} from './kinds/apiextensions/customResourceDefinition.ts';
import type { CustomResourceDefinitionVersion } from './kinds/apiextensions/customResourceVersion.ts';
import type { JSONSchemaProps } from './kinds/apiextensions/jsonSchemaProps.ts';
import { inlineOpenApi, type OpenApiSchema } from './openapi.ts';

export interface CrdOptions {
  /** The version that is stored; the first one unless said. */
  readonly storageVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly conversion?: CustomResourceDefinitionSpec['conversion'];
  /** Versions that clients are asked to leave, with what to tell them. */
  readonly deprecated?: Readonly<Record<string, string>>;
}

/**
 * The CustomResourceDefinition of one kind in one or more versions.
 *
 * @example
 * toCrd([VirtualMachine, VirtualMachineAlpha], { storageVersion: 'v1' })
 */
export function toCrd<T>(kinds: readonly Kind<T>[], options: CrdOptions = {}): CustomResourceDefinition {
  const [first] = kinds;
  if (!first) throw new Error('toCrd: no versions given');
  const odd = kinds.find((kind) => identity(kind) !== identity(first));
  if (odd) throw new Error(`toCrd: ${identity(odd)} (${odd.version}) is not a version of ${identity(first)}`);
  const storage = options.storageVersion ?? first.version;
  if (!kinds.some(({ version }) => version === storage)) {
    throw new Error(`toCrd: ${identity(first)} has no version ${storage} to store`);
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${first.plural}.${first.group}`,
      ...(options.labels && { labels: { ...options.labels } }),
      ...(options.annotations && { annotations: { ...options.annotations } }),
    },
    spec: {
      group: first.group,
      names: {
        plural: first.plural,
        singular: first.singular,
        kind: first.kind,
        listKind: first.listKind,
        ...(first.shortNames.length > 0 && { shortNames: [...first.shortNames] }),
        ...(first.categories.length > 0 && { categories: [...first.categories] }),
      },
      scope: first.namespaced ? 'Namespaced' : 'Cluster',
      versions: kinds.map((kind) => crdVersion(kind, kind.version === storage, options.deprecated?.[kind.version])),
      ...(options.conversion && { conversion: options.conversion }),
    },
  };
}

const identity = <T>({ group, kind, plural, namespaced }: Kind<T>): string =>
  `${namespaced ? 'namespaced' : 'cluster-wide'} ${kind} ${plural}.${group}`;

function crdVersion<T>(kind: Kind<T>, storage: boolean, warning: string | undefined): CustomResourceDefinitionVersion {
  const columns = kind.columns.filter(({ jsonPath }) => jsonPath !== undefined);
  const selectable = Object.keys(kind.selectableFields);
  return {
    name: kind.version,
    served: true,
    storage,
    ...(warning !== undefined && { deprecated: true, deprecationWarning: warning }),
    schema: { openAPIV3Schema: rootSchema(kind) },
    ...((kind.status || kind.scale) && {
      subresources: { ...(kind.status && { status: {} }), ...(kind.scale && { scale: { ...kind.scale } }) },
    }),
    ...(columns.length > 0 && {
      additionalPrinterColumns: columns.map(({ name, type, format, description, priority, jsonPath = '' }) => ({
        name,
        type,
        jsonPath,
        ...(format !== undefined && { format }),
        ...(description !== undefined && { description }),
        ...(priority !== undefined && { priority }),
      })),
    }),
    ...(selectable.length > 0 && { selectableFields: selectable.map((path) => ({ jsonPath: `.${path}` })) }),
  };
}

/** The server checks the metadata of every object itself; a CRD may not describe it further. */
function rootSchema<T>({ schema }: Kind<T>): JSONSchemaProps {
  const root = definable(inlineOpenApi(schema));
  return { ...root, properties: { ...root.properties, metadata: { type: 'object' } } };
}

/**
 * A schema as a definition may carry it. It has no words for strategic merge patches, which custom resources do not
 * take, and servers drop empty maps, so that applying one again would always find a difference.
 */
function definable(schema: OpenApiSchema): JSONSchemaProps {
  const {
    'x-kubernetes-patch-strategy': _strategy,
    'x-kubernetes-patch-merge-key': _key,
    properties = {},
    items,
    additionalProperties,
    ...rest
  } = schema;
  const fields = Object.entries(properties);
  return {
    ...rest,
    ...(fields.length > 0 && {
      properties: Object.fromEntries(fields.map(([name, child]) => [name, definable(child)])),
    }),
    ...(items && { items: Array.isArray(items) ? items : definable(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? definable(additionalProperties) : additionalProperties,
    }),
  };
}
