import {
  ApiError,
  controllerOf,
  isReason,
  type KubeList,
  type KubeObject,
  mergePatchBetween,
  type ObjectMeta,
  type Persisted,
  type PersistedMeta,
  type Status,
} from '@vireo/api';
import type { Client } from './client.ts';
import { ignoreNotFound } from './ignore.ts';
import { apiVersionOf, type ResourceLocation, type ResourceRef, resourcePath } from './resource.ts';
import type { ApiCall, WatchEvent } from './transport.ts';

/** How many objects a page of `listAll` and of informers holds, as in kubectl and client-go. */
export const PAGE_SIZE = 500;

interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface GetOptions extends CallOptions {
  readonly namespace?: string;
  readonly resourceVersion?: string;
}

export interface SelectOptions extends CallOptions {
  /** Absent: every namespace. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends SelectOptions {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface WatchOptions extends SelectOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  /** After how long the server ends the watch. */
  readonly timeoutSeconds?: number;
}

export interface WriteOptions extends CallOptions {
  /** Everything but storing: admission and validation run, nothing is kept. */
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface PatchOptions extends WriteOptions {
  readonly namespace?: string;
  readonly type: 'merge' | 'json' | 'strategic' | 'apply';
  readonly subresource?: string;
  /** With `apply`: take over fields that others manage. */
  readonly force?: boolean;
}

export type MergePatchOptions = Omit<PatchOptions, 'namespace' | 'type' | 'force'>;

/** What a merge patch changes; `null` removes a field. */
export type MergePatch = { readonly metadata?: object } & { readonly [field: string]: unknown };

export interface DeleteOptions extends CallOptions {
  readonly namespace?: string;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

export interface DeleteCollectionOptions extends DeleteOptions, SelectOptions {}

export interface SubresourceOptions extends WriteOptions {
  readonly namespace?: string;
}

/** An object to be sent: `apiVersion` and `kind` follow from the client's kind when left out. */
export type Draft<T extends KubeObject> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
};

export interface CreateOrGetResult<P extends Persisted> {
  readonly object: P;
  /** False: it was there. */
  readonly wasCreated: boolean;
}

/** What a watch of objects of type T yields. */
export type ObjectEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Persisted<T> }
  /** Only the metadata counts: the resourceVersion, and annotations of the server. */
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly object: Status };

/** The scale subresource, `autoscaling/v1`. */
export interface Scale extends KubeObject {
  spec?: { replicas?: number };
  status?: { replicas: number; selector?: string };
}

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** The verbs on one kind. Refusals are thrown as ApiError. */
export class ResourceClient<T extends KubeObject> {
  readonly resource: ResourceRef;
  readonly #client: Client;

  constructor(client: Client, resource: ResourceRef) {
    this.#client = client;
    this.resource = resource;
  }

  async get(name: string, { namespace, resourceVersion, signal }: GetOptions = {}): Promise<Persisted<T>> {
    return this.#typed(await this.#call('GET', { namespace, name }, { query: { resourceVersion }, signal }));
  }

  /** The object, or undefined where there is none of that name, or no such kind. */
  find(name: string, options: GetOptions = {}): Promise<Persisted<T> | undefined> {
    return this.get(name, options).catch(ignoreNotFound);
  }

