import type { KubeObject, Persisted } from '../meta.ts';

/** A made-up object with what a server would have filled in. */
export const persisted = <T extends KubeObject>(object: T): Persisted<T> => ({
  ...object,
  metadata: {
    name: 'some',
    uid: `uid-${object.metadata.name ?? 'some'}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...object.metadata,
  },
});
