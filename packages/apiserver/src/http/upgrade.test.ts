import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { APIService, type Status, type UnknownObject } from '@vireo/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
const asked: { username: string; path: string; port: string | null }[] = [];

beforeAll(async () => {
  server = await startTestServer();
  // The smallest WebSocket server that says yes; frames are the business of whoever takes the socket.
  server.server.api.services.registerUpgrade('system', 'consoles', async (request, incoming, socket) => {
    asked.push({ username: request.user.username, path: request.path, port: request.query.get('port') });
    const key = createHash('sha1')
      .update(`${incoming.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  await server.client.of<UnknownObject>(APIService).create({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.consoles.example' },
    spec: {
      group: 'consoles.example',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      service: { namespace: 'system', name: 'consoles' },
    },
  });
});
afterAll(() => server.close());

type Outcome = { status: 101; socket: Duplex } | { status: number; body: Status };

/** Asks for a WebSocket as the administrator, or as nobody. */
function upgrade(path: string, { anonymous = false } = {}): Promise<Outcome> {
  const read = (name: string): Buffer => readFileSync(join(server.home, 'pki', name));
  return new Promise((resolve, reject) => {
    const request = https.request({
      host: '127.0.0.1',
      port: server.server.port,
      path,
      ca: read('ca.crt'),
      ...(!anonymous && { cert: read('admin.crt'), key: read('admin.key') }),
      agent: false,
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      },
    });
    request.on('upgrade', (_, socket) => resolve({ status: 101, socket }));
    request.on('response', async (response) => {
      const chunks = await response.toArray();
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
    });
    request.on('error', reject);
    request.end();
  });
}

const CONSOLE = '/apis/consoles.example/v1/namespaces/default/machines/one/console';

describe('an upgrade', () => {
  it('reaches the service of its API, with the user', async () => {
    const outcome = await upgrade(`${CONSOLE}?port=1`);
    expect(outcome.status).toBe(101);
    expect(asked.at(-1)).toEqual({ username: 'kubernetes-admin', path: CONSOLE, port: '1' });
    const { socket } = outcome as { socket: Duplex };
    socket.write('hello');
    const [echo] = await socket.take(1).toArray();
    expect(String(echo)).toBe('hello');
    socket.destroy();
  });

  it.each(['//', '//x:y:z/', '/nothing'])('to %s leads nowhere', async (path) => {
    expect(await upgrade(path)).toMatchObject({ status: 404, body: { reason: 'NotFound' } });
  });

  it('without credentials is refused before the service hears of it', async () => {
    const before = asked.length;
    expect(await upgrade(CONSOLE, { anonymous: true })).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
    expect(asked.length).toBe(before);
  });

  it('of a path that takes none is 404, and of a subresource that takes none what that says', async () => {
    expect(await upgrade('/api/v1/namespaces/default/pods/x')).toMatchObject({ status: 404, body: { kind: 'Status' } });
    expect(await upgrade('/api/v1/namespaces/default/pods/x/exec')).toMatchObject({
      status: 405,
      body: { message: expect.stringContaining('exec is not available') },
    });
  });
});
