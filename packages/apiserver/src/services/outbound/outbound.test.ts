import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testAuthority } from '../../testing/certificates.ts';
import type { OutboundRequest } from './channel.ts';
import { Outbound } from './outbound.ts';
import type { TlsConfig } from './tls.ts';

const authority = testAuthority();
const trusted: TlsConfig = { serverName: 'checks.system.svc', caBundle: authority.caPem };
const outbound = new Outbound();
const closers: (() => void)[] = [];
const sessions: http2.ServerHttp2Session[] = [];
const urls: string[] = [];
let connections = 0;
let one: number;
let two: number;
let plain: number;
let silent: number;

async function listening(server: net.Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

const answer = (request: http.IncomingMessage | http2.Http2ServerRequest, response: http.ServerResponse): void => {
  const { url = '', headers, httpVersion } = request;
  urls.push(url);
  if (url === '/die') response.socket?.destroy();
  else if (url === '/endless')
    Readable.from(endless())
      .pipe(response)
      .on('error', () => {});
  else if (url === '/slow') return;
  else if (url === '/upload')
    text(request).then(
      (body) => response.end(String(body.length)),
      () => {},
    );
  else response.end(JSON.stringify({ url, host: headers.host ?? headers[':authority'], httpVersion }));
};

function* endless() {
  for (;;) yield Buffer.alloc(65536, 'x');
}

beforeAll(async () => {
  const { certPem: cert, keyPem: key } = authority.serverFor('checks.system.svc');
  const server = https.createServer({ cert, key }, answer);
  server.on('secureConnection', () => connections++);
  server.on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    socket.pipe(socket);
  });
  one = await listening(server);
  const both = http2.createSecureServer({ cert, key, allowHTTP1: true });
  both.on('request', answer as never);
  both.on('session', (session) => sessions.push(session));
  two = await listening(both);
  plain = await listening(http.createServer((_, response) => response.end()));
  silent = await listening(net.createServer((socket) => closers.push(() => socket.destroy())));
  closers.push(
    () => server.closeAllConnections(),
    () => {
      for (const session of sessions) session.destroy();
    },
  );
});
afterAll(() => {
  outbound.close();
  for (const close of closers) close();
});

const request = (port: number, path = '/', parts: Partial<OutboundRequest> = {}): OutboundRequest => ({
  address: { host: '127.0.0.1', port },
  host: 'checks.system.svc:443',
  method: 'GET',
  path,
  headers: {},
  ...parts,
});
const call = (config: TlsConfig, to: OutboundRequest, { timeoutMs = 5000, maxBytes = 1 << 20 } = {}) =>
  outbound.call(config, to, { timeoutMs, maxBytes });

describe('a call to a Service', () => {
  it('dials the address and expects the name of the Service', async () => {
    const { status, bytes } = await call(trusted, request(one, '/validate?timeout=10s'));
    expect(status).toBe(200);
    expect(JSON.parse(bytes.toString())).toMatchObject({ url: '/validate?timeout=10s', host: 'checks.system.svc:443' });
  });

  it('keeps its connection, and opens another for another configuration', async () => {
    await call(trusted, request(one));
    const before = connections;
    await call(trusted, request(one));
    await call(trusted, request(one));
    expect(connections - before).toBe(0);
    await call({ serverName: 'checks.system.svc', insecureSkipTLSVerify: true }, request(one));
    expect(connections - before).toBe(1);
  });

  it.each<[string, Partial<OutboundRequest>, number]>([
    ['reads', {}, 2],
    ['writes', { method: 'POST' }, 1],
    ['writes that may be repeated', { method: 'POST', body: Buffer.from('{}'), isRepeatable: true }, 2],
  ])('on a connection that dies is sent again if it %s', async (_, parts, times) => {
    await call(trusted, request(one));
    const before = urls.length;
    await expect(call(trusted, request(one, '/die', parts))).rejects.toThrow('EOF');
    expect(urls.slice(before)).toEqual(Array.from({ length: times }, () => '/die'));
  });

  it.each<[string, () => Promise<unknown>, RegExp | string]>([
    [
      'an unknown authority',
      () => call({ serverName: 'checks.system.svc' }, request(one)),
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ],
    [
      'a wrong name',
      () => call({ ...trusted, serverName: 'other.system.svc' }, request(one)),
      'tls: failed to verify certificate: x509: certificate is valid for checks.system.svc, not other.system.svc',
    ],
    [
      'an unusable bundle',
      async () => call({ ...trusted, caBundle: 'none' }, request(one)),
      'unable to load root certificates: unable to parse bytes as PEM block',
    ],
    ['a closed port', () => call(trusted, request(1)), 'dial tcp 127.0.0.1:1: connect: connection refused'],
    [
      'a server without TLS',
      () => call(trusted, request(plain)),
      'tls: first record does not look like a TLS handshake',
    ],
    [
      'a server that says nothing',
      () => call(trusted, request(silent), { timeoutMs: 50 }),
      'context deadline exceeded',
    ],
    [
      'a server that does not answer',
      () => call(trusted, request(one, '/slow'), { timeoutMs: 50 }),
      'context deadline exceeded',
    ],
    ['a server that dies', () => call(trusted, request(one, '/die')), 'EOF'],
    [
      'a server that does not stop',
      () => call(trusted, request(one, '/endless')),
      'response body is larger than 1048576 bytes',
    ],
  ])('fails with %s in the words of Go', async (_, fail, message) => {
    const error = await fail().then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error?.message).toMatch(message instanceof RegExp ? message : new RegExp(`^${escaped(message)}$`));
  });
});

const escaped = (pattern: string): string => pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

describe('a channel that offers HTTP/2', () => {
  const channel = () => outbound.channel(trusted, { offersHttp2: true });

  it.each([
    ['speaks HTTP/2 to a server that offers it', () => two, '2.0'],
    ['speaks HTTP/1.1 to a server that does not', () => one, '1.1'],
  ])('%s', async (_, port, version) => {
    for (let times = 0; times < 2; times++) {
      const { body } = await channel().send(request(port(), '/'));
      expect(JSON.parse(await text(body))).toEqual({ url: '/', host: 'checks.system.svc:443', httpVersion: version });
    }
  });

  it.each([
    ['HTTP/2', () => two],
    ['HTTP/1.1', () => one],
  ])('streams a body over %s', async (_, port) => {
    const body = Readable.from(Array.from({ length: 64 }, () => Buffer.alloc(65536)));
    const response = await channel().send(request(port(), '/upload', { method: 'POST', body }));
    expect(await text(response.body)).toBe(String(64 * 65536));
  });

  it('opens another connection when the server has ended one', async () => {
    for (const session of sessions) session.close();
    const { body } = await channel().send(request(two));
    expect(await text(body)).toContain('2.0');
    expect(sessions.length).toBeGreaterThan(1);
  });

  it('takes over the connection of an upgrade', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'echo' };
    const upgraded = await channel().upgrade(request(one, '/', { headers }));
    if (!('socket' in upgraded)) throw new Error('not upgraded');
    upgraded.socket.end('hello');
    expect((await buffer(upgraded.socket)).toString()).toBe('hello');
  });
});
