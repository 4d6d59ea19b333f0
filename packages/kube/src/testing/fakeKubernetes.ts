/**
 * A small Kubernetes API server in memory. It exists because this package must prove itself against disconnections,
 * expired versions and refusals at chosen moments, which no real server produces on demand, and because the embedded
 * API server imports this package and so cannot be imported here. It knows what the tests need: collections, paging,
 * conflicts, patches, watches. What it must have in common with real servers is in `testing/contract/`.
 */
import { randomUUID } from 'node:crypto';
import {
  ApiError,
  alreadyExists,
  badRequest,
  conflict,
  expired,
  invalid,
  MODIFIED,
  notFound,
  pathNotFound,
  type UnknownObject,
  unsupportedMediaType,
} from '@vireo/api';
import { applyPatch } from 'rfc6902';
import type { ApiCall, ApiCallResult, WatchEvent } from '../transport.ts';
import { Channel } from './channel.ts';
import { matchesFields, matchesLabels } from './fakeSelectors.ts';
import { FakeStore, type IsSelected, toWatchEvent } from './fakeStore.ts';

interface Target {
  readonly prefix: string;
  readonly group: string;
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

interface OpenWatch {
  readonly channel: Channel<WatchEvent>;
  readonly apiVersion: string;
  readonly wantsBookmarks: boolean;
}

export class FakeKubernetes {
  readonly store = new FakeStore();
  /** Off: watches with sendInitialEvents are refused, as by servers before WatchList. */
  streamsLists = true;
  /** Called before each call and watch; what it throws is the answer. */
  intercept: (call: ApiCall) => void = () => {};
  readonly calls: ApiCall[] = [];
  readonly #watches = new Set<OpenWatch>();

  get openWatches(): number {
    return this.#watches.size;
  }

  handle(request: ApiCall): ApiCallResult {
    // What JSON makes of it: the caller's later changes do not reach us, and what is undefined is not there.
    const call = {
      ...request,
      body: request.body === undefined ? undefined : JSON.parse(JSON.stringify(request.body)),
    };
    try {
      this.calls.push(call);
      this.intercept(call);
      const { status, body } = this.#dispatch(call, parsePath(call.path));
      return { status, headers: { 'content-type': 'application/json' }, body };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.code, headers: { 'content-type': 'application/json' }, body: error.status };
    }
  }

  /** Throws ApiError when the watch is refused. */
  watch(call: ApiCall): Channel<WatchEvent> {
    this.calls.push(call);
    this.intercept(call);
    const target = parsePath(call.path);
    const query = call.query ?? {};
    const isSelected = selection(target, query);
    const channel = new Channel<WatchEvent>();
    for (const event of this.#replay(query, isSelected)) channel.push(event);
    const stopListening = this.store.listen((entry) => {
      const event = toWatchEvent(entry, isSelected);
      if (event) channel.push(event);
    });
    const watch = { channel, apiVersion: apiVersionOf(target), wantsBookmarks: Boolean(query.allowWatchBookmarks) };
    this.#watches.add(watch);
    const stop = () => {
      stopListening();
      this.#watches.delete(watch);
      channel.end();
    };
    if (call.signal?.aborted) stop();
    call.signal?.addEventListener('abort', stop, { once: true });
    return channel;
  }

  #replay(query: NonNullable<ApiCall['query']>, isSelected: IsSelected): WatchEvent[] {
    const from = String(query.resourceVersion ?? '');
    const isStreamedList = String(query.sendInitialEvents ?? '') === 'true';
    if (isStreamedList && !this.streamsLists)
      throw invalid('meta.k8s.io', 'ListOptions', '', [
        {
          type: 'FieldValueForbidden',
          field: 'sendInitialEvents',
          text: 'Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
        },
      ]);
    if (!isStreamedList && from !== '' && from !== '0')
      return this.store
        .since(parseRevision(from))
        .map((entry) => toWatchEvent(entry, isSelected))
        .filter((event) => event !== undefined);
    const initial = [...this.store.state()]
      .filter(([key, object]) => isSelected(key, object))
      .map(([, object]): WatchEvent => ({ type: 'ADDED', object }));
    if (isStreamedList) initial.push(bookmark('v1', this.store.revision, { 'k8s.io/initial-events-end': 'true' }));
    return initial;
  }

