import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { join } from 'node:path';
import tls from 'node:tls';
import type { Status } from '@vireo/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
let session: http2.ClientHttp2Session;
let credentials: { ca: Buffer; cert: Buffer; key: Buffer };

beforeAll(async () => {
  server = await startTestServer();
  const read = (name: string): Buffer => readFileSync(join(server.home, 'pki', name));
  credentials = { ca: read('ca.crt'), cert: read('admin.crt'), key: read('admin.key') };
  session = http2.connect(`https://127.0.0.1:${server.server.port}`, credentials);
});
afterAll(async () => {
  session.close();
  await server.close();
});

const MAPS = '/api/v1/namespaces/default/configmaps';

interface ReceivedResponse {
  status: number;
  body: Status & Record<string, unknown>;
}

/** Sends exactly these bytes. */
function send(
  method: string,
  path: string,
  body?: string | Buffer,
  type = 'application/json',
  headers: Record<string, string> = {},
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const request = session.request({
      ':method': method,
      ':path': path,
      ...(body !== undefined && { 'content-type': type }),
      ...headers,
    });
    let status = 0;
    const chunks: Buffer[] = [];
    request.on('response', (response) => {
      status = Number(response[':status']);
    });
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve({ status, body: parsed(Buffer.concat(chunks).toString()) }));
    request.on('error', reject);
    request.end(body);
  });
}

/** A path that nobody serves is answered in plain text. */
const parsed = (text: string) => (text === '' || text.startsWith('404 ') ? {} : JSON.parse(text));

const map = (more: object = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, ...more });

async function isWell(): Promise<void> {
  expect(await send('GET', '/api/v1/namespaces/default')).toMatchObject({ status: 200, body: { kind: 'Namespace' } });
}

