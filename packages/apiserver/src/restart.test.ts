import { ConfigMap, type UnknownObject } from '@vireo/api';
import type { WatchEvent } from '@vireo/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callsOver } from './testing/calls.ts';
import { startTestServer, type TestServer } from './testing/server.ts';
import { define } from './testing/widgets.ts';

const COUNT = 3000;
const MAPS = '/api/v1/namespaces/default/configmaps';
const WIDGETS = '/apis/restart.example.com/v1/namespaces/default/widgets';

let server: TestServer;
const calls = callsOver(async () => server.inProcess());

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

it('a server that starts again on its home goes on where it stopped', async () => {
  const maps = server.client.of(ConfigMap);
  const data = { text: 'x'.repeat(1000) };
  for (let start = 0; start < COUNT; start += 500)
    await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        maps.create({ metadata: { name: `m${String(start + index).padStart(5, '0')}`, namespace: 'default' }, data }),
      ),
    );
  await define(calls, { group: 'restart.example.com', versions: [{ subresources: { status: {} } }] });
  await calls.post(WIDGETS, { metadata: { name: 'w' }, spec: { a: 1 } });
  const page = await calls.get(MAPS, { query: { limit: 2000 } });
  const { continue: token } = page.body.metadata as { continue?: string };
  await maps.delete('m02500', { namespace: 'default' });
  const before = await calls.get(MAPS);

  server = await server.restart();

  const after = await calls.get(MAPS);
  expect(after.body.items).toEqual(before.body.items);
  expect((await calls.get(`${WIDGETS}/w`)).body).toMatchObject({ spec: { a: 1 } });
  const rest = await calls.get(MAPS, { query: { continue: token } });
  expect(rest.status).toBe(200);
  expect(rest.body.metadata.resourceVersion).toBe(page.body.metadata.resourceVersion);
  expect(rest.body.items.some(({ metadata }) => metadata.name === 'm02500')).toBe(true);
  const stop = new AbortController();
  const events = await server.inProcess().watch({
    method: 'GET',
    path: MAPS,
    query: { resourceVersion: page.body.metadata.resourceVersion },
    signal: stop.signal,
  });
  for await (const { type, object } of events as AsyncIterable<WatchEvent<UnknownObject>>) {
    expect([type, object.metadata.name]).toEqual(['DELETED', 'm02500']);
    break;
  }
  stop.abort();
});
