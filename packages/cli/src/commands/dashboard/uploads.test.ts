import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { downloadTarget, judge } from './guard.ts';
import { carryUpload } from './uploads.ts';

let answer: (request: IncomingMessage, response: ServerResponse) => void;
const cluster = createServer((request, response) => answer(request, response));
const page = new WebSocketServer({ port: 0, host: '127.0.0.1' });
const opened: WebSocket[] = [];
beforeAll(async () => {
  await new Promise<void>((resolve) => cluster.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(cluster.address() as AddressInfo).port}`;
  page.on('connection', (socket) => carryUpload(socket, async () => ({ url, insecure: false })));
});
afterEach(() => {
  for (const socket of opened.splice(0)) socket.terminate();
});
afterAll(() => {
  page.close();
  cluster.close();
  cluster.closeAllConnections();
});

/** A page that uploads, and what it is told. */
async function connect(): Promise<{
  socket: WebSocket;
  told: { taken?: number; status?: number; message?: string }[];
}> {
  const socket = new WebSocket(`ws://127.0.0.1:${(page.address() as AddressInfo).port}`);
  const told: { taken?: number; status?: number; message?: string }[] = [];
  opened.push(socket);
  socket.on('message', (data) => told.push(JSON.parse(String(data))));
  await once(socket, 'open');
  return { socket, told };
}

it('an upload reaches the cluster piece by piece, with its token and length', async () => {
  const arrived = Promise.withResolvers<{
    headers: IncomingMessage['headers'];
    url: string | undefined;
    body: string;
  }>();
  answer = async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    arrived.resolve({ headers: request.headers, url: request.url, body });
    response.end();
  };
  const { socket, told } = await connect();
  socket.send(JSON.stringify({ token: 'a.b.c', bytes: 6 }));
  socket.send(Buffer.from('abc'));
  await expect.poll(() => told).toContainEqual({ taken: 3 });
  socket.send(Buffer.from('def'));
  await once(socket, 'close');
  expect(await arrived.promise).toMatchObject({
    url: '/v1beta1/upload-async',
    headers: { authorization: 'Bearer a.b.c', 'content-length': '6' },
    body: 'abcdef',
  });
  expect(told.at(-1)).toEqual({ status: 200, message: '' });
});

it('a refusal arrives in the words of the cluster, before everything is sent', async () => {
  answer = (_, response) => response.writeHead(400).end('not enough space: 9 GiB needed, 4 GiB free');
  const { socket, told } = await connect();
  socket.send(JSON.stringify({ token: 't', bytes: 1 << 30 }));
  socket.send(Buffer.alloc(1024));
  await once(socket, 'close');
  expect(told.at(-1)).toEqual({ status: 400, message: 'not enough space: 9 GiB needed, 4 GiB free' });
});

it('a page that goes away ends the request', async () => {
  const gone = Promise.withResolvers<void>();
  answer = (request) => {
    request.resume();
    request.once('error', () => {});
    request.once('close', gone.resolve);
  };
  const { socket, told } = await connect();
  socket.send(JSON.stringify({ token: 't', bytes: 100 }));
  socket.send(Buffer.from('abc'));
  await expect.poll(() => told).toContainEqual({ taken: 3 });
  socket.close();
  await gone.promise;
});

it('a page that goes away is noticed also while the cluster takes nothing', async () => {
  const held = Promise.withResolvers<void>();
  answer = (request) => {
    request.pause().once('error', () => {});
    held.resolve();
  };
  const { socket } = await connect();
  const others = page.clients.size - 1;
  // As much as the page has on its way at most, and more than the kernel takes.
  socket.send(JSON.stringify({ token: 't', bytes: 1 << 30 }));
  for (let sent = 0; sent < 9; sent++) socket.send(Buffer.alloc(1 << 20));
  await held.promise;
  socket.close();
  await expect.poll(() => page.clients.size, { timeout: 5_000 }).toBe(others);
});

it('a page that sends more than the cluster takes, and does not wait, is refused', async () => {
  answer = (request) => request.pause().once('error', () => {});
  const { socket } = await connect();
  socket.send(JSON.stringify({ token: 't', bytes: 1 << 30 }));
  for (let sent = 0; sent < 64; sent++) socket.send(Buffer.alloc(1 << 20));
  const [code] = await once(socket, 'close');
  expect(code).toBe(1008);
});

it.each([
  ['no announcement', [Buffer.from('abc')]],
  ['a token with a line break', [JSON.stringify({ token: 'a\r\nb', bytes: 1 })]],
  ['more than was announced', [JSON.stringify({ token: 't', bytes: 1 }), Buffer.from('abc')]],
])('%s is refused', async (_, messages) => {
  answer = (request) => request.resume().once('error', () => {});
  const { socket } = await connect();
  for (const message of messages) socket.send(message);
  const [code] = await once(socket, 'close');
  expect(code).toBe(1008);
});

it.each([
  ['/dashboard/exports/n/e/volumes/d/disk.img.gz', { namespace: 'n', name: 'e', rest: 'volumes/d/disk.img.gz' }],
  ['/dashboard/exports/n/e/volumes/../../x/disk.img', undefined],
  ['/dashboard/exports/n/e/internal/manifests/secret', undefined],
  ['/dashboard/exports/n/e/volumes/d/%2e%2e/x', undefined],
])('the download %s', (path, target) => expect(downloadTarget(path)).toEqual(target));

it.each([
  ['of a link on our page', 'same-origin', 'GET', undefined],
  ['of another page', 'cross-site', 'GET', 403],
  ['of another port of this host', 'same-site', 'GET', 403],
  ['that was typed', 'none', 'GET', 403],
  ['of a client that does not say', undefined, 'GET', 403],
  ['that writes', 'same-origin', 'POST', 403],
])('a download %s', (_, site, method, status) => {
  const headers = { host: 'h:1', 'sec-fetch-site': site, ...(method === 'POST' && { origin: 'http://h:1' }) };
  const refusal = judge({ method, isUpgrade: false, isForApi: true, isDownload: true, headers }, 'h:1');
  expect(refusal?.status).toBe(status);
});