describe('a body that is wrong gets a Status that says how', () => {
  it.each([
    ['malformed JSON', '{"apiVersion": "v1", ', 'application/json', 400, 'BadRequest'],
    ['JSON that is no object', '[1, 2]', 'application/json', 400, 'BadRequest'],
    ['no body', undefined, 'application/json', 400, 'BadRequest'],
    ['malformed YAML', 'apiVersion: v1\n  kind: [', 'application/yaml', 400, 'BadRequest'],
    ['a YAML alias bomb', yamlBomb(), 'application/yaml', 400, 'BadRequest'],
    [
      'malformed protobuf',
      Buffer.from('k8s\0\x0a\xff\xff\xff\xff', 'latin1'),
      'application/vnd.kubernetes.protobuf',
      400,
      'BadRequest',
    ],
    ['protobuf without its mark', Buffer.from('hello'), 'application/vnd.kubernetes.protobuf', 400, 'BadRequest'],
    ['another media type', 'hello', 'text/plain', 415, 'UnsupportedMediaType'],
    [
      'the wrong kind',
      JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } }),
      'application/json',
      400,
      'BadRequest',
    ],
    ['a wrong type', map({ data: { a: 1 } }), 'application/json', 400, 'BadRequest'],
    ['deep nesting', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'application/json', 400, 'BadRequest'],
    ['deep lists', `${'['.repeat(1_000_000)}`, 'application/json', 400, 'BadRequest'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'application/json', 400, 'BadRequest'],
  ])('%s', async (_, body, type, status, reason) => {
    const response = await send('POST', MAPS, body, type);
    expect(response).toMatchObject({ status, body: { kind: 'Status', status: 'Failure', reason, code: status } });
    expect(response.body.message).not.toBe('');
    await isWell();
  });

  it('a body over 3 MiB', async () => {
    const response = await send('POST', MAPS, map({ data: { a: 'x'.repeat(3 * 1024 * 1024) } }));
    expect(response).toMatchObject({ status: 413, body: { reason: 'RequestEntityTooLarge' } });
    await isWell();
  });

  it('unknown and duplicate fields, when asked to be strict', async () => {
    const body =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","bogus":1},"data":{"a":"1","a":"2"},"more":{}}';
    const response = await send('POST', `${MAPS}?fieldValidation=Strict`, body);
    expect(response.status).toBe(400);
    expect(response.body.message).toContain(
      'strict decoding error: unknown field "metadata.bogus", duplicate field "data.a", unknown field "more"',
    );
  });

  it.each([
    '../../etc/passwd',
    'UPPER',
    'a b',
    'a/b',
    '-x',
    'é',
    'x'.repeat(300),
    '__proto__',
    '.',
    '..',
    'a\nb',
    "'; DROP TABLE log; --",
  ])('the name %j', async (name) => {
    const response = await send('POST', MAPS, JSON.stringify({ metadata: { name } }));
    expect(response).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(response.body.details?.causes?.[0]?.field).toBe('metadata.name');
  });

  it('patches that are none', async () => {
    await send('POST', MAPS, JSON.stringify({ metadata: { name: 'patched' } }));
    const patch = (body: string, type: string) => send('PATCH', `${MAPS}/patched`, body, type);
    expect(await patch('{', 'application/merge-patch+json')).toMatchObject({ status: 400 });
    expect(await patch('{"op":"add"}', 'application/json-patch+json')).toMatchObject({ status: 400 });
    expect(await patch('[{"op":"test","path":"/data/a","value":"1"}]', 'application/json-patch+json')).toMatchObject({
      status: 422,
    });
    expect(await patch('{"metadata":{"name":"other"}}', 'application/merge-patch+json')).toMatchObject({ status: 400 });
    expect(await patch('{"__proto__":{"polluted":true}}', 'application/merge-patch+json')).toMatchObject({
      status: 200,
    });
    expect(await patch('a: b', 'text/yaml')).toMatchObject({ status: 415 });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('a path that is wrong', () => {
  it.each([
    ['GET', '/api/v1/nothing', 404],
    ['GET', '/apis/nothing.example/v1/things', 404],
    ['GET', '/api/v1/namespaces/default/pods/../../../version', 404],
    ['GET', '/api/v1/namespaces/%2e%2e/pods', 200],
    ['GET', '/api/v1/namespaces/%zz/pods', 400],
    ['GET', `/${'a/'.repeat(1000)}`, 404],
    ['POST', '/api/v1/namespaces/default', 405],
    ['PUT', '/version', 405],
    ['BREW', '/api/v1/pods', 405],
    ['GET', '/api/v1/pods?labelSelector=%28%28', 400],
    ['GET', '/api/v1/pods?fieldSelector=nothing%3D1', 400],
    ['GET', '/api/v1/pods?continue=hello', 400],
    ['GET', '/api/v1/pods?resourceVersion=hello', 400],
  ])('%s %s is %i', async (method, path, status) => {
    expect((await send(method, path)).status).toBe(status);
    await isWell();
  });
});

describe('a client that misbehaves', () => {
  it('that speaks no HTTP is cut off, and others do not notice', async () => {
    const socket = tls.connect({ port: server.server.port, ca: credentials.ca });
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    socket.resume();
    socket.write('this is no HTTP\r\n\r\n');
    await new Promise((resolve) => socket.once('close', resolve));
    await isWell();
  });

  it('that goes away in the middle of its body leaves nothing behind', async () => {
    const request = session.request({
      ':method': 'POST',
      ':path': MAPS,
      'content-type': 'application/json',
      'content-length': '1000',
    });
    request.on('error', () => {});
    request.write('{"metadata":{"name":"half"');
    await isWell();
    request.close(http2.constants.NGHTTP2_CANCEL);
    await isWell();
    expect((await send('GET', `${MAPS}/half`)).status).toBe(404);
  });

  it('that goes away in the middle of a watch is forgotten', async () => {
    for (let i = 0; i < 50; i++) {
      const request = session.request({ ':path': '/api/v1/configmaps?watch=true' });
      request.on('error', () => {});
      await new Promise((resolve) => request.once('response', resolve));
      request.close(http2.constants.NGHTTP2_CANCEL);
    }
    await isWell();
  });

  it('that speaks HTTP/1.1 is served as well', async () => {
    const agent = new https.Agent({ ...credentials, ALPNProtocols: ['http/1.1'] });
    const status = await new Promise<number>((resolve, reject) => {
      https
        .get({ agent, host: '127.0.0.1', port: server.server.port, path: '/version' }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
        .on('error', reject);
    });
    agent.destroy();
    expect(status).toBe(200);
  });
});

/** A few hundred bytes that would become billions of elements. */
function yamlBomb(): string {
  const lines = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
  for (let i = 1; i < 10; i++) {
    const [from, to] = [String.fromCharCode(96 + i), String.fromCharCode(97 + i)];
    lines.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(',')}]`);
  }
  return lines.join('\n');
}
