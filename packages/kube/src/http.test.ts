import { constants } from 'node:http2';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Client } from './client.ts';
import { staticCredentials } from './credentials.ts';
import { type HttpConfig, httpTransport } from './http.ts';
import { transportContract } from './testing/contract/index.ts';
import { FakeKubernetes } from './testing/fakeKubernetes.ts';
import { FakeServer } from './testing/fakeServer.ts';
import { ConfigMap, configMap } from './testing/kinds.ts';

transportContract('HTTP/2', async () => {
  const kubernetes = new FakeKubernetes();
  const server = await FakeServer.start(kubernetes);
  const transport = httpTransport({ server: server.url, certificateAuthority: server.pki.ca });
  return {
    transport,
    cleanup: async () => {
      await transport.close();
      await server.close();
    },
    forgetHistory: async () => kubernetes.store.compact(),
  };
});

describe('httpTransport', () => {
  let kubernetes: FakeKubernetes;
  let server: FakeServer;
  const open: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    kubernetes = new FakeKubernetes();
    server = await FakeServer.start(kubernetes);
  });
  afterAll(async () => {
    for (const transport of open) await transport.close();
    await server.close();
  });
  beforeEach(() => {
    server.interrupt = () => false;
    server.requests.length = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function connect(config: Partial<HttpConfig> = {}) {
    const transport = httpTransport({ server: server.url, certificateAuthority: server.pki.ca, ...config });
    open.push(transport);
    return { transport, maps: new Client(transport).of(ConfigMap) };
  }
  const version = { method: 'GET', path: '/api/v1/configmaps' } as const;

  it('sends a bearer token', async () => {
    const { transport } = connect({ credentials: staticCredentials({ token: 'secret' }) });
    await transport.call(version);
    expect(server.requests[0]?.authorization).toBe('Bearer secret');
  });

  it('shows its client certificate', async () => {
    const { transport } = connect({ credentials: staticCredentials(server.pki.client) });
    await transport.call(version);
    expect(server.requests[0]?.peer).toBe('alice');
  });

  it('asks for its credentials anew when the server refuses them', async () => {
    const rejected: boolean[] = [];
    const credentials = { get: async () => ({ token: 'stale' }), reject: () => void rejected.push(true) };
    server.interrupt = (stream) => {
      stream.respond({ ':status': 401 }, { endStream: true });
      return true;
    };
    expect((await connect({ credentials }).transport.call(version)).status).toBe(401);
    expect(rejected).toEqual([true]);
  });

  it('asks a server again that has no time, when it says so', async () => {
    let refusals = 2;
    server.interrupt = (stream) => {
      if (refusals-- <= 0) return false;
      stream.respond({ ':status': 429, 'retry-after': '0' }, { endStream: true });
      return true;
    };
    expect((await connect().transport.call(version)).status).toBe(200);
    refusals = 1;
    server.interrupt = (stream) => {
      if (refusals-- <= 0) return false;
      // As the API that evicts pods does: who asks again gets no other answer.
      stream.respond({ ':status': 429 }, { endStream: true });
      return true;
    };
    expect((await connect().transport.call(version)).status).toBe(429);
    server.interrupt = (stream) => {
      stream.respond({ ':status': 429, 'retry-after': '3600' }, { endStream: true });
      return true;
    };
    expect((await connect().transport.call(version)).status).toBe(429);
  });

  it('shows a new certificate as soon as there is one', async () => {
    const identities = [server.pki.client, server.pki.server];
    const { transport } = connect({ credentials: { get: async () => identities[0]!, reject: () => {} } });
    await transport.call(version);
    identities.shift();
    await Promise.all([transport.call(version), transport.call(version)]);
    expect(server.requests.map(({ peer }) => peer)).toEqual(['alice', 'server', 'server']);
  });

  it('shows a renewed certificate on a new connection after the server refused the old one', async () => {
    const identities = [server.pki.client, server.pki.server];
    const credentials = { get: async () => identities[0]!, reject: () => void identities.shift() };
    const { transport } = connect({ credentials });
    server.interrupt = (stream) => {
      stream.respond({ ':status': 401 }, { endStream: true });
      return true;
    };
    await transport.call(version);
    server.interrupt = () => false;
    await transport.call(version);
    expect(server.requests.map(({ peer }) => peer)).toEqual(['alice', 'server']);
  });

  it('impersonates', async () => {
    const impersonate = { user: 'bob', groups: ['a', 'b'], uid: 'u', extra: { 'acme.com/Dept': ['x'] } };
    await connect({ impersonate }).transport.call(version);
    expect(server.requests[0]).toMatchObject({
      'impersonate-user': 'bob',
      'impersonate-group': 'a, b',
      'impersonate-uid': 'u',
      'impersonate-extra-acme.com%2fdept': 'x',
    });
  });

  it('puts the path of the server before every path, and leaves out what is undefined in the query', async () => {
    const { transport } = connect({ server: `${server.url}/cluster/1/` });
    await transport.call({ ...version, query: { limit: 5, continue: undefined, labelSelector: 'a in (b,ü)' } });
    expect(server.requests[0]?.[':path']).toBe(
      '/cluster/1/api/v1/configmaps?limit=5&labelSelector=a+in+%28b%2C%C3%BC%29',
    );
  });

  it('refuses a server that its authority did not sign', async () => {
    const { transport } = connect({ certificateAuthority: undefined });
    await expect(transport.call(version)).rejects.toThrow(/GET https:.*\/api\/v1\/configmaps: .*certificate/);
    expect(server.requests).toEqual([]);
  });

  it('takes any server when told to, and a name other than the host’s', async () => {
    expect((await connect({ certificateAuthority: undefined, insecure: true }).transport.call(version)).status).toBe(
      200,
    );
    expect((await connect({ serverName: 'vireo.test' }).transport.call(version)).status).toBe(200);
    await expect(connect({ serverName: 'other.test' }).transport.call(version)).rejects.toThrow('other.test');
  });

  it('uses one connection for everything', async () => {
    const before = server.sessions.size;
    const { transport } = connect();
    await Promise.all(Array.from({ length: 20 }, () => transport.call(version)));
    expect(server.sessions.size).toBe(before + 1);
  });

  it('names the call when no answer comes in time', async () => {
    server.interrupt = () => true;
    const { transport } = connect({ timeoutMs: 50 });
    await expect(transport.call(version)).rejects.toThrow(
      `GET ${server.url}/api/v1/configmaps: no response within 50 ms`,
    );
  });

  it('lets a watch go on longer than a call may take', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { transport, maps } = connect({ timeoutMs: 50_000 });
    const events = await maps.watch({ namespace: 'slow' });
    const seen = events[Symbol.asyncIterator]().next();
    server.interrupt = () => true;
    const refused = expect(transport.call(version)).rejects.toThrow('no response');
    vi.advanceTimersByTime(50_000);
    await refused;
    server.interrupt = () => false;
    await maps.create(configMap('a', {}, 'slow'));
    expect((await seen).value).toMatchObject({ type: 'ADDED' });
  });

  it('rejects a call that is aborted while the server thinks, and tells the server', async () => {
    const closed = Promise.withResolvers<number>();
    const stop = new AbortController();
    server.interrupt = (stream) => {
      stream.once('close', () => closed.resolve(stream.rstCode));
      stop.abort(new Error('enough'));
      return true;
    };
    await expect(connect().transport.call({ ...version, signal: stop.signal })).rejects.toThrow('enough');
    expect(await closed.promise).toBe(constants.NGHTTP2_CANCEL);
  });

  it('throws from a watch whose connection breaks, and connects anew for the next call', async () => {
    const { transport, maps } = connect();
    const events = await maps.watch({ namespace: 'broken' });
    const next = events[Symbol.asyncIterator]().next();
    server.cut();
    await expect(next).rejects.toThrow('the connection was closed');
    expect((await transport.call(version)).status).toBe(200);
  });

  it('does not repeat a write that the server may have seen', async () => {
    let seen = 0;
    server.interrupt = (stream) => {
      seen += 1;
      stream.session?.socket.destroy();
      return true;
    };
    await expect(connect().maps.create(configMap('once'))).rejects.toThrow('POST');
    expect(seen).toBe(1);
  });

  it('repeats what the server refused to look at, once', async () => {
    let refusals = 0;
    server.interrupt = (stream) => {
      if (refusals === 1) return false;
      refusals += 1;
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      return true;
    };
    const { maps } = connect();
    expect((await maps.create(configMap('again'))).metadata.name).toBe('again');
    refusals = -10;
    await expect(maps.create(configMap('never'))).rejects.toThrow('REFUSED');
    expect(refusals).toBe(-8);
  });

  it('moves to another connection when the server says GOAWAY, and lets the watches of the old one end', async () => {
    const { transport, maps } = connect();
    const before = new Set(server.sessions);
    const events = await maps.watch({ namespace: 'goaway' });
    const [session] = [...server.sessions].filter((candidate) => !before.has(candidate));
    session?.goaway();
    await new Promise((resolve) => session?.ping(resolve));
    expect((await transport.call(version)).status).toBe(200);
    expect(server.sessions.size).toBe(before.size + 2);
    const watch = events[Symbol.asyncIterator]();
    const next = watch.next();
    await maps.create(configMap('a', {}, 'goaway'));
    expect((await next).value).toMatchObject({ type: 'ADDED' });
    const afterwards = watch.next();
    await transport.close();
    expect((await afterwards).done).toBe(true);
  });

  it('finds a server that comes back', async () => {
    const { transport } = connect();
    await transport.call(version);
    const { port } = server;
    await server.close();
    await expect(transport.call(version)).rejects.toThrow('ECONNREFUSED');
    await server.listen(port);
    expect((await transport.call(version)).status).toBe(200);
  });

  it('keeps a watch that is over before anybody reads it', async () => {
    server.interrupt = (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      stream.end(`${JSON.stringify({ type: 'ADDED', object: configMap('short') })}\n`);
      return true;
    };
    const { transport, maps } = connect();
    const events = await maps.watch();
    server.interrupt = () => false;
    await transport.call(version);
    const seen: string[] = [];
    for await (const { type } of events) seen.push(type);
    expect(seen).toEqual(['ADDED']);
  });

  it('slows a watch down that nobody reads, and still delivers everything', async () => {
    const { maps } = connect();
    const events = await maps.watch({ namespace: 'flood' });
    const text = 'x'.repeat(100_000);
    for (let index = 0; index < 60; index++) await maps.create(configMap(`f${index}`, { text }, 'flood'));
    const names: (string | undefined)[] = [];
    for await (const event of events) {
      if (event.type === 'ADDED') names.push(event.object.metadata.name);
      if (names.length === 60) break;
    }
    expect(new Set(names).size).toBe(60);
  });

  it('rejects the calls that it is closed amidst, even when half an answer was there', async () => {
    const { transport } = connect();
    server.interrupt = (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'text/plain' });
      stream.write('half', () => void transport.close());
      return true;
    };
    await expect(transport.call(version)).rejects.toThrow('the connection was closed');
  });

  it('takes no calls once it is closed', async () => {
    const { transport } = connect();
    await transport.call(version);
    await transport.close();
    await expect(transport.call(version)).rejects.toThrow('is closed');
  });
});
