import { type Kind, notAcceptable, type UnknownObject } from '@vireo/api';
import type { Stored } from './store/store.ts';
import { tableCells, tableColumns } from './table.ts';

/** The form in which a client wants its objects. */
export type Representation =
  | { readonly as: 'object' }
  | { readonly as: 'partial' }
  | { readonly as: 'table'; readonly includeObject: 'None' | 'Metadata' | 'Object' };

const OBJECT: Representation = { as: 'object' };
const PARTIAL: Representation = { as: 'partial' };

/** Reads the Accept header: plain JSON, a Table, or metadata only. Clients list their wishes in order. */
export function negotiate(accept: string | undefined, query: URLSearchParams): Representation {
  if (!accept || accept === 'application/json' || accept === '*/*') return OBJECT;
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (type !== 'application/json' && type !== 'application/*' && type !== '*/*' && type !== 'application/yaml')
      continue;
    const as = parameter(parameters, 'as');
    if (as === undefined) return OBJECT;
    if (parameter(parameters, 'g') !== 'meta.k8s.io') continue;
    const version = parameter(parameters, 'v');
    if (version !== 'v1' && version !== 'v1beta1') continue;
    if (as === 'Table') return { as: 'table', includeObject: includeObject(query) };
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return PARTIAL;
  }
  throw notAcceptable(['application/json', 'application/yaml']);
}

const parameter = (parameters: readonly string[], name: string): string | undefined =>
  parameters.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);

function includeObject(query: URLSearchParams): 'None' | 'Metadata' | 'Object' {
  const wanted = query.get('includeObject');
  return wanted === 'None' || wanted === 'Object' ? wanted : 'Metadata';
}

export const partialMetadata = (object: UnknownObject): UnknownObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata: object.metadata,
});

/** A `meta.k8s.io/v1` Table; `withColumns` is false for all but the first event of a watch. */
export function table(
  kind: Kind,
  items: readonly Stored[],
  representation: Extract<Representation, { as: 'table' }>,
  metadata: Record<string, unknown>,
  withColumns = true,
): Record<string, unknown> {
  const now = new Date();
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: withColumns ? tableColumns(kind) : null,
    rows: items.map(({ object }) => ({
      cells: tableCells(kind, object, now),
      ...(representation.includeObject !== 'None' && {
        object: representation.includeObject === 'Object' ? object : partialMetadata(object),
      }),
    })),
  };
}
