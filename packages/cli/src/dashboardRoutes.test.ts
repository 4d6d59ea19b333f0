import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@vireo/apiserver';
import { loadPage } from '@vireo/dashboard';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addDashboardRoutes } from './dashboardRoutes.ts';

let home: string;
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'vireo-dashboard-'));
  const built = join(home, 'page');
  mkdirSync(join(built, 'assets'), { recursive: true });
  writeFileSync(join(built, 'index.html'), '<title>Vireo</title>');
  writeFileSync(join(built, 'assets/main-1.js'), 'main()');
  server = await startServer({ home, port: 0, host: '127.0.0.1' });
  addDashboardRoutes(server.api, { load: () => loadPage(built) });
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

/** Without any credentials; the path goes out as it is. */
function ask(
  path: string,
  method = 'GET',
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: IncomingMessage['headers']; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: server.port, path, method, headers, rejectUnauthorized: false },
      (response) => {
        response.toArray().then((chunks) => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          });
        }, reject);
      },
    );
    sent.on('error', reject).end();
  });
}

it('the page needs no login, the API does', async () => {
  expect(await ask('/dashboard/')).toMatchObject({ status: 200, body: '<title>Vireo</title>' });
  expect((await ask('/dashboard/assets/main-1.js')).headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect((await ask('/apis/kubevirt.io/v1/virtualmachines')).status).toBe(403);
});

it('the page is told that users log in with a token', async () => {
  const { status, headers, body } = await ask('/dashboard/session?x=1');
  expect([status, headers['content-type'], JSON.parse(body)]).toEqual([
    200,
    'application/json',
    { mode: 'token', providers: [], hasCertificate: false },
  ]);
});

it.each(['/dashboard/../api/v1/secrets', '/dashboard/assets/../../store.db', '/dashboard/%2e%2e/api/v1/secrets'])(
  '%s leads nowhere else',
  async (path) => {
    const { status, headers } = await ask(path);
    expect([200, 404]).toContain(status);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-type']).toMatch(/^text\//);
  },
);

it('nothing is written there, and other paths are the API', async () => {
  expect((await ask('/dashboard/', 'POST')).status).toBe(405);
  expect((await ask('/dashboard')).headers.location).toBe('/dashboard/');
  expect((await ask('/dashboards')).headers['content-type']).toBe('application/json');
});

const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)',
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
};

it.each(['/', '/?x=1'])('%s leads a browser to the dashboard', async (path) => {
  const { status, headers } = await ask(path, 'GET', BROWSER);
  expect([status, headers.location]).toEqual([302, '/dashboard/']);
});

it.each([
  ['a program', 'GET', '/', { 'user-agent': 'kubectl/v1.36.0', accept: 'application/json' }],
  ['a program that sends nothing', 'GET', '/', {}],
  ['a page that asks for JSON', 'GET', '/', { ...BROWSER, accept: 'application/json' }],
  ['a browser that sends something', 'POST', '/', BROWSER],
  ['a browser that looks at the API', 'GET', '/api', BROWSER],
])('%s gets to the API', async (_, method, path, sent) => {
  const { status, headers } = await ask(path, method, sent);
  expect([status, headers.location]).toEqual([403, undefined]);
});
