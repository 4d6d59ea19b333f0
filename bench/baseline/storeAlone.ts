import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { UnknownObject } from '@vireo/api';
import { openSqliteStore } from '@vireo/apiserver/store/sqlite.ts';
import type { Store } from '@vireo/apiserver/store/store.ts';
import { configMap } from '../load/object.ts';
import type { Done } from '../load/requests.ts';
import { serveTasks } from '../processes.ts';

let store: Store | undefined;
let lastName = 0;

/** The store without the server: the same objects, written by so many writers at once. */
const tasks = {
  open: async ({ directory }: { directory: string }): Promise<void> => {
    store = await openSqliteStore({ file: join(directory, 'store.db') });
  },
  creates: async ({ writers, seconds }: { writers: number; seconds: number }): Promise<Done> => {
    const startedAt = performance.now();
    const deadline = startedAt + seconds * 1000;
    let count = 0;
    const write = async (): Promise<void> => {
      while (performance.now() < deadline) {
        const name = `bench-${++lastName}`;
        await store!.write(`core/configmaps/bench/${name}`, 0, (revision) => asStored(name, revision));
        count++;
      }
    };
    await Promise.all(Array.from({ length: writers }, write));
    return { count, seconds: (performance.now() - startedAt) / 1000 };
  },
};

/** With what the server adds to an object that is created. */
function asStored(name: string, revision: number): UnknownObject {
  const object = configMap('bench', name);
  const added = { uid: randomUUID(), creationTimestamp: new Date().toISOString(), resourceVersion: String(revision) };
  return { ...object, metadata: { ...object.metadata, ...added } };
}

export type StoreTasks = typeof tasks;

serveTasks(tasks);
