import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError } from '@vireo/api';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { NodeContext } from '../context.ts';
import type { Active } from './actions.ts';
import { Streams } from './streams.ts';

/** Only the guest is a stand-in: sockets on which QEMU would say hello. */
let directory = '';
const guests: Server[] = [];
const stopping = new AbortController();
const http = createHttpServer();
let refusal = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-usb-'));
  const paths = [0, 1].map((index) => join(directory, `usb${index}`));
  for (const path of paths) {
    const guest = createServer((socket) => void socket.on('error', () => {}).write(`hello ${path.at(-1)}`));
    guest.listen(path);
    await once(guest, 'listening');
    guests.push(guest);
  }
  const streams = new Streams({} as NodeContext, stopping.signal);
  const local = {
    uid: 'u',
    vmi: { metadata: { name: 'web', namespace: 'default' } },
    files: { paths: { usbRedirectionSockets: paths } },
  } as unknown as Active;
  http.on('upgrade', (request, socket, head) => {
    streams.open(local, 'usbredir', request, socket, head).catch((error: unknown) => {
      refusal = error instanceof ApiError ? `${error.code} ${error.message}` : String(error);
      socket.end('HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n');
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
});

afterAll(async () => {
  stopping.abort();
  for (const server of [http, ...guests]) server.close();
  await rm(directory, { recursive: true });
});

/** Lends a device, and gives what the guest says first. */
async function lend(): Promise<{ firstMessage: string; socket: WebSocket }> {
  const socket = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`, 'plain.kubevirt.io');
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.once('message', (data: Buffer) => resolve(data.toString()));
  socket.once('unexpected-response', (_, response) => {
    response.resume();
    resolve('refused');
  });
  return { firstMessage: await promise, socket };
}

it('every device has a socket of its own, which the next one gets when it has gone', async () => {
  const [first, second] = await Promise.all([lend(), lend()]);
  expect([first.firstMessage, second.firstMessage].sort()).toEqual(['hello 0', 'hello 1']);
  expect((await lend()).firstMessage).toBe('refused');
  expect(refusal).toBe(
    '409 Operation cannot be fulfilled on virtualmachineinstance.kubevirt.io "web": it already has 2 redirected USB devices',
  );
  first.socket.close();
  await once(first.socket, 'close');
  const third = await vi.waitFor(async () => {
    const lent = await lend();
    expect(lent.firstMessage).toBe(first.firstMessage);
    return lent;
  });
  third.socket.close();
  second.socket.close();
});
