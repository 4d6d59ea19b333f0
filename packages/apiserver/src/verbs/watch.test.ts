import { ApiError, ConfigMap, type UnknownObject } from '@vireo/api';
import type { Transport, WatchEvent } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';

const PATH = '/api/v1/namespaces/default/configmaps';

let server: TestServer;
let transport: Transport;
const stop = new AbortController();

beforeAll(async () => {
  server = await startTestServer();
  transport = await server.overHttp();
});
afterAll(async () => {
  stop.abort();
  await server.close();
});

const maps = () => server.client.of(ConfigMap);
const make = (name: string, labels: Record<string, string> = {}, data: Record<string, string> = {}) =>
  maps().create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', labels }, data });

type Seen = { type: string; name: string; object: UnknownObject };

/** Opens a watch and reads from it on demand. */
async function open(query: Record<string, string | boolean>, accept?: string) {
  const events = await transport.watch({
    method: 'GET',
    path: PATH,
    query: { watch: true, ...query },
    accept,
    signal: stop.signal,
  });
  const iterator = (events as AsyncIterable<WatchEvent<UnknownObject>>)[Symbol.asyncIterator]();
  const next = async (): Promise<Seen> => {
    const { value, done } = await iterator.next();
    if (done) return { type: 'END', name: '', object: {} as UnknownObject };
    return { type: value.type, name: value.object.metadata?.name ?? '', object: value.object };
  };
  return {
    next,
    take: async (count: number) => Array.from(await collect(count, next), ({ type, name }) => `${type} ${name}`),
  };
}

async function collect(count: number, next: () => Promise<Seen>): Promise<Seen[]> {
  const seen: Seen[] = [];
  while (seen.length < count) seen.push(await next());
  return seen;
}

const now = async (): Promise<string> =>
  (await maps().list({ namespace: 'default' })).metadata.resourceVersion as string;

describe('a watch', () => {
  it('without a version begins with the present state', async () => {
    await make('present');
    const watch = await open({ fieldSelector: 'metadata.name=present' });
    expect(await watch.take(1)).toEqual(['ADDED present']);
    await maps().delete('present', { namespace: 'default' });
    expect(await watch.take(1)).toEqual(['DELETED present']);
  });

  it('with a selector shows what enters as added and what leaves as deleted', async () => {
    const watch = await open({ labelSelector: 'in=yes', resourceVersion: await now() });
    await make('mover', { in: 'no' });
    await maps().patch('mover', { metadata: { labels: { in: 'yes' } } }, { namespace: 'default', type: 'merge' });
    await maps().patch('mover', { data: { a: 'b' } }, { namespace: 'default', type: 'merge' });
    const out = await maps().patch(
      'mover',
      { metadata: { labels: { in: 'no' } } },
      { namespace: 'default', type: 'merge' },
    );
    const seen = await collect(3, watch.next);
    expect(seen.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    // The last state inside the selection, at the version of the change that ended it.
    expect(seen[2]?.object.metadata.labels).toEqual({ in: 'yes' });
    expect(seen[2]?.object.metadata.resourceVersion).toBe(out.metadata.resourceVersion);
  });

  it('sends the initial state, then marks its end, when asked to (WatchList)', async () => {
    await make('listed-1', { list: 'me' });
    await make('listed-2', { list: 'me' });
    const watch = await open({
      labelSelector: 'list=me',
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    });
    const seen = await collect(3, watch.next);
    expect(seen.map(({ type, name }) => `${type} ${name}`)).toEqual(['ADDED listed-1', 'ADDED listed-2', 'BOOKMARK ']);
    expect(seen[2]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    await make('listed-3', { list: 'me' });
    expect(await watch.take(1)).toEqual(['ADDED listed-3']);
  });

  it('shows tables to those who ask for them, with the columns once', async () => {
    const since = await now();
    await make('tabled-1', { t: '1' }, { a: '1' });
    await make('tabled-2', { t: '1' }, { a: '1', b: '2' });
    const watch = await open(
      { labelSelector: 't=1', resourceVersion: since },
      'application/json;as=Table;v=v1;g=meta.k8s.io',
    );
    const tables = (await collect(2, watch.next)).map(
      ({ object }) => object as unknown as { columnDefinitions: unknown[] | null; rows: { cells: unknown[] }[] },
    );
    expect(tables.map(({ columnDefinitions }) => columnDefinitions?.length ?? null)).toEqual([3, null]);
    expect(tables.map(({ rows }) => rows[0]?.cells.slice(0, 2))).toEqual([
      ['tabled-1', 1],
      ['tabled-2', 2],
    ]);
  });

  it('ends after timeoutSeconds', async () => {
    const watch = await open({ resourceVersion: await now(), timeoutSeconds: '1' });
    expect(await watch.take(1)).toEqual(['END ']);
  });

  it('from a version whose history is gone is 410', async () => {
    const since = await now();
    await make('later');
    const { store } = server.server.api.core;
    await store.compact(store.revision);
    await expect(open({ resourceVersion: since })).rejects.toMatchObject({ code: 410, reason: 'Expired' });
  });

  it.each([
    [{ sendInitialEvents: true }, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'],
    [
      { resourceVersionMatch: 'Exact' },
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
    [{ resourceVersion: 'abc' }, 'resourceVersion'],
    [{ fieldSelector: 'spec.no=1' }, '"spec.no" is not a known field selector'],
    [{ labelSelector: 'a in (' }, 'unable to parse requirement: found'],
  ])('with %j is refused', async (query, message) => {
    const refusal = await open(query as Record<string, string | boolean>).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ApiError);
    expect((refusal as ApiError).code).toBeLessThan(500);
    expect((refusal as ApiError).message).toContain(message);
  });
});
