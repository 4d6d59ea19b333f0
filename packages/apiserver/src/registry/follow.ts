import type { Persisted, UnknownObject } from '@vireo/api';
import type { Store, Subscription } from '../store/store.ts';

/** Feeds a view of some objects: all there are now, then every change. Nothing falls between the two. */
export function follow(
  store: Store,
  prefix: string,
  view: { update(object: Persisted<UnknownObject>): void; remove(object: Persisted<UnknownObject>): void },
): Subscription {
  const since = store.revision;
  for (const { object } of store.list(`${prefix}/`)) view.update(object);
  return store.watch(`${prefix}/`, since, ({ type, current }) => {
    if (type === 'DELETED') view.remove(current.object);
    else view.update(current.object);
  });
}

/** Resolves when there is an object at `key`. */
export function whenThere(store: Store, key: string): Promise<void> {
  if (store.get(key)) return Promise.resolve();
  return new Promise((resolve) => {
    const subscription = store.watch(key, store.revision, () => {
      subscription.close();
      resolve();
    });
  });
}