  /** Ends every watch as a server does when its time is over. */
  endWatches(): void {
    this.#closeWatches(({ channel }) => channel.end());
  }

  /** Breaks every watch as a network does. */
  breakWatches(): void {
    this.#closeWatches(({ channel }) => channel.end(new Error('the connection broke')));
  }

  /** Tells every watch that its version is gone, in the stream. */
  expireWatches(): void {
    this.#closeWatches(({ channel }) => {
      channel.push({ type: 'ERROR', object: expired('The resourceVersion for the provided watch is too old.').status });
      channel.end();
    });
  }

  #closeWatches(close: (watch: OpenWatch) => void): void {
    for (const watch of [...this.#watches]) {
      this.#watches.delete(watch);
      close(watch);
    }
  }

  /** Sends a bookmark to every watch that asked for them. */
  sendBookmarks(): void {
    for (const { channel, apiVersion, wantsBookmarks } of this.#watches)
      if (wantsBookmarks) channel.push(bookmark(apiVersion, this.store.revision));
  }

  #dispatch(call: ApiCall, target: Target): { status: number; body: unknown } {
    if (target.name === undefined) {
      if (call.method === 'GET') return { status: 200, body: this.#list(target, call.query ?? {}) };
      if (call.method === 'POST') return { status: 201, body: this.#create(target, call.body as UnknownObject) };
      if (call.method === 'DELETE') return { status: 200, body: this.#deleteCollection(target, call.query ?? {}) };
      throw badRequest(`${call.method} on a collection`);
    }
    const current = this.store.state().get(keyOf(target));
    if (!current) throw notFound({ group: target.group, resource: target.plural }, target.name);
    if (call.method === 'GET') return { status: 200, body: current };
    if (call.method === 'PUT') return { status: 200, body: this.#replace(target, current, call.body as UnknownObject) };
    if (call.method === 'PATCH') return { status: 200, body: this.#replace(target, current, patched(current, call)) };
    if (call.method === 'DELETE') return { status: 200, body: this.#delete(target, current, call.body) };
    throw badRequest(`${call.method} on an object`);
  }

  #list(target: Target, query: NonNullable<ApiCall['query']>): unknown {
    const token = query.continue
      ? (JSON.parse(String(query.continue)) as { revision: number; after: string })
      : undefined;
    const revision = token?.revision ?? this.store.revision;
    const isSelected = selection(target, query);
    const all = [...this.store.state(revision)].filter(([key, object]) => isSelected(key, object));
    const rest = token ? all.filter(([key]) => key > token.after) : all;
    const page = query.limit ? rest.slice(0, Number(query.limit)) : rest;
    const next = page.length < rest.length ? JSON.stringify({ revision, after: page.at(-1)?.[0] }) : undefined;
    return {
      apiVersion: apiVersionOf(target),
      kind: 'List',
      metadata: { resourceVersion: String(revision), ...(next && { continue: next }) },
      // As real servers do: items of a list do not repeat what they are.
      items: page.map(([, { apiVersion: _, kind: __, ...item }]) => item),
    };
  }

  #create(target: Target, object: UnknownObject): UnknownObject {
    const name = object.metadata.name ?? `${object.metadata.generateName ?? ''}${randomUUID().slice(0, 5)}`;
    const key = keyOf({ ...target, name });
    if (this.store.state().has(key)) throw alreadyExists({ group: target.group, resource: target.plural }, name);
    const metadata = {
      ...object.metadata,
      name,
      ...(target.namespace && { namespace: target.namespace }),
      uid: randomUUID(),
      creationTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
    };
    return this.store.append('ADDED', key, { ...object, metadata });
  }

  #replace(target: Target, current: UnknownObject, wanted: UnknownObject): UnknownObject {
    checkUid(target, current, wanted.metadata.uid);
    const version = wanted.metadata.resourceVersion;
    if (version && version !== current.metadata.resourceVersion)
      throw conflict({ group: target.group, resource: target.plural }, target.name ?? '', MODIFIED);
    const { uid, creationTimestamp } = current.metadata;
    const next = { ...wanted, metadata: { ...wanted.metadata, uid, creationTimestamp } };
    return this.store.append('MODIFIED', keyOf(target), next);
  }

  #delete(target: Target, current: UnknownObject, options: unknown): unknown {
    checkUid(target, current, (options as { preconditions?: { uid?: string } } | undefined)?.preconditions?.uid);
    this.store.append('DELETED', keyOf(target), current);
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 };
  }

  #deleteCollection(target: Target, query: NonNullable<ApiCall['query']>): unknown {
    const isSelected = selection(target, query);
    for (const [key, object] of this.store.state())
      if (isSelected(key, object)) this.store.append('DELETED', key, object);
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 };
  }
}

