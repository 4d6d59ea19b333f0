import type { KubeObject, Persisted } from '@vireo/api';

/**
 * What we wrote last, until the informer has caught up with it: without that the next reconcile would decide from the
 * past and write everything a second time.
 */
export class MutationCache<T extends KubeObject> {
  readonly #written = new Map<string, Persisted<T>>();

  /** Keeps what the server answered to a write. */
  remember(object: Persisted<T>): Persisted<T> {
    this.#written.set(object.metadata.uid, object);
    return object;
  }

  /** The newer of the informer's object and ours. */
  newest(cached: Persisted<T> | undefined): Persisted<T> | undefined {
    const written = cached && this.#written.get(cached.metadata.uid);
    if (!written) return cached;
    if (version(written) > version(cached)) return written;
    this.#written.delete(cached.metadata.uid);
    return cached;
  }

  forget(uid: string): void {
    this.#written.delete(uid);
  }
}

const version = ({ metadata }: Persisted): number => Number(metadata.resourceVersion);
