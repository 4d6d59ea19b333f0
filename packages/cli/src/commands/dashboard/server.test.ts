import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadPage } from '@vireo/dashboard';
import type { CredentialSource } from '@vireo/kube';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type LocalDashboard, startDashboard } from './server.ts';

/** What the cluster was asked. */
const asked: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = [];
const cluster = createServer(async (incoming, response) => {
  const body = Buffer.concat(await incoming.toArray()).toString();
  asked.push({ method: incoming.method ?? '', url: incoming.url ?? '', headers: incoming.headers, body });
  const isKnown = incoming.headers.authorization !== 'Bearer ended';
  response.writeHead(isKnown ? (incoming.url?.includes('missing') ? 404 : 200) : 401, {
    'content-type': 'application/json',
    'set-cookie': 'cluster=1',
    'access-control-allow-origin': '*',
  });
  response.end('{"kind":"Status","message":"from the cluster"}');
});
const consoles = new WebSocketServer({ noServer: true });
cluster.on('upgrade', (incoming, socket, head) => {
  if (incoming.url?.includes('/refused/')) {
    socket.end(
      'HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{"kind":"Status","apiVersion":"v1","status":"Failure","message":"not yours","code":403}',
    );
    return;
  }
  consoles.handleUpgrade(incoming, socket, head, (guest) => {
    guest.send(
      Buffer.from(`hello ${incoming.headers.authorization} ${incoming.headers.cookie} ${incoming.headers.origin}`),
    );
    guest.on('message', (data) => (String(data) === 'bye' ? guest.close(1000, 'taken over by eve') : guest.send(data)));
  });
});

const clock = new FakeClock();
let dashboard: LocalDashboard;
/** What the kubeconfig has now, and whether the cluster has refused it. */
const login = { token: 'of-the-kubeconfig', next: 'of-the-kubeconfig' };
let authority: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => cluster.listen(0, '127.0.0.1', resolve));
  const server = `http://127.0.0.1:${(cluster.address() as AddressInfo).port}`;
  const credentials: CredentialSource = {
    get: async () => ({ token: login.token }),
    reject: () => {
      login.token = login.next;
    },
  };
  const page = await loadPage('/nowhere');
  dashboard = await startDashboard({
    cluster: { server, credentials, namespace: 'default' },
    namespace: 'shop',
    port: 0,
    page,
    clock,
  });
  authority = `127.0.0.1:${dashboard.port}`;
});
afterAll(async () => {
  await dashboard.close();
  cluster.close();
  cluster.closeAllConnections();
});
beforeEach(() => {
  asked.length = 0;
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends exactly this; a header that is undefined is left out. */
function send(
  path: string,
  {
    method = 'GET',
    body = '',
    ...more
  }: { method?: string; body?: string; headers?: Record<string, string | undefined> } = {},
): Promise<Answer> {
  const all = { host: authority, origin: `http://${authority}`, 'x-vireo-dashboard': '1', ...more.headers };
  const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: dashboard.port, path, method, headers, setHost: false },
      (response) => {
        response.toArray().then(
          (chunks) =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks).toString(),
            }),
          reject,
        );
      },
    );
    sent.on('error', reject).end(body);
  });
}

const codeOf = (address: string): string => new URLSearchParams(new URL(address).hash.slice(1)).get('code') ?? '';
const exchange = (code: string): Promise<Answer> =>
  send('/dashboard/session', { method: 'POST', body: JSON.stringify({ code }) });

