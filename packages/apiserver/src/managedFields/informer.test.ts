import { ConfigMap } from '@vireo/api';
import { Client, Informer } from '@vireo/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
const stop = new AbortController();

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  stop.abort();
  await server?.close();
});

it('an object that an informer got over the network has no managed fields, and is written back without losing them', async () => {
  const at = { namespace: 'default' };
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', ...at }, data: { a: '1' } };
  const applied = await server.client
    .of(ConfigMap)
    .patch('one', body, { ...at, type: 'apply', fieldManager: 'jane', force: true });
  const maps = new Client(await server.overHttp()).of(ConfigMap);
  const informer = new Informer(maps, at);
  informer.start(stop.signal);
  await informer.whenSynced();
  const cached = informer.get('default/one') as ConfigMap;
  expect(cached.metadata).not.toHaveProperty('managedFields');
  expect(cached.data).toEqual({ a: '1' });

  const written = await maps.update({ ...cached, data: { ...cached.data, b: '2' } }, { fieldManager: 'controller' });
  expect(written.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['jane', 'controller']);
  expect(written.metadata.managedFields?.[0]).toEqual(applied.metadata.managedFields?.[0]);
});

it('of objects that come over the network, an informer keeps what it is told to keep', async () => {
  const at = { namespace: 'default' };
  await server.client.of(ConfigMap).create({ metadata: { name: 'large', ...at }, data: { text: 'large' } });
  const informer = new Informer(new Client(await server.overHttp()).of(ConfigMap), {
    ...at,
    trim: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
  });
  informer.start(stop.signal);
  await informer.whenSynced();
  expect(informer.get('default/large')?.metadata.name).toBe('large');
  expect(informer.list().map(({ data }) => data)).not.toContainEqual(expect.anything());
});
