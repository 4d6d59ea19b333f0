import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import { join } from 'node:path';
import { exposition } from '@vireo/kube';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Subscription } from '../store/store.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
const open = new Set<Subscription>();
const log = vi.spyOn(console, 'error').mockImplementation(() => {});

beforeAll(async () => {
  server = await startTestServer();
  const { store } = server.server.api.core;
  const watch = store.watch.bind(store);
  vi.spyOn(store, 'watch').mockImplementation((...args) => {
    const subscription = watch(...args);
    open.add(subscription);
    const close = subscription.close.bind(subscription);
    subscription.close = () => {
      open.delete(subscription);
      close();
    };
    return subscription;
  });
});
afterAll(() => server.close());

function connect(): http2.ClientHttp2Session {
  const read = (name: string): Buffer => readFileSync(join(server.home, 'pki', name));
  const session = http2.connect(`https://127.0.0.1:${server.server.port}`, {
    ca: read('ca.crt'),
    cert: read('admin.crt'),
    key: read('admin.key'),
  });
  session.on('error', () => {});
  return session;
}

const watchPath = (query: string): string => `/api/v1/namespaces/default/configmaps?watch=true&${query}`;

/** A watch whose headers have come. */
async function openWatch(session: http2.ClientHttp2Session, query = ''): Promise<http2.ClientHttp2Stream> {
  const stream = session.request({ ':path': watchPath(query) });
  stream.on('error', () => {});
  stream.resume();
  await new Promise((resolve) => stream.once('response', resolve));
  return stream;
}

const longRunning = async (): Promise<number> =>
  Number(/^apiserver_longrunning_requests (\d+)$/m.exec(await exposition(server.server.api.components))?.[1]);

it('a client that opens hundreds of watches and goes away leaves nothing', async () => {
  const before = open.size;
  const session = connect();
  await Promise.all(
    Array.from({ length: 900 }, (_, index) =>
      openWatch(session, index % 2 ? 'labelSelector=a%3Db&allowWatchBookmarks=true' : 'resourceVersion=0'),
    ),
  );
  expect(await longRunning()).toBe(900);
  expect(open.size).toBe(before + 900);
  session.destroy();
  await vi.waitFor(async () => expect(await longRunning()).toBe(0), { timeout: 20_000 });
  expect(open.size).toBe(before);
});

it('watches that end by themselves leave nothing', async () => {
  const before = open.size;
  const session = connect();
  const stream = await openWatch(session, 'timeoutSeconds=1');
  await new Promise((resolve) => stream.once('end', resolve));
  await vi.waitFor(async () => expect(await longRunning()).toBe(0));
  expect(open.size).toBe(before);
  session.close();
});

it('a stream that fails at its start is cut off, not left hanging', async () => {
  const { store } = server.server.api.core;
  const failure = vi.mocked(store.watch).getMockImplementation();
  const before = open.size;
  vi.mocked(store.watch).mockImplementation(() => {
    throw new Error('on purpose, for the test of failing streams');
  });
  const session = connect();
  const stream = session.request({ ':path': watchPath('resourceVersion=0') });
  stream.resume();
  const failed = await new Promise((resolve) => stream.once('error', resolve));
  expect(failed).toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' });
  expect(log.mock.calls.flat().join('\n')).toContain('on purpose, for the test of failing streams');
  vi.mocked(store.watch).mockImplementation(failure as typeof store.watch);
  expect(await longRunning()).toBe(0);
  expect(open.size).toBe(before);
  session.close();
});

it('a HEAD of a watch has headers and an end', async () => {
  const session = connect();
  const stream = session.request({ ':method': 'HEAD', ':path': watchPath('') });
  stream.resume();
  const [headers] = await Promise.all([
    new Promise<http2.IncomingHttpHeaders>((resolve) => stream.once('response', resolve)),
    new Promise((resolve) => stream.once('close', resolve)),
  ]);
  expect(headers[':status']).toBe(200);
  expect(await longRunning()).toBe(0);
  session.close();
});

it('a client that does not read a big response holds up nobody', async () => {
  const maps = '/api/v1/namespaces/default/configmaps';
  const transport = await server.overHttp();
  const data = { a: 'x'.repeat(1_000_000) };
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      transport.call({ method: 'POST', path: maps, body: { metadata: { name: `big-${index}` }, data } }),
    ),
  );
  const session = connect();
  const slow = session.request({ ':path': maps });
  await new Promise((resolve) => slow.once('response', resolve));
  expect(await transport.call({ method: 'GET', path: '/version' })).toMatchObject({ status: 200 });
  let bytes = 0;
  for await (const chunk of slow) bytes += (chunk as Buffer).length;
  expect(bytes).toBeGreaterThan(20_000_000);
  session.close();
});

it('closing the server ends open watches in order', async () => {
  const own = await startTestServer();
  const transport = await own.overHttp();
  const watches = await Promise.all(
    Array.from({ length: 20 }, () =>
      transport.watch({ method: 'GET', path: '/api/v1/configmaps', query: { watch: true } }),
    ),
  );
  const ends = watches.map(async (events) => {
    for await (const { type } of events) expect(type).toBe('ADDED');
    return 'ended';
  });
  await own.server.close();
  // A stream that is cut off throws instead.
  expect(await Promise.all(ends)).toEqual(Array(20).fill('ended'));
  await own.close();
});
