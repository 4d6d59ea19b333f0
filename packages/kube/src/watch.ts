import { controllerOf, type KubeObject, type Persisted } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import type { Expectations } from './expectations.ts';
import type { Informer, InformerHandlers } from './informer.ts';
import { keyOf, type ResourceRef } from './resource.ts';
import type { WorkQueue } from './workqueue.ts';

/** The part of an informer that controllers are wired by. */
export type WatchedInformer<T extends KubeObject> = Pick<Informer<T>, 'resource' | 'get' | 'whenSynced' | 'on'>;

/** An informer of whatever type. */
export type AnyInformer = WatchedInformer<KubeObject>;

/** A key to reconcile, now or after a while. */
export type Key = string | { readonly key: string; readonly afterMs: number };

/** The keys to enqueue after a change. */
export type Keys = Key | readonly Key[] | undefined;

/** The keys to enqueue after each kind of change; none after one without a handler. Handlers may also note what they saw. */
export interface WatchHandlers<T extends KubeObject> {
  /** The object was added or updated. */
  changed?(object: Persisted<T>): Keys;
  added?(object: Persisted<T>): Keys;
  updated?(old: Persisted<T>, object: Persisted<T>): Keys;
  deleted?(object: Persisted<T>): Keys;
}

/** One function for every change, or one for each that counts. */
export type MapFunction<T extends KubeObject> = WatchHandlers<T> | ((object: Persisted<T>) => Keys);

/** What a controller watches besides its own kind: informers, and how their events become keys. Made by `watch`. */
export interface Watch {
  readonly informers: readonly AnyInformer[];
  start(queue: WorkQueue): void;
}

/**
 * Has a controller reconcile other keys when an object of another kind changes. A function is called on every change,
 * with the new object or the last one.
 *
 * @example
 * watch(claims, (claim) => vms.byIndex('claim', keyOf(claim)).map(keyOf)),
 * watch(nodes, { deleted: (node) => ({ key: keyOf(node), afterMs: 40_000 }) }),
 * watch(settings, { updated: (old, now) => (isSameChoice(old, now) ? [] : vms.list().map(keyOf)) }),
 */
export function watch<T extends KubeObject>(informer: WatchedInformer<T>, to: MapFunction<T>): Watch;
export function watch(informers: readonly AnyInformer[], to: MapFunction<KubeObject>): Watch;
export function watch(watched: AnyInformer | readonly AnyInformer[], to: MapFunction<KubeObject>): Watch {
  const informers = [watched].flat() as AnyInformer[];
  const handlers = typeof to === 'function' ? { changed: to, deleted: to } : to;
  return {
    informers,
    start(queue) {
      for (const informer of informers)
        informer.on({
          added(object) {
            enqueue(queue, handlers.added?.(object));
            enqueue(queue, handlers.changed?.(object));
          },
          updated(old, object) {
            enqueue(queue, handlers.updated?.(old, object));
            enqueue(queue, handlers.changed?.(object));
          },
          deleted: (object) => enqueue(queue, handlers.deleted?.(object)),
        });
    },
  };
}

/** Adds keys to a queue, now or when they are due. */
export function enqueue(queue: WorkQueue, keys: Keys): void {
  if (keys === undefined) return;
  if (typeof keys === 'string') queue.add(keys);
  else if (isList(keys)) for (const key of keys) enqueue(queue, key);
  else queue.addAfter(keys.key, keys.afterMs);
}

const isList = (keys: Exclude<Keys, undefined>): keys is readonly Key[] => Array.isArray(keys);

/** Handlers that enqueue the object itself, `statusDelayMs` after an update that changes its status only. */
export function enqueueKey(queue: WorkQueue, statusDelayMs = 0): Required<InformerHandlers<KubeObject>> {
  const add = (object: KubeObject) => queue.add(keyOf(object));
  return {
    added: add,
    updated: (old, object) =>
      queue.addAfter(keyOf(object), statusDelayMs > 0 && isStatusUpdate(old, object) ? statusDelayMs : 0),
    deleted(object) {
      // Whoever asked to see the object again later sees now that it is gone.
      queue.cancelAfter(keyOf(object));
      add(object);
    },
  };
}

/** Whether two versions of an object differ in nothing that its users write: its status changed, or nothing did. */
function isStatusUpdate({ metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean {
  const { resourceVersion: _, managedFields: _1, ...old } = before;
  const { resourceVersion: _2, managedFields: _3, ...now } = after;
  return old.generation !== undefined && deepEqual(old, now);
}

/**
 * Handlers that enqueue the controlling owner of the object, where that is of kind `owner`, and note in `expectations`
 * that what the owner did shows.
 */
export function enqueueOwner(
  queue: WorkQueue,
  owner: OwnerKind,
  expectations?: Expectations,
): Required<InformerHandlers<KubeObject>> {
  const add = (key: string | undefined) => {
    if (key !== undefined) queue.add(key);
  };
  return {
    added(object) {
      const key = ownerKey(object, owner);
      expectations?.creationObserved(key);
      add(key);
    },
    updated(old, object) {
      const [before, key] = [ownerKey(old, owner), ownerKey(object, owner)];
      if (object.metadata.deletionTimestamp) expectations?.deletionObserved(before, object.metadata.uid);
      // The old owner of an object that has a new one is reconciled as well.
      if (before !== key) add(before);
      add(key);
    },
    deleted(object) {
      const key = ownerKey(object, owner);
      expectations?.deletionObserved(key, object.metadata.uid);
      add(key);
    },
  };
}

type OwnerKind = Pick<ResourceRef, 'group' | 'kind' | 'namespaced'>;

/** The key of the object's controlling owner, if that is of the given kind. The version does not matter. */
export function ownerKey({ metadata }: KubeObject, { group, kind, namespaced }: OwnerKind): string | undefined {
  const owner = controllerOf({ metadata });
  if (owner?.kind !== kind || groupOf(owner.apiVersion) !== group) return undefined;
  return namespaced && metadata.namespace ? `${metadata.namespace}/${owner.name}` : owner.name;
}

const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
