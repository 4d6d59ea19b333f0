import type { KubeObject, Persisted } from '@vireo/api';
import { type Client, Informers, keyOf, type ResourceRef } from '@vireo/kube';

type Fits<T extends KubeObject> = (object: Persisted<T>) => boolean;

/** Follows objects of one kind and resolves with the first that `fits`, present ones included. */
export async function observed<T extends KubeObject>(
  client: Client,
  kind: ResourceRef,
  fits: Fits<T>,
): Promise<Persisted<T>> {
  const stop = new AbortController();
  const informer = new Informers(client).for<T>(kind);
  const found = Promise.withResolvers<Persisted<T>>();
  const look = (object: Persisted<T>) => {
    if (fits(object)) found.resolve(object);
  };
  informer.on({ added: look, updated: (_, object) => look(object) });
  informer.start(stop.signal);
  return found.promise.finally(() => stop.abort());
}

/** Resolves when the server has no object of the kind that `fits`. */
export async function gone<T extends KubeObject>(client: Client, kind: ResourceRef, fits: Fits<T>): Promise<void> {
  const stop = new AbortController();
  const informer = new Informers(client).for<T>(kind);
  const done = Promise.withResolvers<void>();
  const look = () => {
    if (informer.hasSynced && !informer.list().some(fits)) done.resolve();
  };
  informer.on({ deleted: look, updated: look });
  informer.start(stop.signal);
  await informer.whenSynced();
  look();
  return done.promise.finally(() => stop.abort());
}

/** Every write to objects of these kinds, by whomever: each shows as one event of a watch. */
export class Writes {
  readonly seen: string[] = [];
  readonly #stop = new AbortController();
  readonly #waiting: { count: number; resolve: () => void }[] = [];

  static async follow(client: Client, kinds: readonly ResourceRef[], fits: Fits<KubeObject>): Promise<Writes> {
    const writes = new Writes();
    const informers = new Informers(client);
    for (const kind of kinds)
      informers.for<KubeObject>(kind).on({
        added: (object) => fits(object) && writes.#add(`create ${kind.kind} ${keyOf(object)}`),
        updated: (old, object) => fits(object) && writes.#add(`update ${kind.kind}: ${differences(old, object)}`),
      });
    informers.start(writes.#stop.signal);
    await informers.whenSynced();
    return writes;
  }

  /** Resolves when so many have been seen. */
  reach(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ count, resolve });
    this.#tell();
    return promise;
  }

  stop(): void {
    this.#stop.abort();
  }

  #add(write: string): void {
    this.seen.push(write);
    this.#tell();
  }

  #tell(): void {
    for (const { count, resolve } of this.#waiting) if (this.seen.length >= count) resolve();
  }
}

function differences(old: object, object: object): string {
  const [before, after] = [old, object] as [Parts, Parts];
  const differing = ['metadata', 'spec', 'status'].flatMap((part) =>
    Object.entries(after[part] ?? {})
      .filter(([key, value]) => JSON.stringify(before[part]?.[key]) !== JSON.stringify(value))
      .map(([key, value]) => (key === 'phase' ? `${part}.${key}=${value}` : `${part}.${key}`)),
  );
  return differing.filter((path) => !/resourceVersion|managedFields|generation$/.test(path)).join(' ');
}

type Parts = Record<string, Record<string, unknown> | undefined>;
