import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
let agent: https.Agent;
let credentials: { ca: Buffer; cert: Buffer; key: Buffer };

beforeAll(async () => {
  server = await startTestServer();
  const read = (name: string): Buffer => readFileSync(join(server.home, 'pki', name));
  credentials = { ca: read('ca.crt'), cert: read('admin.crt'), key: read('admin.key') };
  agent = new https.Agent({ ...credentials, keepAlive: true, maxSockets: 1, ALPNProtocols: ['http/1.1'] });
});
afterAll(async () => {
  agent.destroy();
  await server.close();
});

interface ReceivedResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  reused: boolean;
}

function send(
  method: string,
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const request = https.request(
      { agent, host: '127.0.0.1', port: server.server.port, method, path, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
            reused: request.reusedSocket,
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

describe('HTTP/1.1', () => {
  const MAPS = '/api/v1/namespaces/default/configmaps';

  it('keeps its connection, through errors and bodies too', async () => {
    expect((await send('GET', '/version')).status).toBe(200);
    const json = { 'content-type': 'application/json' };
    const answers = [
      await send('GET', '/api/v1/nothing'),
      await send('POST', MAPS, '{"metadata":{"name":"h1"}}', json),
      await send('POST', MAPS, '{"metadata":', json),
      await send('DELETE', `${MAPS}/h1`),
      await send('GET', '/version'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 201, 400, 200, 200]);
    expect(answers.every(({ reused }) => reused)).toBe(true);
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    const path = '/api/v1/namespaces/default';
    const [whole, head] = [await send('GET', path), await send('HEAD', path)];
    expect(head).toMatchObject({ status: 200, body: '' });
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
    expect(head.headers['content-type']).toBe('application/json');
    expect((await send('GET', path)).body).toBe(whole.body);
  });

  it('carries warnings, whatever characters they hold', async () => {
    const odd = JSON.stringify({ metadata: { name: 'warned' }, 'bö"g\\us\n': 1, [`long${'g'.repeat(5000)}`]: 1 });
    const { status, headers } = await send('POST', MAPS, odd, { 'content-type': 'application/json' });
    expect(status).toBe(201);
    const text = String(headers.warning);
    expect(Buffer.from(text, 'latin1').toString()).toContain('bö');
    expect(text.length).toBeLessThan(5000);
    expect(text).toMatch(/^[\x20-\x7e\x80-\xff]+$/);
  });

  it('refuses URLs and headers beyond all measure', async () => {
    expect((await send('GET', `/version?x=${'x'.repeat(70_000)}`)).status).toBe(431);
    expect((await send('GET', '/version', undefined, { 'x-flood': 'x'.repeat(70_000) })).status).toBe(431);
    expect((await send('GET', '/version')).status).toBe(200);
  });
});

describe('HTTP/2', () => {
  const outcome = (headers: http2.OutgoingHttpHeaders): Promise<string> =>
    new Promise((resolve) => {
      const session = http2.connect(`https://127.0.0.1:${server.server.port}`, credentials);
      const finish = (text: string): void => {
        session.destroy();
        resolve(text);
      };
      session.on('error', () => finish('cut off'));
      const stream = session.request(headers);
      stream.on('response', (response) => finish(String(response[':status'])));
      stream.on('error', () => finish('cut off'));
      stream.on('close', () => finish('cut off'));
    });

  it.each([
    ['a URL', { ':path': `/version?x=${'x'.repeat(70_000)}` }],
    ['a header', { ':path': '/version', 'x-flood': 'x'.repeat(70_000) }],
    [
      'headers',
      { ':path': '/version', ...Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`x-flood-${i}`, 'x'])) },
    ],
  ])('%s beyond all measure is refused or cut off', async (_, headers) => {
    expect(await outcome(headers)).toMatch(/^(4\d\d|cut off)$/);
    expect(await outcome({ ':path': '/version' })).toBe('200');
  });
});
