import type { KubeObject, Persisted } from '@vireo/api';
import { type Clock, systemClock } from './clock.ts';
import { consoleLog, type Log } from './log/index.ts';
import { withoutManagedFields } from './managedFields.ts';
import { type Change, type IndexFunction, ObjectCache } from './objectCache.ts';
import { Reflector } from './reflector.ts';
import { resourceName } from './resource.ts';
import type { ResourceClient } from './resourceClient.ts';

export interface InformerOptions<T extends KubeObject> {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly indexes?: Readonly<Record<string, IndexFunction<Persisted<T>>>>;
  /**
   * Leaves out what nobody here reads, so that less is kept of each object. Objects that a server of this process shares
   * with us take no memory of ours, and stay whole.
   */
  readonly trim?: (object: Persisted<T>) => Persisted<T>;
  /** Calls `updated(object, object)` for every object this often, for controllers that also depend on the outside. */
  readonly resyncSeconds?: number;
  readonly log?: Log;
  readonly clock?: Clock;
}

/** What to do on changes. Called in order, one at a time; an exception is logged and stops nothing. */
export interface InformerHandlers<T extends KubeObject> {
  added?(object: Persisted<T>): void;
  updated?(old: Persisted<T>, object: Persisted<T>): void;
  /** With `finalStateUnknown` the deletion itself was missed and `object` is the last version seen. */
  deleted?(object: Persisted<T>, how: { readonly finalStateUnknown: boolean }): void;
}

/**
 * A live copy of one resource, kept by list and watch. Objects are handed out as they came, without the managed fields
 * where they came over a network, and shared: never change one.
 *
 * @example
 * const pods = new Informer(client.of(Pod), { indexes: { node: (pod) => [pod.spec?.nodeName ?? ''] } });
 * pods.on({ added: (pod) => queue.add(keyOf(pod)) });
 * pods.start(signal);
 * await pods.whenSynced();
 */
export class Informer<T extends KubeObject> {
  readonly #client: ResourceClient<T>;
  readonly #options: InformerOptions<T>;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #cache = new ObjectCache<Persisted<T>>();
  readonly #handlers = new Set<InformerHandlers<T>>();
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  #hasStarted = false;

  constructor(client: ResourceClient<T>, options: InformerOptions<T> = {}) {
    this.#client = client;
    this.#options = options;
    this.#log = options.log ?? consoleLog;
    this.#clock = options.clock ?? systemClock;
    // Whoever waits hears of a stop; with nobody waiting it is no unhandled rejection.
    this.#synced.promise.catch(() => {});
    if (options.indexes) this.addIndexes(options.indexes);
  }

  get resource(): ResourceClient<T>['resource'] {
    return this.#client.resource;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Begins to follow the server, until `signal` aborts. A second call changes nothing. */
  start(signal: AbortSignal): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const { namespace, labelSelector, fieldSelector, trim } = this.#options;
    const trimmed = (object: Persisted<T>): Persisted<T> =>
      trim && !Object.isFrozen(object) ? trim(object) : withoutManagedFields(object);
    const reflector = new Reflector<T>({
      client: this.#client,
      select: { namespace, labelSelector, fieldSelector },
      clock: this.#clock,
      log: this.#log,
      target: {
        replace: (objects) => {
          this.#publish(this.#cache.replace(objects.map(trimmed)));
          this.#hasSynced = true;
          this.#synced.resolve();
        },
        set: (object) => this.#publish(this.#cache.set(trimmed(object))),
        delete: (last) => this.#publish(this.#cache.delete(trimmed(last))),
      },
    });
    const cancelResync = this.#scheduleResync();
    void reflector.run(signal).finally(() => {
      cancelResync();
      this.#synced.reject(new Error(`the informer for ${resourceName(this.resource)} stopped before it had synced`));
    });
  }

  /** Resolves when the first whole state has arrived; rejects if the informer is stopped before. */
  whenSynced(): Promise<void> {
    return this.#synced.promise;
  }

  /** `key` is `namespace/name`, or `name` for kinds without namespace. */
  get(key: string): Persisted<T> | undefined {
    return this.#cache.get(key);
  }

  list(): Persisted<T>[] {
    return this.#cache.list();
  }

  /** The objects whose index function gave `value`. */
  byIndex(name: string, value: string): Persisted<T>[] {
    return this.#cache.byIndex(name, value);
  }

  addIndexes(indexes: Readonly<Record<string, IndexFunction<Persisted<T>>>>): void {
    for (const [name, values] of Object.entries(indexes)) this.#cache.addIndex(name, values);
  }

  /** Calls the handlers on every change from now on, and `added` at once for what is there. The result ends it. */
  on(handlers: InformerHandlers<T>): () => void {
    for (const object of this.#cache.list()) this.#notify(handlers, { type: 'added', object });
    this.#handlers.add(handlers);
    return () => void this.#handlers.delete(handlers);
  }

  #publish(changes: readonly Change<Persisted<T>>[]): void {
    for (const change of changes) for (const handlers of this.#handlers) this.#notify(handlers, change);
  }

  #notify(handlers: InformerHandlers<T>, change: Change<Persisted<T>>): void {
    try {
      if (change.type === 'added') handlers.added?.(change.object);
      else if (change.type === 'updated') handlers.updated?.(change.old, change.object);
      else handlers.deleted?.(change.object, { finalStateUnknown: change.finalStateUnknown });
    } catch (error) {
      this.#log.error(`a handler failed on an object being ${change.type}`, change.object, { error });
    }
  }

  #scheduleResync(): () => void {
    const { resyncSeconds } = this.#options;
    if (resyncSeconds === undefined) return () => {};
    let cancel = () => {};
    const again = () => {
      cancel = this.#clock.after(resyncSeconds * 1000, () => {
        this.#publish(this.#cache.list().map((object) => ({ type: 'updated', old: object, object })));
        again();
      });
    };
    again();
    return () => cancel();
  }
}
