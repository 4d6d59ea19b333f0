import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { APIService, type UnknownObject } from '@vireo/api';
import { discard } from '@vireo/kube';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
let session: http2.ClientHttp2Session;
const BODY = Buffer.alloc(5 * 1024 * 1024, ' ');
const ACTIONS = '/apis/actions.example/v1/namespaces/default/machines/web';

beforeAll(async () => {
  server = await startTestServer();
  const { api } = server.server;
  api.services.register('system', 'actions', async () => ({
    type: 'bytes',
    status: 204,
    contentType: 'text/plain',
    bytes: Buffer.alloc(0),
  }));
  await server.client.of<UnknownObject>(APIService).create({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.actions.example' },
    spec: {
      group: 'actions.example',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      service: { namespace: 'system', name: 'actions' },
    },
  });
  session = http2.connect(`https://127.0.0.1:${server.server.port}`, credentials());
});
afterAll(async () => {
  session?.close();
  await server?.close();
});

function credentials() {
  const read = (name: string): Buffer => readFileSync(join(server.home, 'pki', name));
  return { ca: read('ca.crt'), cert: read('admin.crt'), key: read('admin.key') };
}

/** Every way in which a response may be ready before anybody has asked for the body. */
const CASES: [string, string, string, number, Record<string, string>?][] = [
  ['an action of an aggregated API', 'POST', `${ACTIONS}/stop`, 204],
  ['a create', 'POST', '/api/v1/namespaces/default/configmaps', 413],
  ['a delete', 'DELETE', '/api/v1/namespaces/default/configmaps/any', 413],
  ['a read', 'GET', '/api/v1/namespaces/default', 200],
  ['a list', 'GET', '/api/v1/namespaces', 200],
  ['discovery', 'GET', '/apis', 200],
  ['health', 'POST', '/healthz', 405],
  ['an unknown path', 'POST', '/nowhere', 404],
  ['an unknown resource', 'PUT', '/apis/example.com/v1/nothing/x', 404],
  ['a verb that is not there', 'POST', '/api/v1/namespaces/default/configmaps/name', 405],
  ['a subresource that is not there', 'PUT', '/api/v1/namespaces/default/configmaps/x/scale', 404],
  ['an Accept that nobody can serve', 'POST', '/api/v1/namespaces', 406, { accept: 'text/html' }],
  ['options that are none', 'POST', '/api/v1/namespaces?dryRun=Some', 422],
  ['somebody who may not', 'POST', '/api/v1/namespaces', 403, { 'impersonate-user': 'nobody' }],
];

describe('a body that nobody has read when the response is ready', () => {
  it.each(CASES)('over HTTP/2: %s', async (_, method, path, status, headers = {}) => {
    const sentBefore = session.socket.bytesWritten;
    const answered = await new Promise((resolve, reject) => {
      const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: false });
      let status: unknown;
      stream.on('response', (response) => {
        status = response[':status'];
        if (status === 204 && 'content-length' in response) reject(new Error('a 204 with a length'));
      });
      stream.on('error', reject);
      stream.on('close', () => resolve(status));
      stream.resume();
      stream.end(BODY);
    });
    expect(answered).toBe(status);
    // Whoever breaks a stream off says so instead of taking the rest.
    expect(session.socket.bytesWritten - sentBefore).toBeGreaterThan(BODY.length);
  });

  it.each(CASES)('over HTTP/1.1: %s', async (_, method, path, status, headers = {}) => {
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (method: string, path: string, body: Buffer | undefined, headers = {}) =>
      new Promise<number>((resolve, reject) => {
        const options = { host: '127.0.0.1', port: server.server.port, method, path, agent, headers, ...credentials() };
        const request = https.request(options, (response) => {
          response.resume();
          response.once('end', () => resolve(response.statusCode ?? 0));
        });
        request.once('error', reject);
        request.end(body);
      });
    expect(await ask(method, path, BODY, { ...headers, 'content-length': BODY.length })).toBe(status);
    expect(await ask('GET', '/version', undefined)).toBe(200);
    agent.destroy();
  });

  it('an upgrade that is refused', async () => {
    const outcome = await new Promise((resolve) => {
      const request = https.request(
        {
          host: '127.0.0.1',
          port: server.server.port,
          method: 'POST',
          path: `${ACTIONS}/console`,
          agent: false,
          headers: { connection: 'Upgrade', upgrade: 'websocket', 'content-length': BODY.length },
          ...credentials(),
        },
        (response) => {
          response.resume();
          response.once('end', () => resolve(response.statusCode));
        },
      );
      request.once('error', ({ message }) => resolve(message));
      request.end(BODY);
    });
    expect(outcome).toBe(404);
  });
});

describe('a body that does not end within a minute', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());
  const open = () => new Duplex({ read: () => {}, write: () => {} });

  it('is cut off', () => {
    const cut = vi.fn();
    discard(open(), cut);
    vi.advanceTimersByTime(61_000);
    expect(cut).toHaveBeenCalledOnce();
  });

  it('is none where only the response goes on, as that of a watch does', async () => {
    const [stream, cut] = [open(), vi.fn()];
    discard(stream, cut);
    stream.push('late');
    stream.push(null);
    await once(stream, 'end');
    vi.advanceTimersByTime(61_000);
    expect([cut.mock.calls.length, stream.destroyed]).toEqual([0, false]);
  });
});
