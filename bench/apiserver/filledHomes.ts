import { rm } from 'node:fs/promises';
import type { Endpoint } from '../load/connection.ts';
import { type Load, startLoad } from '../load.ts';
import { createNamespace } from '../servers/ask.ts';
import type { ServerKind } from '../servers/server.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';

export const NAMESPACE = 'bench';
const CLIENTS = 32;

/** Makes a namespace with so many objects. */
export async function fill(load: Load, endpoint: Endpoint, count: number): Promise<void> {
  await createNamespace(endpoint, NAMESPACE);
  await load.call('creates', { endpoint, clients: CLIENTS, count, namespace: NAMESPACE });
}

/** Homes full of objects, whose servers were stopped in order: made once, for whichever measurement comes first. */
export class FilledHomes implements AsyncDisposable {
  readonly #objects: number;
  readonly #homes = new Map<ServerKind, Promise<string>>();

  constructor(objects: number) {
    this.#objects = objects;
  }

  of(kind: ServerKind): Promise<string> {
    const home = this.#homes.get(kind) ?? this.#make(kind);
    this.#homes.set(kind, home);
    return home;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const home of await Promise.allSettled(this.#homes.values()))
      if (home.status === 'fulfilled') await rm(home.value, { recursive: true, force: true });
  }

  async #make(kind: ServerKind): Promise<string> {
    const directory = await temporaryDirectory();
    const load = startLoad();
    try {
      const server = await kind.start(directory);
      try {
        await fill(load, server.endpoint, this.#objects);
      } finally {
        await server.stop();
      }
    } finally {
      await load.close();
    }
    return directory;
  }
}
