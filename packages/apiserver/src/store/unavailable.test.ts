import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigMap } from '@vireo/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** Makes SQLite answer as on a full disk; the result ends it. */
function fillDisk(): () => void {
  const change = (sql: string): void => {
    const database = new DatabaseSync(join(server.home, 'store.db'));
    database.exec(`PRAGMA busy_timeout = 5000; ${sql}`);
    database.close();
  };
  change("CREATE TRIGGER full BEFORE INSERT ON log BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END");
  return () => change('DROP TRIGGER full');
}

it('a server whose disk is full says so, stays up, and goes on when there is room', async () => {
  const maps = server.client.of(ConfigMap);
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', namespace: 'default' } };
  const readiness = async () => (await server.overHttp()).call({ method: 'GET', path: '/readyz' });

  const free = fillDisk();
  await expect(maps.create(map)).rejects.toMatchObject({
    code: 503,
    reason: 'ServiceUnavailable',
    message: 'core/configmaps/default/one was not stored: database or disk is full',
  });
  expect(await readiness()).toMatchObject({
    status: 500,
    body: expect.stringContaining('[-]store failed: database or disk is full'),
  });
  await expect(maps.get('one', { namespace: 'default' })).rejects.toMatchObject({ code: 404 });

  free();
  await maps.create(map);
  expect(await readiness()).toMatchObject({ status: 200 });
});
