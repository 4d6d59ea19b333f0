import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Store, StoreCompacted, StoreConflict, type StoreEvent } from '../store.ts';
import { body, type Followed, follow } from './writes.ts';

const KEYS = ['/nodes/n', '/pods/a/x', '/pods/a/y', '/pods/a-b/x', '/pods/b/x', 'apps/sets/a/x'];
const PREFIXES = ['', '/', '/pods/', '/pods/a/', '/pods/a/x', '/pods/b', 'apps/', 'apps/sets/', 'none/such/'];

export const key = fc.constantFrom(...KEYS);
const prefix = fc.constantFrom(...PREFIXES);
/** Where in the past, as a share of what there is. */
const back = fc.double({ min: 0, max: 1, noNaN: true });

/** What a random test does to the store. */
export const commands = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant('put' as const), key, value: fc.jsonValue({ maxDepth: 2 }) }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('delete' as const), key }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('stale' as const), key, off: fc.constantFrom(-2, -1, 1, 5) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('burst' as const),
      keys: fc.array(key, { maxLength: 8 }),
      turns: fc.integer({ min: 0, max: 3 }),
      prefix,
      back,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record(
      { type: fc.constant('list' as const), prefix, startAfter: key, limit: fc.integer({ min: 1, max: 4 }) },
      { requiredKeys: ['type', 'prefix'] },
    ),
  },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('watch' as const), prefix, back }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('compact' as const), back }) },
);
export type Command = typeof commands extends fc.Arbitrary<infer T> ? T : never;

/** A change as the model remembers it: values as JSON text. */
interface Change {
  readonly type: StoreEvent['type'];
  readonly revision: number;
  readonly key: string;
  readonly value: string;
  readonly previous: { revision: number; value: string } | undefined;
}

interface Watch {
  readonly prefix: string;
  readonly since: number;
  readonly seen: Followed;
}

/** The store as simple as can be: every change there ever was. Runs commands on both and compares. */
export class Model {
  #store: Store;
  #changes: Change[] = [];
  #compacted: number;
  #watches: Watch[] = [];

  constructor(store: Store) {
    this.#store = store;
    this.#compacted = store.compactRevision;
  }

  async run(command: Command): Promise<void> {
    switch (command.type) {
      case 'put':
        await this.#put(command.key, JSON.stringify(command.value));
        break;
      case 'delete':
        await this.#delete(command.key);
        break;
      case 'stale':
        await this.#refuseStale(command.key, command.off);
        break;
      case 'burst': {
        const writes = this.burst(command.keys);
        for (let turn = 0; turn < command.turns; turn++) await setImmediate();
        // Starts while the writes are on their way.
        this.#watch(command.prefix, command.back);
        await writes;
        break;
      }
      case 'list':
        this.#list(command.prefix, command.startAfter, command.limit);
        break;
      case 'watch':
        this.#watch(command.prefix, command.back);
        break;
      case 'compact':
        this.#compacted = this.#at(command.back);
        await this.#store.compact(this.#compacted);
        break;
    }
    expect(this.#store.revision).toBe(this.#newest());
    expect(this.#store.compactRevision).toBe(this.#compacted);
  }

  /** Writes all at once; of several to one key the first wins. `acknowledged` hears of each as it is done. */
  async burst(keys: string[], acknowledged: (revision: number) => void = () => {}): Promise<void> {
    const firsts = keys.map((each, i) => keys.indexOf(each) === i);
    const writes = keys.map(async (each, i) => {
      const stored = await this.#store.write(each, this.#current(each)?.revision ?? 0, body(each, { value: i }));
      acknowledged(stored.revision);
      return stored.revision;
    });
    const results = await Promise.allSettled(writes);
    expect(results.map(({ status }) => status)).toEqual(firsts.map((won) => (won ? 'fulfilled' : 'rejected')));
    results.forEach((result, i) => {
      if (result.status === 'fulfilled') this.#changed(keys[i]!, result.value, String(i));
      else expect(result.reason).toBeInstanceOf(StoreConflict);
    });
  }

  /** Every watch has seen its changes, each once and in order; then the store is closed. */
  async finish(): Promise<void> {
    for (const { prefix, since, seen } of this.#watches) {
      const expected = this.#changes.filter((each) => each.revision > since && covers(prefix, each.key));
      const last = expected.at(-1);
      if (last !== undefined) await seen.reached(last.revision);
      expect(seen.events.map(toChange)).toEqual(expected);
    }
    this.#list('');
    this.#watches = [];
    await this.#store.close();
  }

  /** Goes on with another store, which has the changes up to its revision. */
  reopened(store: Store): void {
    this.#store = store;
    this.#changes = this.#changes.filter(({ revision }) => revision <= store.revision);
    expect(store.revision).toBe(this.#newest());
    expect(store.compactRevision).toBe(this.#compacted);
    this.#list('');
    this.#watch('', 1);
    this.#watch('', 0);
  }

  async #put(each: string, value: string): Promise<void> {
    const fields = { value: JSON.parse(value) as unknown };
    const stored = await this.#store.write(each, this.#current(each)?.revision ?? 0, body(each, fields));
    this.#changed(each, stored.revision, value);
  }

  async #delete(each: string): Promise<void> {
    const current = this.#current(each);
    const deletion = this.#store.write(each, current?.revision ?? -1, () => undefined);
    if (current === undefined) {
      await expect(deletion).rejects.toBeInstanceOf(StoreConflict);
      return;
    }
    const { revision } = await deletion;
    this.#changes.push({ type: 'DELETED', revision, key: each, value: current.value, previous: versionOf(current) });
  }

  async #refuseStale(each: string, off: number): Promise<void> {
    const current = this.#current(each)?.revision;
    const write = this.#store.write(each, (current ?? 0) + off, body(each));
    const error = await write.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreConflict);
    expect((error as StoreConflict).current?.revision).toBe(current);
  }

