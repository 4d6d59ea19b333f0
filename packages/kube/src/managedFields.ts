import type { KubeObject, Persisted } from '@vireo/api';

/**
 * The object without what only the server's bookkeeping needs, and which is up to half of it. Whoever writes the object
 * back loses nothing: a server keeps its managed fields when a write has none. Objects that a server of this process
 * shares with us are frozen, and a copy without them would only take more memory.
 */
export function withoutManagedFields<T extends KubeObject>(object: Persisted<T>): Persisted<T> {
  if (object.metadata.managedFields === undefined || Object.isFrozen(object)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
