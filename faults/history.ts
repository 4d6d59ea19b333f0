import { ApiError } from '@vireo/api';
import { pause, systemClock } from '@vireo/kube';
import { at, VirtualMachine } from './objects.ts';
import type { World } from './world.ts';

const RETRY_MS = 100;
/** How long an event may be under way on a busy host. */
const PATIENCE_MS = 15_000;

/**
 * Watches machines as a careful client does: from the last version that it has seen, again and again. What it has
 * gathered must be what a list shows, or an event was lost.
 */
export class History {
  readonly #world: World;
  readonly #stopping = new AbortController();
  /** Version by name. */
  readonly #seen = new Map<string, string>();
  readonly #problems: string[] = [];
  #version = '';
  #running: Promise<void> = Promise.resolve();

  constructor(world: World) {
    this.#world = world;
  }

  async start(): Promise<void> {
    await this.#list();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** What it found wrong so far, and what differs from a list for longer than an event is under way. */
  async problems(): Promise<string[]> {
    const deadline = Date.now() + PATIENCE_MS;
    let differing = await this.#differing();
    while (differing.length > 0 && Date.now() < deadline) {
      await pause(RETRY_MS, this.#stopping.signal, systemClock);
      differing = await this.#differing();
    }
    return [...this.#problems.splice(0), ...differing];
  }

  async #differing(): Promise<string[]> {
    const { items } = await this.#world.client.of(VirtualMachine).list(at);
    const now = new Map(items.map(({ metadata: { name = '', resourceVersion = '' } }) => [name, resourceVersion]));
    return [...new Set([...now.keys(), ...this.#seen.keys()])]
      .filter((name) => now.get(name) !== this.#seen.get(name))
      .map((name) => `${name}: the list has version ${now.get(name)}, the watch came to ${this.#seen.get(name)}`);
  }

  async #list(): Promise<void> {
    const { items, metadata } = await this.#world.client.of(VirtualMachine).list(at);
    this.#seen.clear();
    for (const { metadata } of items) this.#seen.set(metadata.name ?? '', metadata.resourceVersion ?? '');
    this.#version = metadata.resourceVersion ?? '';
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#watch(signal);
      } catch (error) {
        // A history that is gone has to be read anew; everything else is a server that is away.
        if (error instanceof ApiError && error.code === 410) await this.#list().catch(() => {});
      }
      await pause(RETRY_MS, signal, systemClock);
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const options = { ...at, resourceVersion: this.#version, allowWatchBookmarks: true, signal };
    for await (const { type, object } of await this.#world.client.of(VirtualMachine).watch(options)) {
      if (type === 'ERROR') throw ApiError.from(object.code ?? 500, object);
      const { name = '', resourceVersion = '' } = object.metadata;
      if (type === 'BOOKMARK') this.#version = resourceVersion;
      else this.#take(type, name, resourceVersion);
    }
  }

  #take(type: 'ADDED' | 'MODIFIED' | 'DELETED', name: string, version: string): void {
    if (Number(version) <= Number(this.#version)) {
      this.#problems.push(`${name}: version ${version} came after ${this.#version}`);
    }
    if ((type === 'ADDED') === this.#seen.has(name)) {
      this.#problems.push(`${name}: ${type} for one that is ${this.#seen.has(name) ? 'known' : 'unknown'}`);
    }
    this.#version = version;
    if (type === 'DELETED') this.#seen.delete(name);
    else this.#seen.set(name, version);
  }
}
