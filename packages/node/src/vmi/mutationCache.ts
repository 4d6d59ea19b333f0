import type { KubeObject } from '@vireo/api';

/**
 * What we wrote last, until the informer has caught up with it: without that the next reconcile would decide from the
 * past and write everything a second time.
 */
export class MutationCache<T extends KubeObject> {
  readonly #written = new Map<string, T>();

  /** Keeps what the server answered to a write. */
  remember(object: T): T {
    this.#written.set(object.metadata.uid ?? '', object);
    return object;
  }

  /** The newer of the informer's object and ours. */
  newest(cached: T | undefined): T | undefined {
    const uid = cached?.metadata.uid ?? '';
    const written = this.#written.get(uid);
    if (!cached || !written) return cached;
    if (version(written) > version(cached)) return written;
    this.#written.delete(uid);
    return cached;
  }

  forget(uid: string): void {
    this.#written.delete(uid);
  }
}

const version = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion ?? 0);
