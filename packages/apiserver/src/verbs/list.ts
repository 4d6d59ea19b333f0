import { ApiError, badRequest, expired } from '@vireo/api';
import type { VerbContext } from '../core.ts';
import { apiVersionOf, keyOf, keyPrefix, type Resource, served } from '../registry/resource.ts';
import { negotiate, partialMetadata, type Representation, table } from '../representation.ts';
import { type ApiResponse, objectResponse } from '../request.ts';
import type { Store, Stored } from '../store/store.ts';
import { checkListOptions, type ListOptions, listOptions, parseResourceVersion } from './options.ts';
import { parseSelection, type Selection } from './selection.ts';
import type { ListSnapshots } from './snapshots.ts';

export async function list(context: VerbContext): Promise<ApiResponse> {
  const { core, resource, request } = context;
  const options = listOptions(request.query);
  checkListOptions(options, false);
  const representation = negotiate(request.headers.accept, request.query);
  const selection = parseSelection(resource, options.labelSelector, options.fieldSelector);
  if (options.resourceVersion !== '' && options.resourceVersion !== '0' && options.continue === '')
    await notOlderThan(core.store, parseResourceVersion(options.resourceVersion), request.signal);
  const page = readPage(context, selection, options);
  return encodePage(resource, page, representation);
}

export interface Page {
  readonly items: readonly Stored[];
  readonly metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

function readPage({ core, resource, info }: VerbContext, selection: Selection, options: ListOptions): Page {
  const { store, snapshots } = core;
  const named = options.continue === '' ? namedObject(store, resource, info.namespace, selection) : undefined;
  const prefix = keyPrefix(resource, info.namespace);
  const start =
    named ??
    (options.continue === ''
      ? firstPage(store, snapshots, prefix, options)
      : nextPage(snapshots, prefix, options.continue));
  const { all, revision } = start;
  const items: Stored[] = [];
  let index = start.index;
  for (; index < all.length; index++) {
    if (options.limit > 0 && items.length === options.limit) break;
    const item = served(resource, all[index] as Stored);
    if (!selection.matches || selection.matches(item.object)) items.push(item);
  }
  const left = all.length - index;
  if (left === 0) return { items, metadata: { resourceVersion: String(revision) } };
  snapshots.keep(`${revision} ${prefix}`, all);
  return {
    items,
    metadata: {
      resourceVersion: String(revision),
      continue: Buffer.from(JSON.stringify({ v: 1, rv: revision, at: index })).toString('base64url'),
      ...(!selection.matches && { remainingItemCount: left }),
    },
  };
}

/** One name in one place needs no scan; without a namespace, a namespaced name may occur in each. */
function namedObject(
  store: Store,
  resource: Resource,
  namespace: string | undefined,
  { name }: Selection,
): PageStart | undefined {
  if (name === undefined || (resource.kind.namespaced && namespace === undefined)) return undefined;
  const found = store.get(keyOf(resource, namespace, name));
  return { all: found ? [found] : [], index: 0, revision: store.revision };
}

interface PageStart {
  readonly all: readonly Stored[];
  readonly index: number;
  readonly revision: number;
}

function firstPage(store: Store, snapshots: ListSnapshots, prefix: string, options: ListOptions): PageStart {
  if (options.resourceVersionMatch !== 'Exact') return { all: store.list(prefix), index: 0, revision: store.revision };
  const revision = parseResourceVersion(options.resourceVersion);
  if (revision === store.revision) return { all: store.list(prefix), index: 0, revision };
  const all = snapshots.get(`${revision} ${prefix}`);
  if (!all) throw expired(`The resourceVersion for the provided list is too old.`);
  return { all, index: 0, revision };
}

function nextPage(snapshots: ListSnapshots, prefix: string, token: string): PageStart {
  const { rv, at } = parseContinue(token);
  const all = snapshots.get(`${rv} ${prefix}`);
  if (!all)
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.',
    );
  return { all, index: Math.min(at, all.length), revision: rv };
}

function parseContinue(token: string): { rv: number; at: number } {
  try {
    const { v, rv, at } = JSON.parse(Buffer.from(token, 'base64url').toString()) as Record<string, unknown>;
    if (v === 1 && Number.isSafeInteger(rv) && Number.isSafeInteger(at) && (at as number) >= 0)
      return { rv: rv as number, at: at as number };
  } catch {
    // Falls through to the refusal: whatever is wrong with it, it is not a token of ours.
  }
  throw badRequest('continue key is not valid: it is not a token that this server gave out');
}

/** Every list is of the newest state, so an older version is fine; a newer one may be on its way to the disk. */
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

function encodePage(resource: Resource, page: Page, representation: Representation): ApiResponse {
  switch (representation.as) {
    case 'table':
      return objectResponse(table(resource.kind, page.items, representation, page.metadata));
    case 'partial':
      return objectResponse({
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata: page.metadata,
        items: page.items.map(({ object }) => partialMetadata(object)),
      });
    case 'object': {
      const head = { kind: resource.kind.listKind, apiVersion: apiVersionOf(resource.kind), metadata: page.metadata };
      return {
        type: 'object',
        status: 200,
        object: () => ({ ...head, items: page.items.map(({ object }) => object) }),
        bytes: () => joinList(head, page.items),
      };
    }
  }
}

const COMMA = Buffer.from(',');
const END = Buffer.from(']}');

/** The list as bytes, without encoding any item again. */
function joinList(head: unknown, items: readonly Stored[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`)];
  for (const [index, { bytes }] of items.entries()) {
    if (index > 0) parts.push(COMMA);
    parts.push(bytes);
  }
  parts.push(END);
  return Buffer.concat(parts);
}
