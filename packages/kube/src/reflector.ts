import { ApiError, type KubeList, type KubeObject, type Persisted } from '@vireo/api';
import { Backoff } from './backoff.ts';
import { type Clock, pause } from './clock.ts';
import type { Log } from './log/index.ts';
import { keyOf, resourceName } from './resource.ts';
import { type ObjectEvent, PAGE_SIZE, type ResourceClient, type SelectOptions } from './resourceClient.ts';
import { Watchdog } from './watchdog.ts';

/** What the reflector keeps in step with the server. */
export interface ReflectorTarget<T extends KubeObject> {
  /** The whole state at one moment. */
  replace(objects: readonly Persisted<T>[]): void;
  set(object: Persisted<T>): void;
  delete(last: Persisted<T>): void;
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: ResourceClient<T>;
  readonly select: SelectOptions;
  readonly target: ReflectorTarget<T>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A watch on which nothing came for this long, not even a bookmark (one a minute is usual), is taken for dead. */
const QUIET_MS = 150_000;
/** A server that ignores sendInitialEvents never says that they ended; after this long without an event we list. */
const INITIAL_EVENTS_QUIET_MS = 30_000;
/** A watch that ended sooner than this, with nothing on it, counts as a failure: else a sick server is hammered. */
const SHORT_WATCH_MS = 1_000;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/**
 * Follows one resource until stopped, whatever happens to the connection. The state comes by a streamed list
 * (WatchList) where the server has it, else by paged lists; a version that the server has forgotten (410) means a new
 * state. Failures are logged and tried again for ever, with growing delays.
 */
export class Reflector<T extends KubeObject> {
  readonly #client: ResourceClient<T>;
  readonly #select: SelectOptions;
  readonly #target: ReflectorTarget<T>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #name: string;
  /** Where the next watch starts; undefined: the state has to be fetched first. */
  #resourceVersion: string | undefined;
  #canStreamLists = true;

  constructor({ client, select, target, clock, log }: ReflectorOptions<T>) {
    this.#client = client;
    this.#select = select;
    this.#target = target;
    this.#clock = clock;
    this.#log = log;
    this.#name = resourceName(client.resource);
  }

  async run(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff();
    while (!signal.aborted) {
      const startedAt = this.#clock.now();
      let isHealthy = false;
      try {
        const sawEvents = await this.#round(signal);
        isHealthy = sawEvents || this.#clock.now() - startedAt >= SHORT_WATCH_MS;
      } catch (error) {
        if (signal.aborted) return;
        this.#afterFailure(error);
      }
      if (isHealthy) backoff.reset();
      else await pause(backoff.nextMs(), signal, this.#clock);
    }
  }

  /** Fetches the state if need be, then watches until the stream ends. Whether anything came on the stream. */
  async #round(signal: AbortSignal): Promise<boolean> {
    if (this.#resourceVersion === undefined) {
      if (this.#canStreamLists) return this.#watch(signal, true);
      await this.#list(signal);
    }
    return this.#watch(signal, false);
  }

  #afterFailure(error: unknown): void {
    if (error instanceof StreamedListRefused) {
      this.#canStreamLists = false;
      this.#log.debug('the server does not support streaming lists; listing instead', undefined, {
        resource: this.#name,
        error: error.cause,
      });
      return;
    }
    if (this.#resourceVersion !== undefined && mustStartOver(error)) {
      this.#resourceVersion = undefined;
      this.#log.info('the watch has expired; listing again', undefined, { resource: this.#name, error });
      return;
    }
    this.#log.warn('list or watch failed; retrying', undefined, { resource: this.#name, error });
  }

  async #list(signal: AbortSignal): Promise<void> {
    let list: KubeList<Persisted<T>>;
    try {
      list = await this.#listPages(signal);
    } catch (error) {
      if (!isExpired(error)) throw error;
      // The version of the first page was forgotten while the others were read; one big page cannot expire.
      list = await this.#client.list({ ...this.#select, signal });
    }
    this.#target.replace(list.items);
    this.#resourceVersion = list.metadata.resourceVersion;
  }

  async #listPages(signal: AbortSignal): Promise<KubeList<Persisted<T>>> {
    const items: Persisted<T>[] = [];
    let page: KubeList<Persisted<T>> | undefined;
    do {
      page = await this.#client.list({
        ...this.#select,
        limit: PAGE_SIZE,
        continue: page?.metadata.continue,
        signal,
      });
      items.push(...page.items);
    } while (page.metadata.continue);
    return { ...page, items };
  }

  async #watch(signal: AbortSignal, isStreamedList: boolean): Promise<boolean> {
    const initial = isStreamedList ? new Map<string, Persisted<T>>() : undefined;
    using watchdog = new Watchdog(signal, this.#clock);
    watchdog.expectWithin(isStreamedList ? INITIAL_EVENTS_QUIET_MS : QUIET_MS);
    const events = await this.#open(watchdog.signal, isStreamedList);
    const progress = new StreamProgress(initial, this.#target, (version) => {
      this.#resourceVersion = version;
    });
    for await (const event of events) {
      progress.take(event);
      watchdog.expectWithin(progress.isInitial ? INITIAL_EVENTS_QUIET_MS : QUIET_MS);
    }
    if (progress.isInitial && watchdog.hasExpired)
      throw new StreamedListRefused({ cause: 'the initial events never ended' });
    return progress.sawEvents && !progress.isInitial;
  }

  async #open(signal: AbortSignal, isStreamedList: boolean): Promise<AsyncIterable<ObjectEvent<T>>> {
    const options = {
      ...this.#select,
      allowWatchBookmarks: true,
      // Spread, so that a thousand watches that began together do not all end together.
      timeoutSeconds: Math.round(300 + Math.random() * 300),
      signal,
    };
    if (!isStreamedList) return this.#client.watch({ ...options, resourceVersion: this.#resourceVersion });
    try {
      return await this.#client.watch({ ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' });
    } catch (error) {
      if (isRefusal(error)) throw new StreamedListRefused({ cause: error });
      throw error;
    }
  }
}

