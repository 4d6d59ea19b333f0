import type { UnknownObject } from '@vireo/api';
import type { Store, Stored, StoreEvent, Subscription } from '../store.ts';

/** Opens an empty store for a test. */
export type OpenStore = (onError?: (error: unknown) => void) => Promise<Store>;

/** A `make` for tests: an object named after its key, with these fields. */
export const body =
  (key: string, fields: Record<string, unknown> = {}) =>
  (revision: number): UnknownObject => ({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: key.split('/').at(-1)!, resourceVersion: String(revision) },
    ...fields,
  });

export const create = (store: Store, key: string, fields?: Record<string, unknown>): Promise<Stored> =>
  store.write(key, 0, body(key, fields));

export const replace = (store: Store, key: string, fields?: Record<string, unknown>): Promise<Stored> =>
  store.write(key, store.get(key)?.revision ?? -1, body(key, fields));

export const remove = (store: Store, key: string): Promise<Stored> =>
  store.write(key, store.get(key)?.revision ?? -1, () => undefined);

/** A watch that remembers what it saw. */
export interface Followed extends Pick<Subscription, 'close'> {
  readonly events: StoreEvent[];
  /** `TYPE key@revision` of each event. */
  lines(): string[];
  /** Resolves when an event at or after `revision` arrived. */
  reached(revision: number): Promise<void>;
}

export function follow(store: Store, prefix: string, since: number): Followed {
  const events: StoreEvent[] = [];
  const waiting: { revision: number; resolve: () => void }[] = [];
  const subscription = store.watch(prefix, since, (event) => {
    events.push(event);
    for (const each of waiting) if (event.revision >= each.revision) each.resolve();
  });
  return {
    events,
    lines: () => events.map((event) => `${event.type} ${event.key}@${event.revision}`),
    reached: (revision) =>
      new Promise((resolve) => {
        if (events.some((event) => event.revision >= revision)) resolve();
        else waiting.push({ revision, resolve });
      }),
    close: () => subscription.close(),
  };
}

/** Whether a writer of the crash test deletes its object at this step: the even ones do with every fourth. */
export const isDeletion = (writer: number, step: number): boolean => step % 4 === 3 && writer % 2 === 0;
