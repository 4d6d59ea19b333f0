import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { afterEach, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { bridge } from './bridge.ts';

const servers: WebSocketServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    for (const client of server.clients) client.terminate();
    server.close();
  }
});

/** Both ends of a connection. */
async function connection(): Promise<[near: WebSocket, far: WebSocket]> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  servers.push(server);
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const near = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await once(near, 'open');
  return [near, (await accepted)[0] as WebSocket];
}

/** Resolves when the piece is on its way; rejects when there is no way any more. */
function send(socket: WebSocket, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(piece, (error) => (error ? reject(error) : setImmediate(resolve)));
  });
}

it('holds one side back while the other does not read, and loses nothing', async () => {
  const [client, user] = await connection();
  const [node, guest] = await connection();
  bridge(client, node);
  user.pause();
  const piece = Buffer.alloc(64 * 1024, 'x');
  let sent = 0;
  while (!node.isPaused) {
    await send(guest, piece);
    sent++;
  }
  let received = 0;
  user.on('message', (data: Buffer) => {
    received += data.length;
  });
  user.resume();
  await eventually(() => received === sent * piece.length);
  expect(node.isPaused).toBe(false);
});

it('ends both sides even while one is held back', async () => {
  const [client, user] = await connection();
  const [node, guest] = await connection();
  bridge(client, node);
  user.pause();
  const piece = Buffer.alloc(64 * 1024, 'x');
  while (!node.isPaused) await send(guest, piece);
  const ended = once(guest, 'close');
  user.terminate();
  await ended;
});

it.each([
  [1000, 1000],
  [undefined, 1000],
  [1011, 1011],
  [4000, 4000],
])('hands a close with code %s on as %s', async (code, expected) => {
  const [client, user] = await connection();
  const [node, guest] = await connection();
  bridge(client, node);
  const ended = once(user, 'close');
  guest.close(code);
  expect((await ended)[0]).toBe(expected);
});
