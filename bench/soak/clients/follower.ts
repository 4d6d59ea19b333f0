import { ApiError, type UnknownObject } from '@vireo/api';
import type { Client, ResourceRef } from '@vireo/kube';
import { Chronicle } from '../../../faults/chronicle.ts';
import { placeOf } from './ledger.ts';

/** Watches all objects of a kind from beginning to end, over connections that it gives up now and then. */
export class Follower {
  readonly ref: ResourceRef;
  readonly chronicle = new Chronicle();
  /** Every event as place and version. */
  readonly seen = new Set<string>();
  readonly #client: Client;
  readonly #stop = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  constructor(client: Client, ref: ResourceRef) {
    this.#client = client;
    this.ref = ref;
  }

  /** Resolves when it watches. */
  async start(secondsEach: number): Promise<void> {
    const { metadata, items } = await this.#client.of<UnknownObject>(this.ref).list();
    this.chronicle.begin(metadata.resourceVersion ?? '', items.map(listed));
    this.#ended = this.#follow(secondsEach);
  }

  async #follow(secondsEach: number): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const resourceVersion = this.chronicle.version;
      const options = { resourceVersion, timeoutSeconds: secondsEach, allowWatchBookmarks: true, signal };
      try {
        for await (const event of await this.#client.of<UnknownObject>(this.ref).watch(options)) {
          if (event.type === 'ERROR') throw new ApiError(event.object.reason, event.object.message ?? 'no message');
          if (event.type === 'BOOKMARK') this.chronicle.bookmark(event.object.metadata.resourceVersion ?? '');
          else {
            this.chronicle.take({ type: event.type, ...listed(event.object) });
            this.seen.add(`${placeOf(event.object)}@${event.object.metadata.resourceVersion}`);
          }
        }
      } catch (error) {
        if (signal.aborted) return;
        this.chronicle.object(`the watch of ${this.ref.plural} broke: ${(error as Error).message}`);
      }
      this.chronicle.mark();
    }
  }

  /** What it should have seen and did not; waits until it has seen the last write. */
  async problems(writes: ReadonlySet<string>): Promise<string[]> {
    const { metadata, items } = await this.#client.of<UnknownObject>(this.ref).list();
    const isLate = (): boolean => this.chronicle.differing(items.map(listed)).length > 0;
    for (let tries = 0; tries < 100 && isLate(); tries++) await new Promise((resolve) => setTimeout(resolve, 50));
    this.#stop.abort();
    await this.#ended;
    const missed = [...writes]
      .filter((write) => write.startsWith(`${this.ref.kind} `) && !this.seen.has(write))
      .map((write) => `no watch saw ${write}`);
    const late = this.chronicle
      .differing(items.map(listed))
      .map((each) => `at version ${metadata.resourceVersion}: ${each}`);
    return [...this.chronicle.takeProblems(), ...late, ...missed];
  }
}

const listed = ({ metadata }: UnknownObject) => ({
  name: `${metadata.namespace}/${metadata.name}`,
  version: metadata.resourceVersion ?? '',
});