function checkUid({ group, plural, name = '' }: Target, { metadata }: UnknownObject, uid: string | undefined): void {
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
  if (uid && uid !== metadata.uid) throw conflict({ group, resource: plural }, name, why);
}

const selection = (target: Target, query: NonNullable<ApiCall['query']>): IsSelected => {
  const labels = String(query.labelSelector ?? '');
  const fields = String(query.fieldSelector ?? '');
  return (key, object) =>
    key.startsWith(target.namespace ? `${target.prefix}${target.namespace}/` : target.prefix) &&
    matchesLabels(labels, object) &&
    matchesFields(fields, object);
};

function patched(current: UnknownObject, { body, contentType }: ApiCall): UnknownObject {
  switch (contentType) {
    case 'application/merge-patch+json':
    case 'application/strategic-merge-patch+json':
    case 'application/apply-patch+yaml':
      // For the kinds of the tests the three differ in nothing that the tests look at: they have no lists to merge.
      return merged(current, body) as UnknownObject;
    case 'application/json-patch+json': {
      const next = structuredClone(current);
      const [problem] = applyPatch(next, body as Parameters<typeof applyPatch>[1]).filter((result) => result !== null);
      if (problem) throw invalid('', current.kind, current.metadata.name ?? '', []);
      return next;
    }
    default:
      throw unsupportedMediaType(['application/json-patch+json', 'application/merge-patch+json']);
  }
}

function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = typeof target === 'object' && target !== null ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

/** `/api/v1/namespaces/ns/configmaps/name`: as the server takes it apart. */
function parsePath(path: string): Target {
  const segments = path.split('/').slice(1).map(decodeURIComponent);
  const isCore = segments[0] === 'api';
  const group = isCore ? '' : (segments[1] ?? '');
  const rest = segments.slice(isCore ? 2 : 3);
  if (rest[0] === undefined) throw pathNotFound();
  const isScoped = rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize';
  const [plural = '', name, subresource] = isScoped ? rest.slice(2) : rest;
  return { prefix: `${group}/${plural}/`, group, plural, namespace: isScoped ? rest[1] : undefined, name, subresource };
}

const keyOf = ({ prefix, namespace, name }: Target): string => `${prefix}${namespace ? `${namespace}/` : ''}${name}`;

const apiVersionOf = ({ group }: Target): string => (group ? `${group}/v1` : 'v1');

function parseRevision(text: string): number {
  const revision = Number(text);
  if (!Number.isSafeInteger(revision)) throw badRequest(`Invalid value: "${text}": resourceVersion`);
  return revision;
}

const bookmark = (apiVersion: string, revision: number, annotations?: Record<string, string>): WatchEvent => ({
  type: 'BOOKMARK',
  object: { apiVersion, kind: 'Bookmark', metadata: { resourceVersion: String(revision), annotations } },
});
