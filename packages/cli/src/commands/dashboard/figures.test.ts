import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadPage } from '@vireo/dashboard';
import { staticCredentials } from '@vireo/kube';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type LocalDashboard, startDashboard } from './server.ts';

/** A cluster that counts what it is asked. Its user may list machines in the namespace `shop` only. */
const asked: string[] = [];
const clock = new FakeClock();
const cluster = createServer((incoming, response) => {
  const path = incoming.url?.split('?')[0] ?? '';
  asked.push(`${path} ${incoming.headers.authorization}`);
  const json = { 'content-type': 'application/json' };
  if (path === '/version') return response.writeHead(200, json).end('{"gitVersion":"v1.36.0+vireo"}');
  if (path.startsWith('/apis/kubevirt.io/'))
    return response.writeHead(path.includes('/namespaces/shop/') ? 200 : 403, json).end('{}');
  if (path === '/api/v1/nodes') return response.writeHead(200, json).end('{"items":[]}');
  const line = (namespace: string) =>
    `kubevirt_vmi_cpu_usage_seconds_total{namespace="${namespace}",name="web"} ${clock.now() / 2_000}\n`;
  return response.writeHead(200, { 'content-type': 'text/plain' }).end(line('shop') + line('bank'));
});

let dashboard: LocalDashboard;
let origin: string;
let cookie: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => cluster.listen(0, '127.0.0.1', resolve));
  const server = `http://127.0.0.1:${(cluster.address() as AddressInfo).port}`;
  const credentials = staticCredentials({ token: 'of-the-kubeconfig' });
  const page = await loadPage('/nowhere');
  const target = { server, credentials, namespace: 'default' };
  dashboard = await startDashboard({ cluster: target, namespace: 'shop', port: 0, page, clock });
  origin = `http://127.0.0.1:${dashboard.port}`;
  const code = new URLSearchParams(new URL(dashboard.newAddress()).hash.slice(1)).get('code');
  const headers = { origin, 'x-vireo-dashboard': '1' };
  const session = await fetch(`${origin}/dashboard/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ code }),
  });
  cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
});
afterAll(async () => {
  await dashboard.close();
  cluster.close();
  cluster.closeAllConnections();
});
beforeEach(() => {
  asked.length = 0;
});

/** What came, and how it ended. */
interface Heard {
  readonly messages: { id?: number; told?: { kind: string; machines?: { key: string; figures: object }[] } }[];
  readonly ended: Promise<number>;
  readonly socket: WebSocket;
}

function listen(wanted: unknown, headers: Record<string, string> = { origin, cookie }): Heard {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/dashboard/figures`, { headers });
  const messages: Heard['messages'] = [];
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  socket.on('open', () => socket.send(typeof wanted === 'string' ? wanted : JSON.stringify({ id: 1, wanted })));
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  socket.on('unexpected-response', (_, response) => {
    resolve(response.statusCode ?? 0);
    response.destroy();
  });
  socket.on('error', () => {});
  socket.on('close', resolve);
  return { messages, ended, socket };
}

const scrapes = (): string[] => asked.filter((path) => path.startsWith('/metrics'));
const soon = { timeout: 5_000, interval: 10 };

describe('figures', () => {
  it.each<[string, Record<string, string>, number]>([
    ['of another origin', { origin: 'http://evil.example' }, 403],
    ['without an origin', {}, 403],
    ['of another port', { 'sec-fetch-site': 'same-site' }, 403],
    ['without a session', { cookie: '' }, 401],
  ])('are not given to a page %s', async (about, more, status) => {
    const headers: Record<string, string> = { ...(about === 'without an origin' ? {} : { origin }), cookie, ...more };
    const { ended, messages } = listen({ namespace: 'shop' }, headers);
    expect(await ended).toBe(status);
    expect(messages).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('are read with the credentials of the kubeconfig while a page looks, and not after', async () => {
    const { messages, socket, ended } = listen({ namespace: 'shop' });
    await expect.poll(() => messages.length, soon).toBe(1);
    expect(scrapes()).toEqual(['/metrics Bearer of-the-kubeconfig']);
    clock.advance(3_000);
    await expect.poll(() => messages.length, soon).toBe(2);
    expect(messages[1]?.told?.machines).toMatchObject([{ key: 'shop/web', figures: { cpuCores: 0.5 } }]);
    socket.close();
    await ended;
    await expect.poll(() => clock.pending, soon).toBe(0);
    clock.advance(600_000);
    expect(scrapes()).toHaveLength(2);
  });

  it('end when the page says so', async () => {
    const { messages, socket, ended } = listen({ namespace: 'shop' });
    await expect.poll(() => messages.length, soon).toBe(1);
    socket.send('{"id":1}');
    await expect.poll(() => clock.pending, soon).toBe(0);
    socket.close();
    await ended;
  });

  it('of machines that the user may not list are not given, though /metrics has them', async () => {
    const { messages, socket, ended } = listen({ namespace: '' });
    await expect.poll(() => messages.length, soon).toBe(1);
    expect(messages[0]?.told).toMatchObject({ kind: 'problem' });
    expect(scrapes()).toEqual([]);
    socket.close();
    await ended;
  });

  it.each(['', '[]', '{"id":"1"}', '{"id":1,"wanted":{}}', '{"id":1,"wanted":{"namespace":"a","name":{}}}'])(
    'are not asked for by %s',
    async (text) => {
      expect(await listen(text).ended).toBe(1008);
      expect(asked).toEqual([]);
    },
  );
});
