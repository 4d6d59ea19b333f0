import type { Store } from '../store/store.ts';
import type { Lookup } from '../strategies/strategy.ts';
import { storagePrefix } from './resource.ts';

/** Reads objects in their stored version straight from the store. */
export const storeLookup = (store: Store): Lookup => ({
  get: (group, resource, namespace, name) =>
    store.get([storagePrefix(group, resource), ...(namespace ? [namespace] : []), name].join('/'))?.object,
  list: (group, resource, namespace) =>
    store.list(`${storagePrefix(group, resource)}/${namespace ? `${namespace}/` : ''}`).map((stored) => stored.object),
});
