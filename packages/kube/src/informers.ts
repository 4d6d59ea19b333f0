import type { Kind, KubeObject, UnknownObject } from '@vireo/api';
import type { Client } from './client.ts';
import { Informer, type InformerOptions } from './informer.ts';
import { type ResourceRef, resourceName } from './resource.ts';

/**
 * Informers shared by all controllers of a process: one watch a kind and selection, however many ask for it.
 *
 * @example
 * const informers = new Informers(client);
 * const pods = informers.for(Pod);
 * informers.start(signal);
 * await informers.whenSynced();
 */
export class Informers {
  readonly #client: Client;
  /** Keyed by what decides the server's answer. Each entry has the type that its kind says. */
  readonly #informers = new Map<string, Informer<never>>();
  readonly #defaults: Pick<InformerOptions<never>, 'log' | 'clock'>;
  #signal: AbortSignal | undefined;

  /** `defaults` hold for every informer that brings no log or clock of its own. */
  constructor(client: Client, defaults: Pick<InformerOptions<never>, 'log' | 'clock'> = {}) {
    this.#client = client;
    this.#defaults = defaults;
  }

  /** The informer of a kind. Asked for again with the same selection it is the same one; its indexes add up. */
  for<T extends KubeObject>(kind: Kind<T>, options?: InformerOptions<T>): Informer<T>;
  for<T extends KubeObject = UnknownObject>(kind: ResourceRef, options?: InformerOptions<T>): Informer<T>;
  for<T extends KubeObject>(kind: ResourceRef, options: InformerOptions<T> = {}): Informer<T> {
    const { namespace = '', labelSelector = '', fieldSelector = '' } = options;
    const key = [resourceName(kind), kind.version, namespace, labelSelector, fieldSelector].join('\n');
    const existing = this.#informers.get(key) as Informer<T> | undefined;
    if (existing) {
      if (options.indexes) existing.addIndexes(options.indexes);
      return existing;
    }
    const informer = new Informer<T>(this.#client.of<T>(kind), { ...this.#defaults, ...options });
    this.#informers.set(key, informer as unknown as Informer<never>);
    if (this.#signal) informer.start(this.#signal);
    return informer;
  }

  /** Starts all informers, and those asked for later as they come. */
  start(signal: AbortSignal): void {
    this.#signal = signal;
    for (const informer of this.#informers.values()) informer.start(signal);
  }

  async whenSynced(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.whenSynced()));
  }
}