  async list({ namespace, signal, ...query }: ListOptions = {}): Promise<KubeList<Persisted<T>>> {
    const list = (await this.#call('GET', { namespace }, { query: { ...query }, signal })) as KubeList<Persisted<T>>;
    return { ...list, items: (list.items ?? []).map((item) => this.#typed(item)) };
  }

  /** Every object, a page at a time, all as of one moment. */
  async *listAll(options: Omit<ListOptions, 'continue'> = {}): AsyncGenerator<Persisted<T>, void> {
    let next: string | undefined;
    do {
      const page: KubeList<Persisted<T>> = await this.list({ limit: PAGE_SIZE, ...options, continue: next });
      yield* page.items;
      next = page.metadata.continue || undefined;
    } while (next !== undefined);
  }

  async watch({ namespace, signal, ...query }: WatchOptions = {}): Promise<AsyncIterable<ObjectEvent<T>>> {
    const path = resourcePath(this.resource, { namespace });
    const events = await this.#client.transport.watch({
      method: 'GET',
      path,
      query: { watch: true, ...query },
      signal,
    });
    // The server sends what the path promises; from here on the event's type says which of the three its object is.
    return events as AsyncIterable<WatchEvent<unknown>> as AsyncIterable<ObjectEvent<T>>;
  }

  async create(object: Draft<T>, options: WriteOptions = {}): Promise<Persisted<T>> {
    return this.#typed(await this.#write('POST', { namespace: object.metadata.namespace }, object, options));
  }

  /**
   * Creates the object, or gets the one that has its name: created before and not in a cache yet, or by another replica.
   * If the draft has a controller, an object that is not controlled by it is refused with AlreadyExists.
   *
   * @example
   * const { object: pod, wasCreated } = await client.of(Pod).createOrGet(launcherPod(vmi));
   */
  async createOrGet(draft: Draft<T>, options: WriteOptions = {}): Promise<CreateOrGetResult<Persisted<T>>> {
    try {
      return { object: await this.create(draft, options), wasCreated: true };
    } catch (error) {
      const { name, namespace } = draft.metadata;
      if (!name || !isReason(error, 'AlreadyExists')) throw error;
      const object = await this.get(name, { namespace, signal: options.signal });
      const controller = controllerOf(draft);
      if (controller && controllerOf(object)?.uid !== controller.uid) throw error;
      return { object, wasCreated: false };
    }
  }

  async update(object: Draft<T>, options: WriteOptions = {}): Promise<Persisted<T>> {
    return this.#typed(await this.#write('PUT', locate(object), object, options));
  }

  async updateStatus(object: Draft<T>, options: WriteOptions = {}): Promise<Persisted<T>> {
    return this.#typed(await this.#write('PUT', { ...locate(object), subresource: 'status' }, object, options));
  }

  async patch(name: string, body: unknown, options: PatchOptions): Promise<Persisted<T>> {
    const { namespace, type, subresource, force, ...write } = options;
    const answer = await this.#call(
      'PATCH',
      { namespace, name, subresource },
      { query: { ...writeQuery(write), force }, body, contentType: PATCH_TYPES[type], signal: write.signal },
    );
    return this.#typed(answer);
  }

  patchStatus(name: string, body: unknown, options: Omit<PatchOptions, 'subresource'>): Promise<Persisted<T>> {
    return this.patch(name, body, { ...options, subresource: 'status' });
  }

  /**
   * A merge patch of an object that was read; refused with Conflict when it has changed since.
   *
   * @example
   * await client.of(Pod).patchIfUnchanged(pod, { metadata: { finalizers: [] } });
   */
  patchIfUnchanged(object: Stored, change: MergePatch, options: MergePatchOptions = {}): Promise<Persisted<T>> {
    const { name, namespace, resourceVersion } = object.metadata;
    const body = { ...change, metadata: { ...change.metadata, resourceVersion } };
    return this.patch(name, body, { ...options, namespace, type: 'merge' });
  }

  /** A patch of this object and of no other of its name, which is a Conflict. It may have changed since it was read. */
  patchExactly(
    object: Stored,
    change: MergePatch,
    options: Partial<Omit<PatchOptions, 'namespace'>> = {},
  ): Promise<Persisted<T>> {
    const { name, namespace, uid } = object.metadata;
    const body = { ...change, metadata: { ...change.metadata, uid } };
    return this.patch(name, body, { type: 'merge', ...options, namespace }).catch((error: unknown) => {
      throw conflictOfUids(error) ?? error;
    });
  }

  /** Merges into the status of an object that was read; refused with Conflict when it has changed since. */
  patchStatusIfUnchanged(object: Stored, status: object): Promise<Persisted<T>> {
    return this.patchIfUnchanged(object, { status }, { subresource: 'status' });
  }

  /** Keeps an object that was read from going, where it lacks the finalizer; refused with Conflict when it has changed since. */
  async addFinalizer(object: Stored, finalizer: string): Promise<void> {
    const { finalizers = [] } = object.metadata;
    if (finalizers.includes(finalizer)) return;
    await this.patchIfUnchanged(object, { metadata: { finalizers: [...finalizers, finalizer] } });
  }

  /** Lets go of an object that was read, where it has the finalizer; refused with Conflict when it has changed since. */
  async removeFinalizer(object: Stored, finalizer: string): Promise<void> {
    const { finalizers = [] } = object.metadata;
    if (!finalizers.includes(finalizer)) return;
    await this.patchIfUnchanged(object, { metadata: { finalizers: finalizers.filter((each) => each !== finalizer) } });
  }

