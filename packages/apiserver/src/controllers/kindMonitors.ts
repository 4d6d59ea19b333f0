import type { Kind, UnknownObject } from '@vireo/api';
import {
  type Client,
  type IndexFunction,
  Informer,
  type InformerHandlers,
  type Log,
  type ResourceRef,
} from '@vireo/kube';
import type { ServedKinds } from './servedKinds.ts';

export interface MonitorOptions {
  readonly client: Client;
  readonly served: ServedKinds;
  readonly isWanted: (kind: Kind) => boolean;
  readonly handlers: (kind: Kind) => InformerHandlers<UnknownObject>;
  readonly indexes?: Readonly<Record<string, IndexFunction<UnknownObject>>>;
  readonly log: Log;
}

interface Monitor {
  readonly kind: Kind;
  readonly informer: Informer<UnknownObject>;
  readonly stop: AbortController;
}

/** Watches the objects of every wanted kind, custom ones included, while the kind is served. */
export class KindMonitors {
  readonly #options: MonitorOptions;
  readonly #monitors = new Map<string, Monitor>();
  #signal: AbortSignal | undefined;
  #isScheduled = false;

  constructor(options: MonitorOptions) {
    this.#options = options;
  }

  start(signal: AbortSignal): void {
    this.#signal = signal;
    const stopListening = this.#options.served.onChange(() => this.#followSoon());
    signal.addEventListener(
      'abort',
      () => {
        stopListening();
        for (const { stop } of this.#monitors.values()) stop.abort();
      },
      { once: true },
    );
    this.follow();
  }

  /** The objects of a resource, if it is watched. */
  objects(group: string, plural: string): Informer<UnknownObject> | undefined {
    return this.#monitors.get(keyOf({ group, plural }))?.informer;
  }

  /** Resolves when all that is watched now has been seen whole. A kind that goes away meanwhile is not waited for. */
  async whenSynced(): Promise<void> {
    const waiting = [...this.#monitors.values()].filter(({ informer }) => !informer.hasSynced);
    await Promise.all(
      waiting.map(({ informer, stop }) =>
        informer.whenSynced().catch((error: unknown) => {
          if (!stop.signal.aborted) throw error;
        }),
      ),
    );
  }

  /** A definition that changes is taken out and put back: only what holds after that matters. */
  #followSoon(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.follow();
    });
  }

  /** Starts and stops watches so that they fit the kinds being served and wanted now. */
  follow(): void {
    if (!this.#signal || this.#signal.aborted) return;
    const { client, served, isWanted, handlers, indexes, log } = this.#options;
    const wanted = new Map([...served.list()].filter(isWanted).map((kind) => [keyOf(kind), kind]));
    for (const [key, { kind, stop }] of this.#monitors)
      if (wanted.get(key)?.version !== kind.version) {
        stop.abort();
        this.#monitors.delete(key);
      }
    for (const [key, kind] of wanted) {
      if (this.#monitors.has(key)) continue;
      const informer = new Informer<UnknownObject>(client.of(kind as ResourceRef), { log, indexes });
      const stop = new AbortController();
      this.#monitors.set(key, { kind, informer, stop });
      informer.on(handlers(kind));
      informer.start(stop.signal);
    }
  }
}

const keyOf = ({ group, plural }: Pick<Kind, 'group' | 'plural'>): string => `${group}/${plural}`;