/** Takes the events of one stream: into a pile until the initial ones are complete, then straight to the target. */
class StreamProgress<T extends KubeObject> {
  #initial: Map<string, Persisted<T>> | undefined;
  readonly #target: ReflectorTarget<T>;
  readonly #reached: (resourceVersion: string | undefined) => void;
  sawEvents = false;

  constructor(
    initial: Map<string, Persisted<T>> | undefined,
    target: ReflectorTarget<T>,
    reached: (resourceVersion: string | undefined) => void,
  ) {
    this.#initial = initial;
    this.#target = target;
    this.#reached = reached;
  }

  get isInitial(): boolean {
    return this.#initial !== undefined;
  }

  take(event: ObjectEvent<T>): void {
    if (event.type === 'ERROR') throw ApiError.from(event.object.code ?? 500, event.object);
    this.sawEvents = true;
    if (this.#initial) this.#takeInitial(this.#initial, event);
    else if (event.type === 'DELETED') this.#target.delete(event.object);
    else if (event.type !== 'BOOKMARK') this.#target.set(event.object);
    // Half of an initial state is none: until it is complete there is no version to resume from.
    if (!this.#initial) this.#reached(event.object.metadata.resourceVersion);
  }

  #takeInitial(initial: Map<string, Persisted<T>>, event: Exclude<ObjectEvent<T>, { type: 'ERROR' }>): void {
    if (event.type === 'DELETED') initial.delete(keyOf(event.object));
    else if (event.type !== 'BOOKMARK') initial.set(keyOf(event.object), event.object);
    else if (event.object.metadata.annotations?.[INITIAL_EVENTS_END] === 'true') {
      this.#initial = undefined;
      this.#target.replace([...initial.values()]);
    }
  }
}

class StreamedListRefused extends Error {
  constructor(options: ErrorOptions) {
    super('the server does not support streaming lists', options);
    this.name = 'StreamedListRefused';
  }
}

/** Servers without WatchList answer Invalid; stricter ones refuse the unknown parameter. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 422 || error.code === 400 || error.code === 405);

const isExpired = (error: unknown): boolean => error instanceof ApiError && error.code === 410;

/** The version to resume from is of no use: forgotten, not understood, or from a server's later life. */
const mustStartOver = (error: unknown): boolean =>
  error instanceof ApiError &&
  (isExpired(error) ||
    error.code === 400 ||
    error.code === 422 ||
    (error.status.details?.causes ?? []).some(({ reason }) => reason === 'ResourceVersionTooLarge'));