  /** The object where it stays for a while (finalizers, grace period), else a Status of success. */
  async delete(name: string, options: DeleteOptions = {}): Promise<Persisted<T> | Status> {
    const { namespace, dryRun, signal } = options;
    const answer = await this.#call(
      'DELETE',
      { namespace, name },
      { query: { dryRun: dryRunValue(dryRun) }, body: deleteBody(options), signal },
    );
    return answer as Persisted<T> | Status;
  }

  /** Brings the status of an object that was read to `status`, by what differs. Undefined: nothing does. */
  async writeStatus(object: Stored & { readonly status?: object }, status: object): Promise<Persisted<T> | undefined> {
    const difference = mergePatchBetween(object.status ?? {}, status);
    return difference && this.patchStatusIfUnchanged(object, difference);
  }

  /** Deletes this object and no other of its name, which is a Conflict. */
  deleteExactly({ metadata }: Stored, options: Omit<DeleteOptions, 'namespace' | 'preconditions'> = {}) {
    const { name, namespace, uid } = metadata;
    return this.delete(name, { ...options, namespace, preconditions: { uid } });
  }

  async deleteCollection(options: DeleteCollectionOptions = {}): Promise<void> {
    const { namespace, labelSelector, fieldSelector, dryRun, signal } = options;
    await this.#call(
      'DELETE',
      { namespace },
      { query: { labelSelector, fieldSelector, dryRun: dryRunValue(dryRun) }, body: deleteBody(options), signal },
    );
  }

  /** POST to a subresource: `createSubresource('web', 'eviction', { … }, { namespace })`. */
  createSubresource(
    name: string,
    subresource: string,
    body: unknown,
    { namespace, ...options }: SubresourceOptions = {},
  ): Promise<unknown> {
    return this.#call(
      'POST',
      { namespace, name, subresource },
      { query: writeQuery(options), body, signal: options.signal },
    );
  }

  async getScale(name: string, { namespace, signal }: GetOptions = {}): Promise<Scale> {
    return (await this.#call('GET', { namespace, name, subresource: 'scale' }, { signal })) as Scale;
  }

  async updateScale(scale: Scale, options: WriteOptions = {}): Promise<Scale> {
    const location = { ...locate(scale), subresource: 'scale' };
    return (await this.#call('PUT', location, {
      query: writeQuery(options),
      body: scale,
      signal: options.signal,
    })) as Scale;
  }

  #call(method: ApiCall['method'], location: ResourceLocation, rest: Partial<ApiCall>): Promise<unknown> {
    return this.#client.call({ method, path: resourcePath(this.resource, location), ...rest });
  }

  #write(method: 'POST' | 'PUT', location: ResourceLocation, object: Draft<T>, options: WriteOptions) {
    return this.#call(method, location, {
      query: writeQuery(options),
      body: this.#typed(object as KubeObject),
      signal: options.signal,
    });
  }

  /** Servers leave apiVersion and kind out of list items, and callers out of drafts; the copy has them. */
  #typed(object: unknown): Persisted<T> {
    const given = object as Persisted<T>;
    if (given.apiVersion && given.kind) return given;
    return { ...given, apiVersion: apiVersionOf(this.resource), kind: this.resource.kind };
  }
}

type Stored = { readonly metadata: PersistedMeta };

const locate = ({ metadata }: { readonly metadata: ObjectMeta }): ResourceLocation => ({
  namespace: metadata.namespace,
  name: metadata.name ?? '',
});

const dryRunValue = (dryRun: boolean | undefined): 'All' | undefined => (dryRun ? 'All' : undefined);

const writeQuery = ({ dryRun, fieldManager, fieldValidation }: WriteOptions): NonNullable<ApiCall['query']> => ({
  dryRun: dryRunValue(dryRun),
  fieldManager,
  fieldValidation,
});

function deleteBody({ propagationPolicy, gracePeriodSeconds, preconditions }: DeleteOptions): unknown {
  const options = { propagationPolicy, gracePeriodSeconds, preconditions };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return given.length > 0 ? { apiVersion: 'v1', kind: 'DeleteOptions', ...Object.fromEntries(given) } : undefined;
}

/** A server refuses a patch of another uid as a change of a field that cannot be changed. It is another object. */
function conflictOfUids(error: unknown): ApiError | undefined {
  if (!isReason(error, 'Invalid')) return undefined;
  const { message, details } = error.status;
  const isOther = details?.causes?.some(({ field }) => field === 'metadata.uid');
  return isOther ? new ApiError('Conflict', message ?? error.message, details) : undefined;
}
