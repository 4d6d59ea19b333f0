import { ApiError, type Kind, type KubeObject } from '@vireo/api';
import { pause, systemClock } from '@vireo/kube';
import { Chronicle, type Entry, type Listed } from './chronicle.ts';
import { at } from './objects.ts';
import type { TestBed } from './testBed.ts';

const RETRY_MS = 100;
/** How long an event may be under way on a busy host. */
const TIMEOUT_MS = 15_000;

const toListed = ({ metadata: { name = '', resourceVersion = '' } }: KubeObject): Listed => ({
  name,
  version: resourceVersion,
});

/**
 * Watches objects of one kind as a careful client does: from the last version that it has seen, again and again,
 * however often its connection is cut. `judge` says what is wrong with an object by itself.
 */
export class History<T extends KubeObject> {
  readonly #testBed: TestBed;
  readonly #kind: Kind<T>;
  readonly #judge: (object: T) => readonly string[];
  readonly #stopping = new AbortController();
  readonly #chronicle = new Chronicle();
  #running: Promise<void> = Promise.resolve();
  /** How often the watch was begun again, and how often that was not possible from where it had been. */
  readonly counts = { events: 0, resumed: 0, relisted: 0 };

  constructor(testBed: TestBed, kind: Kind<T>, judge: (object: T) => readonly string[] = () => []) {
    this.#testBed = testBed;
    this.#kind = kind;
    this.#judge = judge;
  }

  async start(): Promise<void> {
    await this.#list();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** What was wrong since it was last asked. To be called when nothing changes any more. */
  async problems(): Promise<string[]> {
    const deadline = Date.now() + TIMEOUT_MS;
    let differing = await this.#differing();
    while (differing.length > 0 && Date.now() < deadline) {
      await pause(RETRY_MS, this.#stopping.signal, systemClock);
      differing = await this.#differing();
    }
    const { lastVersion } = this.#chronicle;
    const gaps = lastVersion === undefined ? [] : this.#chronicle.gaps(await this.#replay(lastVersion));
    this.counts.events += this.#chronicle.length;
    this.#chronicle.mark();
    return [...this.#chronicle.takeProblems(), ...differing, ...gaps].map(
      (problem) => `watch of ${this.#kind.plural}: ${problem}`,
    );
  }

  async #differing(): Promise<string[]> {
    const { items } = await this.#testBed.client.of(this.#kind).list(at);
    return this.#chronicle.differing(items.map(toListed));
  }

  /** What a watch of now tells of the same time, up to a version; whatever is missing at its end is missing for good. */
  async #replay(last: string): Promise<Entry[]> {
    const entries: Entry[] = [];
    const timeoutSeconds = TIMEOUT_MS / 1000;
    const options = { ...at, resourceVersion: this.#chronicle.markedAt, timeoutSeconds };
    for await (const event of await this.#testBed.client.of(this.#kind).watch(options)) {
      if (event.type === 'ERROR') throw ApiError.from(event.object.code ?? 500, event.object);
      if (event.type !== 'BOOKMARK') entries.push({ type: event.type, ...toListed(event.object as KubeObject) });
      if (Number(event.object.metadata.resourceVersion) >= Number(last)) break;
    }
    return entries;
  }

  async #list(): Promise<void> {
    const { items, metadata } = await this.#testBed.watcher.of(this.#kind).list(at);
    this.#chronicle.begin(metadata.resourceVersion ?? '', items.map(toListed));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#watch(signal);
      } catch (error) {
        // A history that is gone has to be read anew; everything else is a server that is away.
        if (error instanceof ApiError && error.code === 410) {
          this.counts.relisted++;
          await this.#list().catch(() => {});
        }
      }
      await pause(RETRY_MS, signal, systemClock);
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const options = { ...at, resourceVersion: this.#chronicle.version, allowWatchBookmarks: true, signal };
    const events = await this.#testBed.watcher.of(this.#kind).watch(options);
    this.counts.resumed++;
    for await (const { type, object } of events) {
      if (type === 'ERROR') throw ApiError.from(object.code ?? 500, object);
      if (type === 'BOOKMARK') this.#chronicle.bookmark(object.metadata.resourceVersion ?? '');
      else {
        this.#chronicle.take({ type, ...toListed(object) });
        for (const problem of this.#judge(object)) this.#chronicle.object(problem);
      }
    }
  }
}
