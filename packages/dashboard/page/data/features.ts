import type { Served } from '../decisions/features.ts';
import type { Api } from './api.ts';
import { Refused } from './refused.ts';

interface ResourceList {
  readonly resources?: readonly { readonly name: string }[];
}

/** After how long a group is asked for again if the server did not answer. */
const RETRY_MS = 5_000;

/** What the API of the server has, as discovery says: each group is asked for once, when somebody wants to know. */
export class Features {
  readonly #api: Pick<Api, 'request'>;
  /** By group and version; undefined while the server has not answered. */
  readonly #groups = new Map<string, ReadonlySet<string> | undefined>();
  readonly #listeners = new Set<() => void>();
  #version = 0;

  constructor(api: Pick<Api, 'request'>) {
    this.#api = api;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes with every answer. */
  readonly version = (): number => this.#version;

  /** Whether the server has it; undefined: it has not answered yet. */
  readonly has = ({ group, version, resource }: Served): boolean | undefined => {
    const key = `${group}/${version}`;
    if (!this.#groups.has(key)) {
      this.#groups.set(key, undefined);
      void this.#ask(key);
    }
    return this.#groups.get(key)?.has(resource);
  };

  async #ask(key: string): Promise<void> {
    try {
      const { resources = [] } = await this.#api.request<ResourceList>('GET', `/apis/${key}`);
      this.#groups.set(key, new Set(resources.map(({ name }) => name)));
    } catch (error) {
      if (error instanceof Refused && error.code === 404) this.#groups.set(key, new Set());
      else setTimeout(() => this.#forget(key), RETRY_MS);
    }
    this.#tell();
  }

  #forget(key: string): void {
    this.#groups.delete(key);
    this.#tell();
  }

  #tell(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
