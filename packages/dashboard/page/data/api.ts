import type { FollowState } from '../decisions/connection.ts';
import type { Carrier } from './carrier.ts';
import { Collection } from './collection.ts';
import { follow, type Source } from './follow.ts';
import type { KubeObject } from './kinds.ts';
import { refusedFrom } from './refused.ts';
import { browserTiming } from './timing.ts';

interface List<T> {
  readonly items?: readonly T[];
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

/** An operation of a JSON patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

interface Followed {
  readonly collection: Collection<KubeObject, unknown>;
  readonly stop: AbortController;
  views: number;
  /** When a view last asked for it: what is drawn now counts as a view only a moment later. */
  askedAtMs: number;
}

/** Makes rows of objects; views of one path that want other rows follow it by themselves. */
type Project = (object: never) => unknown;

const PAGE_SIZE = 500;
/** For how long a collection that nobody looks at is kept up to date: views come and go. */
const KEEP_MS = 30_000;
/** A view that asked for its collection less long ago may still be drawn. */
const DRAWING_MS = 5_000;
/** Servers end watches after a random time; a limit of our own keeps a dead connection from staying unnoticed. */
const WATCH_SECONDS = 290;

/** The Kubernetes API as this user sees it. */
export class Api {
  readonly #carrier: Carrier;
  readonly #followed = new Map<string, Map<Project, Followed>>();
  readonly #listeners = new Set<() => void>();
  #states: readonly FollowState[] = [];
  /** What is done before a list is read; rejects if it would be refused. */
  beforeList: (path: string) => Promise<void> = async () => {};

  constructor(carrier: Carrier) {
    this.#carrier = carrier;
  }

  async request<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const response = await this.#carrier.fetch(path, {
      method,
      ...(signal && { signal }),
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    if (!response.ok) throw refusedFrom(response.status, text);
    return (text === '' ? undefined : parsed(text)) as T;
  }

  /** Changes an object by a JSON patch; `test` operations in it keep it from undoing what others did meanwhile. */
  async patch<T>(path: string, operations: readonly PatchOperation[]): Promise<T> {
    const response = await this.#carrier.fetch(path, {
      method: 'PATCH',
      body: JSON.stringify(operations),
      headers: { 'content-type': 'application/json-patch+json' },
    });
    const text = await response.text();
    if (!response.ok) throw refusedFrom(response.status, text);
    return parsed(text) as T;
  }

  /** The response as it is, for what is not JSON: text, images, downloads. Rejects with the server's words if refused. */
  async fetch(path: string, init?: RequestInit): Promise<Response> {
    const response = await this.#carrier.fetch(path, init);
    if (!response.ok) throw refusedFrom(response.status, await response.text());
    return response;
  }

  open(path: string): WebSocket {
    return this.#carrier.open(path);
  }

  /** A collection that is kept up to date while it is viewed; `path` may have selectors in its query. */
  view<T extends KubeObject, Row>(path: string, project: (object: T) => Row): Collection<T, Row> {
    const known = this.#followed.get(path)?.get(project);
    if (known) {
      known.askedAtMs = browserTiming.now();
      return known.collection as unknown as Collection<T, Row>;
    }
    const collection = new Collection<T, Row>(project);
    const stop = new AbortController();
    const followed = {
      collection: collection as unknown as Followed['collection'],
      stop,
      views: 0,
      askedAtMs: browserTiming.now(),
    };
    this.#followed.set(path, (this.#followed.get(path) ?? new Map()).set(project, followed));
    collection.subscribe(() => this.#tell());
    void follow(this.#source<T>(path), collection, browserTiming, stop.signal);
    return collection;
  }

  /** `namespace/name` of the objects at a path that is followed already; none of others, which are not read for it. */
  readonly keysAt = (path: string): readonly string[] =>
    this.#followed.get(path)?.values().next().value?.collection.keys() ?? [];

  /** Counts a view of a collection; returns what to call at its end. Only one that shares its path must say its rows. */
  hold(path: string, rows?: Project): () => void {
    const project = rows ?? this.#followed.get(path)?.keys().next().value;
    const followed = project && this.#followed.get(path)?.get(project);
    if (!followed) return () => {};
    followed.views += 1;
    const end = (): void => {
      const ofPath = this.#followed.get(path);
      if (followed.views > 0 || ofPath?.get(project) !== followed) return;
      if (browserTiming.now() - followed.askedAtMs < DRAWING_MS) return void setTimeout(end, DRAWING_MS);
      followed.stop.abort();
      ofPath.delete(project);
      if (ofPath.size === 0) this.#followed.delete(path);
      this.#tell();
    };
    return () => {
      followed.views -= 1;
      setTimeout(end, KEEP_MS);
    };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** How everything that is followed is doing. */
  readonly states = (): readonly FollowState[] => this.#states;

  close(): void {
    for (const { stop, collection } of this.#all()) {
      stop.abort();
      // Views that linger must not show what whoever logged out has seen.
      collection.keepOnly(new Set());
    }
    this.#followed.clear();
    this.#carrier.close();
  }

  #all(): Followed[] {
    return [...this.#followed.values()].flatMap((ofPath) => [...ofPath.values()]);
  }

  #tell(): void {
    this.#states = this.#all().map(({ collection }) => collection.snapshot().state);
    for (const listener of this.#listeners) listener();
  }

  #source<T extends KubeObject>(path: string): Source<T> {
    const url = (parameters: Record<string, string>): string =>
      `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`;
    return {
      list: async (signal, onItems) => {
        await this.beforeList(path);
        const pageAfter = (token?: string): Promise<List<T>> => {
          const page = url({ limit: String(PAGE_SIZE), ...(token && { continue: token }) });
          return this.request<List<T>>('GET', page, undefined, signal);
        };
        for (let page = pageAfter(); ; ) {
          const { items = [], metadata } = await page;
          const next = metadata?.continue;
          // The server writes the next page while this one is worked through.
          if (next) page = pageAfter(next);
          onItems(items);
          if (!next) return { version: metadata?.resourceVersion ?? '' };
        }
      },
      watch: (version, onEvent, signal, onOpen) =>
        this.#carrier.watch(
          url({
            watch: '1',
            allowWatchBookmarks: 'true',
            resourceVersion: version,
            timeoutSeconds: String(WATCH_SECONDS),
          }),
          onEvent,
          AbortSignal.any([signal, browserTiming.untilWake()]),
          onOpen,
        ),
    };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