  #list(prefix: string, startAfter?: string, limit = Number.POSITIVE_INFINITY): void {
    const all = KEYS.filter((each) => covers(prefix, each) && this.#current(each) !== undefined).sort();
    const page = all.filter((each) => startAfter === undefined || each > startAfter).slice(0, limit);
    const found = this.#store.list(prefix, { startAfter, limit });
    expect(found.map(({ key, revision, object }) => [key, revision, JSON.stringify(object.value)])).toEqual(
      page.map((each) => [each, this.#current(each)!.revision, this.#current(each)!.value]),
    );
    expect(this.#store.count(prefix)).toBe(all.length);
    for (const each of KEYS) expect(this.#store.get(each)?.revision).toBe(this.#current(each)?.revision);
  }

  #watch(prefix: string, share: number): void {
    const since = this.#at(share);
    this.#watches.push({ prefix, since, seen: follow(this.#store, prefix, since) });
    if (this.#compacted > 0) {
      expect(() => this.#store.watch(prefix, this.#compacted - 1, () => {})).toThrow(StoreCompacted);
    }
  }

  #changed(each: string, revision: number, value: string): void {
    const current = this.#current(each);
    const type = current === undefined ? 'ADDED' : 'MODIFIED';
    this.#changes.push({ type, revision, key: each, value, previous: current && versionOf(current) });
  }

  #current(each: string): Change | undefined {
    const last = this.#changes.findLast((change) => change.key === each);
    return last?.type === 'DELETED' ? undefined : last;
  }

  #newest(): number {
    return Math.max(this.#changes.at(-1)?.revision ?? 1, this.#compacted);
  }

  /** A revision between the compaction (1) and now (0). */
  #at(share: number): number {
    return Math.round(this.#newest() - share * (this.#newest() - this.#compacted));
  }
}

const covers = (prefix: string, each: string): boolean =>
  prefix === '' || prefix.endsWith('/') ? each.startsWith(prefix) : each === prefix;

const versionOf = ({ revision, value }: Change): Change['previous'] => ({ revision, value });

const toChange = ({ type, revision, key, current, previous }: StoreEvent): Change => {
  expect(current.object.metadata.resourceVersion).toBe(String(revision));
  return {
    type,
    revision,
    key,
    value: JSON.stringify(current.object.value),
    previous: previous && { revision: previous.revision, value: JSON.stringify(previous.object.value) },
  };
};