async function logIn(): Promise<string> {
  const { status, headers } = await exchange(codeOf(dashboard.newAddress()));
  expect(status).toBe(204);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

describe('the code in the address', () => {
  it('is exchanged for a cookie that scripts and other sites do not get, named after the port', async () => {
    const { headers } = await exchange(codeOf(dashboard.newAddress()));
    expect(headers['set-cookie']?.[0]).toMatch(
      new RegExp(`^vireo-dashboard-${dashboard.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
  });

  it('counts once', async () => {
    const code = codeOf(dashboard.newAddress());
    expect((await exchange(code)).status).toBe(204);
    expect(await exchange(code)).toMatchObject({ status: 403, body: expect.stringContaining('used already') });
  });

  it('counts for a minute', async () => {
    const code = codeOf(dashboard.newAddress());
    clock.advance(60_001);
    const late = await exchange(code);
    expect(late.status).toBe(403);
    expect(late.headers['set-cookie']).toBeUndefined();
  });

  it.each(['', '{}', '{"code":1}', `{"code":"${'x'.repeat(5_000)}"}`])('is not %s', async (body) => {
    dashboard.newAddress();
    expect((await send('/dashboard/session', { method: 'POST', body })).status).toBe(403);
  });

  it('is in the fragment, which browsers send to nobody', () => {
    expect(new URL(dashboard.newAddress()).search).toBe('');
  });
});

describe('requests', () => {
  it('reach the cluster with the credentials of the kubeconfig, and without those of the page', async () => {
    const cookie = await logIn();
    const headers = {
      cookie,
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: 'Bearer mine',
      'x-remote-user': 'root',
    };
    const answer = await send('/apis/kubevirt.io/v1/x?a=1', { method: 'PUT', body: '{"a":1}', headers });
    expect(answer).toMatchObject({ status: 200, body: expect.stringContaining('from the cluster') });
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['content-security-policy']).toContain('sandbox');
    expect(asked).toMatchObject([{ method: 'PUT', url: '/apis/kubevirt.io/v1/x?a=1', body: '{"a":1}' }]);
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer of-the-kubeconfig' });
    for (const name of ['cookie', 'origin', 'x-remote-user', 'x-vireo-dashboard'])
      expect(Object.keys(asked[0]?.headers ?? {})).not.toContain(name);
  });

  it('are sent again, body and all, if their login has ended and the kubeconfig has another', async () => {
    const headers = { cookie: await logIn(), 'content-type': 'application/json' };
    login.token = 'ended';
    expect((await send('/api/v1/x', { method: 'POST', body: '{"a":1}', headers })).status).toBe(200);
    expect(asked.map(({ headers: { authorization }, body }) => `${authorization} ${body}`)).toEqual([
      'Bearer ended {"a":1}',
      'Bearer of-the-kubeconfig {"a":1}',
    ]);
  });

  it('are sent once if there is no other login', async () => {
    const headers = { cookie: await logIn() };
    Object.assign(login, { token: 'ended', next: 'ended' });
    expect((await send('/api/v1/x', { headers })).status).toBe(401);
    expect(asked).toHaveLength(1);
    Object.assign(login, { token: 'of-the-kubeconfig', next: 'of-the-kubeconfig' });
  });

  it('keep the status that the cluster gives', async () => {
    expect((await send('/api/v1/missing', { headers: { cookie: await logIn() } })).status).toBe(404);
  });

  it.each<[string, Record<string, string | undefined>, number]>([
    ['without a session', {}, 401],
    ['with the cookie of another', { cookie: 'vireo-dashboard-1=x' }, 401],
    ['of another host', { host: 'evil.example' }, 421],
    ['of a guest, at the address that it knows', { host: '10.0.2.2:80' }, 421],
    ['without a host', { host: undefined }, 400],
    ['of another origin', { origin: 'http://evil.example' }, 403],
    ['of another port', { 'sec-fetch-site': 'same-site' }, 403],
    ['of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['as somebody else', { 'impersonate-user': 'system:admin' }, 403],
    ['as a group', { 'Impersonate-Group': 'system:masters' }, 403],
    ['without our header', { 'x-vireo-dashboard': undefined }, 403],
  ])('%s are refused', async (_, headers, status) => {
    const cookie = headers.cookie ?? (status === 401 ? undefined : await logIn());
    expect((await send('/api/v1/secrets', { headers: { cookie, ...headers } })).status).toBe(status);
    expect(asked).toEqual([]);
  });

  it('that write say where they come from', async () => {
    const headers = { cookie: await logIn(), origin: undefined };
    expect((await send('/api/v1/secrets', { method: 'DELETE', headers })).status).toBe(403);
    expect((await send('/dashboard/session', { method: 'POST', headers, body: '{}' })).status).toBe(403);
    expect(asked).toEqual([]);
  });

  it.each([
    '/metrics',
    '/api/../metrics',
    '/api/%2e%2e/metrics',
    '/api/v1%2f..%2fsecrets',
    '/api\\..\\metrics',
    '//evil.example/api/v1',
    '/api/v1/namespaces/default/services/web/proxy/',
  ])('for %s go nowhere', async (path) => {
    expect((await send(path, { headers: { cookie: await logIn() } })).status).toBe(404);
    expect(asked).toEqual([]);
  });

  it('after twelve hours without one are refused', async () => {
    const headers = { cookie: await logIn() };
    clock.advance(12 * 3_600_000);
    expect((await send('/api/v1/pods', { headers })).status).toBe(200);
    clock.advance(12 * 3_600_000 + 1);
    expect((await send('/api/v1/pods', { headers })).status).toBe(401);
  });

  it('after logging out are refused', async () => {
    const cookie = await logIn();
    expect(JSON.parse((await send('/dashboard/session', { headers: { cookie } })).body)).toMatchObject({
      isOpen: true,
      namespace: 'shop',
    });
    expect((await send('/dashboard/session', { method: 'DELETE', headers: { cookie } })).status).toBe(204);
    expect((await send('/api/v1/secrets', { headers: { cookie } })).status).toBe(401);
    expect(JSON.parse((await send('/dashboard/session', { headers: { cookie } })).body)).toEqual({
      mode: 'local',
      isOpen: false,
    });
  });
});

const CONSOLE = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances';

/** Opens a WebSocket and gives what it said and how it ended; `talk` is called with each message. */
function listen(
  path: string,
  headers: Record<string, string>,
  talk: (text: string, socket: WebSocket) => void = () => {},
) {
  return new Promise<{ messages: string[]; code: number; reason: string; refused?: number }>((resolve) => {
    const socket = new WebSocket(`ws://${authority}${path}`, 'plain.kubevirt.io', { headers });
    const messages: string[] = [];
    socket.on('message', (data) => {
      messages.push(String(data));
      talk(String(data), socket);
    });
    socket.on('unexpected-response', (_, response) => {
      resolve({ messages, code: 0, reason: '', refused: response.statusCode ?? 0 });
      response.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', (code, reason) => resolve({ messages, code, reason: String(reason) }));
  });
}

describe('WebSockets', () => {
  it.each<[string, string, Record<string, string>, number]>([
    ['without an origin', '/dashboard/watches', { origin: '' }, 403],
    ['of another origin', '/dashboard/watches', { origin: 'http://evil.example' }, 403],
    ['without a session', '/dashboard/watches', { cookie: '' }, 401],
    ['to a shell in a pod', '/api/v1/namespaces/default/pods/web/exec', {}, 404],
    ['to nowhere', '/dashboard/other', {}, 404],
  ])('%s are refused', async (_, path, more, refused) => {
    const headers: Record<string, string> = { origin: `http://${authority}`, cookie: await logIn(), ...more };
    for (const name of Object.keys(headers)) if (headers[name] === '') delete headers[name];
    expect(await listen(path, headers)).toMatchObject({ refused });
  });

  it('carry a console both ways, and tell why it ended', async () => {
    const headers = { origin: `http://${authority}`, cookie: await logIn() };
    const { messages, code, reason } = await listen(`${CONSOLE}/web/console`, headers, (text, socket) => {
      socket.send(text.startsWith('hello') ? 'typed' : 'bye');
    });
    expect(messages).toEqual(['hello Bearer of-the-kubeconfig undefined undefined', 'typed']);
    expect([code, reason]).toEqual([1000, 'taken over by eve']);
  });

  it('tell why the cluster refuses a console', async () => {
    const headers = { origin: `http://${authority}`, cookie: await logIn() };
    expect(await listen(`${CONSOLE}/refused/console`, headers)).toMatchObject({ code: 4403, reason: 'not yours' });
  });

  it('end when the user logs out', async () => {
    const cookie = await logIn();
    const headers = { origin: `http://${authority}`, cookie };
    const ended = listen(`${CONSOLE}/web/console`, headers, () => {
      void send('/dashboard/session', { method: 'DELETE', headers: { cookie } });
    });
    expect((await ended).code).toBe(1006);
  });
});
