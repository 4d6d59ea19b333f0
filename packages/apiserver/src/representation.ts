import { type Kind, notAcceptable, type UnknownObject } from '@vireo/api';
import { asksForAnotherForm, type Clause, type Encoding, parseAccept } from './accept.ts';
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from './decode/body.ts';
import type { Stored } from './store/store.ts';
import { tableCells, tableColumns } from './table.ts';

/** The form in which a client wants its objects. `protobuf`: written so, which only built-in kinds can be. */
export type Representation = (
  | { readonly as: 'object' }
  | { readonly as: 'partial' }
  | { readonly as: 'table'; readonly includeObject: 'None' | 'Metadata' | 'Object' }
) & { readonly protobuf?: true };

const OBJECT: Representation = { as: 'object' };

/** What an endpoint cannot do. */
export interface Restrictions {
  /** Objects of custom resources have no protobuf form; their metadata has. */
  readonly custom?: boolean;
  readonly noTable?: boolean;
  /** A watch has no form in YAML. */
  readonly stream?: boolean;
}

/**
 * Reads the Accept header: the object, a Table, or metadata only. JSON is what clients get that take it beside protobuf
 * in the same form. Throws 406 where nothing fits.
 */
export function negotiate(
  accept: string | undefined,
  query: URLSearchParams,
  restrictions: Restrictions = {},
): Representation {
  if (!accept || accept === JSON_TYPE || accept === '*/*') return OBJECT;
  let protobuf: Representation | undefined;
  for (const clause of parseAccept(accept))
    for (const encoding of clause.encodings) {
      const form = formOf(clause, encoding, query, restrictions);
      if (!form) continue;
      if (protobuf && protobuf.as !== form.as) return protobuf;
      if (encoding !== 'protobuf') return form;
      protobuf ??= { ...form, protobuf: true };
    }
  if (protobuf) return protobuf;
  throw notAcceptable(acceptedTypes(restrictions));
}

function formOf(
  clause: Clause,
  encoding: Encoding,
  query: URLSearchParams,
  { custom, noTable, stream }: Restrictions,
): Representation | undefined {
  if (stream && encoding === 'yaml') return undefined;
  if (!asksForAnotherForm(clause)) return custom && encoding === 'protobuf' ? undefined : OBJECT;
  const { parameters } = clause;
  const version = parameters.get('v');
  if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  switch (parameters.get('as')) {
    case 'Table':
      return noTable || encoding === 'protobuf' ? undefined : { as: 'table', includeObject: includeObject(query) };
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return { as: 'partial' };
    default:
      return undefined;
  }
}

function acceptedTypes({ custom, stream }: Restrictions): string[] {
  if (stream) return [JSON_TYPE, ...(custom ? [] : [PROTOBUF_TYPE])].map((type) => `${type};stream=watch`);
  return [JSON_TYPE, YAML_TYPE, ...(custom ? [] : [PROTOBUF_TYPE])];
}

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
  items: readonly Pick<Stored, 'object'>[],
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
