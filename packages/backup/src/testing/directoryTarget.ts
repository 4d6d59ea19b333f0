import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryStore } from '../directory.ts';
import type { BackupStore } from '../store.ts';

/** A directory that was accepted as target, and its store. */
export interface TestTarget extends AsyncDisposable {
  readonly root: string;
  readonly id: string;
  readonly store: DirectoryStore;
}

/** Makes a target in a new directory. */
export async function directoryTarget(): Promise<TestTarget> {
  const root = await mkdtemp(join(tmpdir(), 'vireo-backup-'));
  const description = `file://${root}`;
  const id = await new DirectoryStore(root, { description, id: undefined }).accept();
  return {
    root,
    id,
    store: new DirectoryStore(root, { description, id }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

/** A store that does as another one, but for what is given. */
export function storeLike(store: BackupStore, other: Partial<BackupStore>): BackupStore {
  return {
    description: store.description,
    put: (key, bytes) => store.put(key, bytes),
    get: (key, mostBytes) => store.get(key, mostBytes),
    list: (prefix) => store.list(prefix),
    names: (prefix) => store.names(prefix),
    delete: (key) => store.delete(key),
    deleteAll: (prefix) => store.deleteAll(prefix),
    accept: () => store.accept(),
    check: () => store.check(),
    close: () => store.close(),
    ...other,
  };
}
