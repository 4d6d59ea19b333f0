import type { UnknownObject } from '@vireo/api';
import type { Transport, WatchEvent } from '@vireo/kube';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
let transport: Transport;
let round = 0;

beforeAll(async () => {
  server = await startTestServer();
  transport = await server.overHttp();
});
afterAll(() => server.close());

type Labels = 'none' | 'red' | 'blue';
type Write = { readonly action: 'create' | 'patch' | 'delete'; readonly name: string; readonly colour: Labels };
type Watch = {
  /** After how many writes of the first client it is opened, and how far back it begins. */
  readonly openedAt: number;
  readonly back: number;
  readonly selector: string;
};

const write = fc.record<Write>({
  action: fc.constantFrom('create', 'patch', 'delete'),
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  colour: fc.constantFrom('none', 'red', 'blue'),
});
const watch = fc.record<Watch>({
  openedAt: fc.nat(12),
  back: fc.nat(12),
  selector: fc.constantFrom('', 'colour=red', 'colour!=red', 'colour', 'metadata.name!=b', 'colour=none'),
});

const selectors = (selector: string): Record<string, string> =>
  selector.startsWith('metadata') ? { fieldSelector: selector } : selector ? { labelSelector: selector } : {};

async function doWrite(path: string, { action, name, colour }: Write, by: number): Promise<void> {
  const labels = { colour };
  const data = { by: String(by), at: String(Math.random()) };
  if (action === 'create') await transport.call({ method: 'POST', path, body: { metadata: { name, labels }, data } });
  else if (action === 'delete') await transport.call({ method: 'DELETE', path: `${path}/${name}` });
  else
    await transport.call({
      method: 'PATCH',
      path: `${path}/${name}`,
      body: { metadata: { labels }, data },
      contentType: 'application/merge-patch+json',
    });
}

type Item = Pick<UnknownObject, 'metadata'>;
type State = Map<string, Item>;
const keyed = (items: readonly Item[]): State => new Map(items.map((item) => [item.metadata.name as string, item]));

async function list(path: string, query: Record<string, string>): Promise<{ items: State; revision: string }> {
  const { body } = await transport.call({ method: 'GET', path, query });
  const { items, metadata } = body as { items: Item[]; metadata: { resourceVersion: string } };
  // A list of a built-in kind says once of which kind its items are; a watch says it in each event.
  for (const item of items) expect(item).not.toHaveProperty('kind');
  for (const item of items) expect(item).not.toHaveProperty('apiVersion');
  return { items: keyed(items), revision: metadata.resourceVersion };
}

/** Written when all else is done: each selector takes at least one of them, and the second is the last of both. */
const LAST: readonly Write[] = [
  { action: 'create', name: 'z-red', colour: 'red' },
  { action: 'create', name: 'z-none', colour: 'none' },
];

/** What a watch shows, up to the last object that it will ever show. */
async function follow(path: string, { selector }: Watch, since: string): Promise<WatchEvent<UnknownObject>[]> {
  const stop = new AbortController();
  const events = await transport.watch({
    method: 'GET',
    path,
    query: { watch: true, resourceVersion: since, ...selectors(selector) },
    signal: stop.signal,
  });
  const last = selector === 'colour=red' ? 'z-red' : 'z-none';
  const seen: WatchEvent<UnknownObject>[] = [];
  for await (const event of events as AsyncIterable<WatchEvent<UnknownObject>>) {
    seen.push(event);
    if (event.object.metadata.name === last) break;
  }
  stop.abort();
  return seen;
}

/** Applies an event to a state, and refuses what cannot follow. */
function apply(state: State, { type, object }: WatchEvent<UnknownObject>): void {
  const name = object.metadata.name as string;
  if (type === 'ADDED') expect(state.has(name)).toBe(false);
  else expect(state.has(name)).toBe(true);
  if (type === 'DELETED') state.delete(name);
  else {
    const { kind: _, apiVersion: __, ...item } = object;
    state.set(name, item);
  }
}

it('a watch from any revision shows each change once, in order, and leads to the final list', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(write, { maxLength: 12 }), { minLength: 1, maxLength: 3 }),
      fc.array(watch, { minLength: 1, maxLength: 5 }),
      async (clients, watches) => {
        const namespace = `laws-${++round}`;
        const path = `/api/v1/namespaces/${namespace}/configmaps`;
        await transport.call({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
        const revisions = [(await list(path, {})).revision];
        const following: Promise<WatchEvent<UnknownObject>[]>[] = [];
        const begun: { watch: Watch; since: string }[] = [];
        const openDue = (written: number): void => {
          for (const each of watches.filter(({ openedAt }) => openedAt === written)) {
            const since = revisions[Math.max(0, revisions.length - 1 - each.back)] as string;
            begun.push({ watch: each, since });
            following.push(follow(path, each, since));
          }
        };
        const first = async (): Promise<void> => {
          for (let written = 0; written <= 12; written++) {
            openDue(written);
            const next = clients[0]?.[written];
            if (next) await doWrite(path, next, 0);
            revisions.push(String(server.server.api.core.store.revision));
          }
        };
        const others = clients.slice(1).map(async (writes, index) => {
          for (const next of writes) await doWrite(path, next, index + 1);
        });
        await Promise.all([first(), ...others]);

        for (const last of LAST) await doWrite(path, last, 0);

        const seen = await Promise.all(following);
        const finals = await Promise.all(begun.map(({ watch: { selector } }) => list(path, selectors(selector))));
        const starts = await Promise.all(
          begun.map(({ watch: { selector }, since }) =>
            list(path, { ...selectors(selector), resourceVersion: since, resourceVersionMatch: 'Exact' }),
          ),
        );
        for (const [index, events] of seen.entries()) {
          const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
          expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
          const state = starts[index]?.items as State;
          for (const event of events) apply(state, event);
          expect(state).toEqual(finals[index]?.items);
        }
      },
    ),
    { numRuns: 25, endOnFailure: true },
  );
});
