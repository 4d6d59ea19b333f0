import { ApiError, expired, type Kind, type UnknownObject } from '@vireo/api';
import { type ApiResponse, type ObjectResponse, objectResponse } from '@vireo/kube';
import type { VerbContext } from '../core.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import { negotiate, partialMetadata, type Representation, table } from '../representation.ts';
import { type Store, StoreCompacted, type Stored } from '../store/store.ts';
import { toJson } from '../store/stored.ts';
import { checkListOptions, listOptions, parseResourceVersion } from './options.ts';
import { type Page, readPage } from './page.ts';
import { parseSelection } from './selection.ts';

export async function list(context: VerbContext): Promise<ApiResponse> {
  const { core, resource, request } = context;
  const options = listOptions(request.query);
  checkListOptions(options, false);
  const representation = negotiate(request.headers.accept, request.query, { custom: resource.custom });
  const selection = parseSelection(resource, options.labelSelector, options.fieldSelector);
  if (options.resourceVersion !== '' && options.resourceVersion !== '0' && options.continue === '')
    await notOlderThan(core.store, parseResourceVersion(options.resourceVersion), request.signal);
  try {
    return encodePage(resource, await readPage(context, selection, options), representation);
  } catch (error) {
    if (error instanceof StoreCompacted) throw expired('The resourceVersion for the provided list is too old.');
    throw error;
  }
}

/** Waits for a version that may be on its way to the disk; 504 when it does not come. */
export async function notOlderThan(store: Store, revision: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + 3_000;
  while (store.revision < revision) {
    if (signal.aborted || Date.now() >= deadline)
      throw new ApiError('Timeout', `Timeout: Too large resource version: ${revision}, current: ${store.revision}`, {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A list in the form that the client asked for. */
export function encodePage(resource: Resource, page: Page, representation: Representation): ObjectResponse {
  const protobuf = representation.protobuf && { protobuf: representation.protobuf };
  switch (representation.as) {
    case 'table':
      return objectResponse(table(resource.kind, page.items, representation, page.metadata));
    case 'partial':
      return objectResponse(
        {
          kind: 'PartialObjectMetadataList',
          apiVersion: 'meta.k8s.io/v1',
          metadata: page.metadata,
          items: page.items.map(({ object }) => partialMetadata(object)),
        },
        200,
        protobuf,
      );
    case 'object': {
      const head = { kind: resource.kind.listKind, apiVersion: apiVersionOf(resource.kind), metadata: page.metadata };
      return {
        type: 'object',
        status: 200,
        object: () => ({ ...head, items: page.items.map(({ object }) => object) }),
        bytes: () => (resource.custom ? joinList(head, page.items) : joinTypedList(head, resource.kind, page.items)),
        ...protobuf,
      };
    }
  }
}

const COMMA = Buffer.from(',');
const END = Buffer.from(']}');
const COMMA_BYTE = 0x2c;
const BRACE = 0x7b;

interface ListHead {
  readonly kind: string;
  readonly apiVersion: string;
}

const encodeListHead = (head: ListHead): Buffer => Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`);

/** The list as bytes, without encoding any item again. */
function joinList(head: ListHead, items: readonly Stored[]): Buffer {
  const parts: Buffer[] = [encodeListHead(head)];
  for (const [index, { bytes }] of items.entries()) {
    if (index > 0) parts.push(COMMA);
    parts.push(bytes);
  }
  parts.push(END);
  return Buffer.concat(parts);
}

/** The same for a built-in kind, whose items do not say in each what the list says once. */
function joinTypedList(head: ListHead, { kind }: Kind, items: readonly Stored[]): Buffer {
  if (items.length === 0) return joinList(head, items);
  const prefix = Buffer.from(`{"kind":"${kind}","apiVersion":"${head.apiVersion}",`);
  const skipped = prefix.length - 1;
  const start = encodeListHead(head);
  const all = items.map((item) =>
    item.bytes.compare(prefix, 0, prefix.length, 0, prefix.length) === 0
      ? item.bytes
      : inOrder(item.object, kind, head.apiVersion),
  );
  const length = all.reduce((sum, { length: each }) => sum + each - skipped + COMMA.length, 0);
  const list = Buffer.allocUnsafeSlow(start.length + length - COMMA.length + END.length);
  let end = start.copy(list);
  for (const [index, bytes] of all.entries()) {
    if (index > 0) list[end++] = COMMA_BYTE;
    list[end++] = BRACE;
    end += bytes.copy(list, end, skipped + 1);
  }
  END.copy(list, end);
  return list;
}

const reordered = new WeakMap<object, Buffer>();

/** What an older server stored may have its kind anywhere. Whatever else it says, its kind is that of the list. */
function inOrder(object: UnknownObject, kind: string, apiVersion: string): Buffer {
  const bytes = reordered.get(object) ?? Buffer.from(toJson({ ...object, kind, apiVersion }));
  reordered.set(object, bytes);
  return bytes;
}
