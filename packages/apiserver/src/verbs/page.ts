import { badRequest, expired } from '@vireo/api';
import type { VerbContext } from '../core.ts';
import { asServed, converting, keyOf, keyPrefix, type Resource } from '../registry/resource.ts';
import { type Store, StoreCompacted, type Stored } from '../store/store.ts';
import { type ContinueToken, readContinue, writeContinue } from './continueToken.ts';
import { listAt } from './listAt.ts';
import { type ListOptions, parseResourceVersion } from './options.ts';
import type { Selection } from './selection.ts';
import type { ListSnapshots } from './snapshots.ts';

/** Some of the objects that a list is about, all as of one moment. */
export interface Page {
  readonly items: readonly Stored[];
  readonly metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

/** Where a page is cut from. */
interface PageStart {
  readonly all: readonly Stored[];
  readonly index: number;
  readonly revision: number;
}

export async function readPage(context: VerbContext, selection: Selection, options: ListOptions): Promise<Page> {
  const { core, resource, info } = context;
  const prefix = keyPrefix(resource, info.namespace);
  const { all, revision, ...start } = await pageStart(context, prefix, selection, options);
  const items: Stored[] = [];
  let index = start.index;
  let convertedUpTo = index;
  for (; index < all.length; index++) {
    if (options.limit > 0 && items.length === options.limit) break;
    if (resource.convert && index === convertedUpTo) {
      convertedUpTo = options.limit > 0 ? index + options.limit - items.length : all.length;
      await converting(resource, all.slice(index, convertedUpTo));
    }
    const item = asServed(resource, all[index] as Stored);
    if (!selection.matches || selection.matches(item.object)) items.push(item);
  }
  const left = all.length - index;
  const snapshot = snapshotKey(revision, prefix);
  if (left === 0) {
    if (options.continue !== '') core.snapshots.forget(snapshot);
    return { items, metadata: { resourceVersion: String(revision) } };
  }
  core.snapshots.keep(snapshot, all);
  const after = (all[index - 1] as Stored).key.slice(prefix.length);
  return {
    items,
    metadata: {
      resourceVersion: String(revision),
      continue: writeContinue({ revision, after }),
      ...(!selection.matches && { remainingItemCount: left }),
    },
  };
}

const snapshotKey = (revision: number, prefix: string): string => `${revision} ${prefix}`;

async function pageStart(
  { core, resource, info }: VerbContext,
  prefix: string,
  selection: Selection,
  options: ListOptions,
): Promise<PageStart> {
  const { store, snapshots } = core;
  if (options.continue !== '') return nextPage(store, snapshots, prefix, options);
  if (options.resourceVersionMatch === 'Exact') {
    const revision = parseResourceVersion(options.resourceVersion);
    return { all: await stateAt(store, snapshots, prefix, revision), index: 0, revision };
  }
  const all = namedObject(store, resource, info.namespace, selection) ?? store.list(prefix);
  return { all, index: 0, revision: store.revision };
}

/** One name in one place needs no scan; without a namespace, a namespaced name may occur in each. */
function namedObject(
  store: Store,
  resource: Resource,
  namespace: string | undefined,
  { name }: Selection,
): Stored[] | undefined {
  if (name === undefined || (resource.kind.namespaced && namespace === undefined)) return undefined;
  const found = store.get(keyOf(resource, namespace, name));
  return found ? [found] : [];
}

async function nextPage(
  store: Store,
  snapshots: ListSnapshots,
  prefix: string,
  options: ListOptions,
): Promise<PageStart> {
  if (options.resourceVersion !== '' && options.resourceVersion !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  const token = readContinue(options.continue);
  const startAfter = `${prefix}${token.after}`;
  if (token.revision === undefined || token.revision > store.revision)
    return { all: store.list(prefix, { startAfter }), index: 0, revision: store.revision };
  try {
    const all = await stateAt(store, snapshots, prefix, token.revision);
    return { all, index: firstAfter(all, startAfter), revision: token.revision };
  } catch (error) {
    throw error instanceof StoreCompacted ? tooOldToContinue(token) : error;
  }
}

async function stateAt(
  store: Store,
  snapshots: ListSnapshots,
  prefix: string,
  revision: number,
): Promise<readonly Stored[]> {
  const kept = snapshots.get(snapshotKey(revision, prefix));
  if (kept) return kept;
  return listAt(store, prefix, revision);
}

/** The index of the first object whose key is greater. */
function firstAfter(all: readonly Stored[], key: string): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle] as Stored).key <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The client may go on all the same, with a list whose pages are of different moments. */
const tooOldToContinue = ({ after }: ContinueToken) =>
  expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    writeContinue({ revision: undefined, after }),
  );
