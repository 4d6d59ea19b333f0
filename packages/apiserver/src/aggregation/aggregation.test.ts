import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import {
  APIService,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  EndpointSlice,
  Namespace,
  Service,
  type UnknownObject,
} from '@vireo/api';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type AggregatedServer,
  apiServiceOf,
  register,
  serviceTo,
  startAggregatedServer,
} from '../testing/aggregatedServer.ts';
import { type RawCalls, rawCalls } from '../testing/rawCalls.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
let admin: RawCalls;
let one: AggregatedServer;
let two: AggregatedServer;

const condition = async (name: string) =>
  (await server.client.of(APIService).get(name)).status?.conditions?.find(({ type }) => type === 'Available');
const becomes = (name: string, reason: string) =>
  vi.waitFor(async () => expect((await condition(name))?.reason).toBe(reason), { timeout: 10_000, interval: 20 });

beforeAll(async () => {
  [server, one, two] = await Promise.all([
    startTestServer(),
    startAggregatedServer('one.example'),
    startAggregatedServer('two.example', { offersHttp2: true }),
  ]);
  admin = rawCalls(server);
  const { client } = server;
  await client.of(Namespace).create({ metadata: { name: 'system' } });
  await client.of(Service).create({
    metadata: { name: 'things', namespace: 'system' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  await register(client, { group: 'one.example', service: 'things', port: one.port, caPem: one.caPem });
  await becomes('v1.one.example', 'Passed');
});
afterAll(async () => {
  admin?.close();
  await server?.close();
  await Promise.all([one?.close(), two?.close()]);
});

const ONE = '/apis/one.example/v1/things';
const textOf = ({ bytes }: { bytes: Buffer }): string => bytes.toString();

describe('a request for an aggregated API', () => {
  it('reaches its server with path and query, the user, and the certificate of the front proxy', async () => {
    const { status, bytes } = await admin.send('GET', `${ONE}/a?limit=5&labelSelector=a%3Db`);
    expect({ status, url: JSON.parse(bytes.toString()).url }).toEqual({
      status: 200,
      url: `${ONE}/a?limit=5&labelSelector=a%3Db`,
    });
    expect(one.asked.at(-1)).toMatchObject({
      proxy: 'front-proxy-client',
      headers: { host: `localhost:${one.port}`, 'x-remote-user': 'kubernetes-admin' },
    });
    expect(one.asked.at(-1)?.headers['x-remote-group']).toBe('system:masters, system:authenticated');
  });

  it('cannot say who it is from by itself', async () => {
    await server.client.of<UnknownObject>(ClusterRoleBinding).create({
      metadata: { name: 'jane' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
    });
    const headers = {
      'x-remote-user': 'root',
      'x-remote-uid': '0',
      'x-remote-extra-scopes': 'all',
      'impersonate-user': 'jane',
      'impersonate-extra-example.com%2fteam': 'a b',
    };
    expect((await admin.send('GET', `${ONE}/a`, { headers })).status).toBe(200);
    const seen = one.asked.at(-1)?.headers ?? {};
    expect(seen).toMatchObject({ 'x-remote-user': 'jane', 'x-remote-extra-example.com%2fteam': 'a b' });
    for (const name of ['x-remote-uid', 'x-remote-extra-scopes', 'authorization', 'impersonate-user'])
      expect(seen).not.toHaveProperty(name);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('may be a %s with a body', async (method) => {
    const headers = { 'content-type': 'application/json' };
    const { status, bytes } = await admin.send(method, `${ONE}/upload`, { body: '{"a":1}', headers });
    expect([status, textOf({ bytes })]).toEqual([200, '{"bytes":7}']);
    expect(one.asked.at(-1)).toMatchObject({ method, headers: { 'content-type': 'application/json' } });
  });

  it('may be larger than what the server itself reads', async () => {
    const body = Buffer.alloc(16 << 20);
    expect(textOf(await admin.send('POST', `${ONE}/upload`, { body }))).toBe(`{"bytes":${body.length}}`);
  });

  it('gets the status and the headers of its answer, and an empty one stays empty', async () => {
    expect((await admin.send('GET', `${ONE}/cookies`)).headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(await admin.send('GET', `${ONE}/empty`)).toMatchObject({ status: 204, bytes: Buffer.alloc(0) });
  });

  it('is subject to RBAC before the server behind hears of it', async () => {
    const before = one.asked.length;
    const anonymous = await server.overHttp({ anonymous: true });
    expect((await anonymous.call({ method: 'GET', path: `${ONE}/a` })).status).toBe(403);
    expect(one.asked.length).toBe(before);
  });

  it('is allowed only if it is so too for a server that takes escaped slashes for slashes', async () => {
    const rules = [{ apiGroups: ['one.example'], resources: ['*'], verbs: ['list'] }];
    await server.client.of<UnknownObject>(ClusterRole).create({ metadata: { name: 'lister' }, rules });
    await server.client.of<UnknownObject>(ClusterRoleBinding).create({
      metadata: { name: 'lister' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'lister' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'lister' }],
    });
    const headers = { 'impersonate-user': 'lister' };
    expect((await admin.send('GET', ONE, { headers })).status).not.toBe(403);
    const before = one.asked.length;
    expect((await admin.send('GET', `${ONE}%2fa`, { headers })).status).toBe(403);
    expect(one.asked.length).toBe(before);
    expect((await admin.send('GET', `${ONE}%2Fa`)).status).not.toBe(403);
    expect(one.asked.at(-1)?.url).toBe(`${ONE}%2Fa`);
  });

  it('may come from a client in this process', async () => {
    const transport = server.inProcess();
    expect(await transport.call({ method: 'POST', path: `${ONE}/upload`, body: { a: 1 } })).toMatchObject({
      status: 200,
      body: { bytes: 7 },
    });
    const names: unknown[] = [];
    for await (const { object } of await transport.watch({ method: 'GET', path: `${ONE}/watch` })) {
      names.push((object as UnknownObject).metadata.name);
      if (names.length === 2) break;
    }
    expect(names).toEqual(['one', 'two']);
  });
});

describe('a stream of an aggregated API', () => {
  const credentials = () => {
    const read = (name: string): Buffer => readFileSync(join(server.home, 'pki', name));
    return { ca: read('ca.crt'), cert: read('admin.crt'), key: read('admin.key') };
  };

  it('brings the events of a watch as they come', async () => {
    const transport = await server.overHttp();
    const names: unknown[] = [];
    for await (const { object } of await transport.watch({
      method: 'GET',
      path: `${ONE}/watch`,
      query: { watch: true },
    })) {
      names.push((object as UnknownObject).metadata.name);
      if (names.length === 2) break;
    }
    expect(names).toEqual(['one', 'two']);
  });

  it('that never ends is sent no faster than it is read, and ends with its client', async () => {
    const session = http2.connect(`https://127.0.0.1:${server.server.port}`, credentials());
    const stream = session.request({ ':path': `${ONE}/endless` });
    stream.on('error', () => {});
    stream.once('data', () => stream.pause());
    await new Promise((resolve) => stream.once('data', resolve));
    let before = -1;
    await expect
      .poll(
        () => {
          const isStill = before === one.sentBytes();
          before = one.sentBytes();
          return isStill;
        },
        { interval: 50 },
      )
      .toBe(true);
    expect(one.sentBytes()).toBeLessThan(32 << 20);
    expect((await admin.send('GET', `${ONE}/a`)).status).toBe(200);
    session.destroy();
  });

  const upgrade = (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status?: number; text?: string; socket?: Duplex }>((resolve, reject) => {
      const request = https.request({
        ...credentials(),
        host: '127.0.0.1',
        port: server.server.port,
        path,
        headers: { connection: 'Upgrade', upgrade: 'echo', ...headers },
      });
      request.once('upgrade', (_response, socket) => resolve({ socket }));
      request.once('response', async (response) => {
        const chunks = await response.toArray();
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      });
      request.once('error', reject);
      request.end();
    });

  it('by an upgrade is a tunnel with the same user', async () => {
    const { socket } = await upgrade(`${ONE}/stream`);
    if (!socket) throw new Error('not upgraded');
    socket.write('hello');
    expect((await new Promise<Buffer>((resolve) => socket.once('data', resolve))).toString()).toBe(
      'kubernetes-admin: hello',
    );
    socket.destroy();
  });

  it('by an upgrade shows the server behind no token, and cannot take the user away', async () => {
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('secret').toString('base64url')}`;
    const { socket } = await upgrade(`${ONE}/stream`, {
      connection: 'Upgrade, X-Remote-User',
      'sec-websocket-protocol': `v5.channel.k8s.io, ${token},v4.channel.k8s.io`,
    });
    socket?.destroy();
    expect(one.asked.at(-1)?.headers).toMatchObject({
      connection: 'Upgrade',
      'x-remote-user': 'kubernetes-admin',
      'sec-websocket-protocol': 'v5.channel.k8s.io, v4.channel.k8s.io',
    });
    await admin.send('GET', `${ONE}/a`, { headers: { 'sec-websocket-protocol': token } });
    expect(one.asked.at(-1)?.headers).not.toHaveProperty('sec-websocket-protocol');
  });

  it('by an upgrade that the server behind refuses is its refusal', async () => {
    expect(await upgrade(`${ONE}/other`)).toEqual({ status: 403, text: 'no' });
  });

  it('by an upgrade of an API that is not available is 503', async () => {
    await server.client.of<UnknownObject>(APIService).create(apiServiceOf({ group: 'gone.example', service: 'gone' }));
    expect(await upgrade('/apis/gone.example/v1/things/stream')).toEqual({
      status: 503,
      text: 'service unavailable\n',
    });
  });
});

describe('a failure of an aggregated server', () => {
  const plain = { 'content-type': 'text/plain; charset=utf-8' };

  it.each([
    ['a server that dies', '/die', 503, 'error trying to reach service: EOF\n'],
    ['a redirect', '/redirect', 502, 'the backend attempted to redirect this request, which is not permitted'],
  ])('%s is told in plain text', async (_, path, status, text) => {
    const response = await admin.send('GET', `${ONE}${path}`);
    expect({ status: response.status, text: textOf(response) }).toEqual({ status, text });
    expect(response.headers).toMatchObject(plain);
  });

  it('in the middle of an answer breaks it off', async () => {
    await expect(admin.send('GET', `${ONE}/half`)).rejects.toThrow();
    expect((await admin.send('GET', `${ONE}/a`)).status).toBe(200);
  });

  it('to answer keeps nobody else waiting', async () => {
    const session = http2.connect(`https://127.0.0.1:${server.server.port}`, {
      ca: readFileSync(join(server.home, 'pki', 'ca.crt')),
      cert: readFileSync(join(server.home, 'pki', 'admin.crt')),
      key: readFileSync(join(server.home, 'pki', 'admin.key')),
    });
    const before = one.asked.length;
    const waiting = Array.from({ length: 30 }, () =>
      session.request({ ':path': `${ONE}/silent` }).on('error', () => {}),
    );
    await expect.poll(() => one.asked.length - before).toBe(30);
    expect((await admin.send('GET', `${ONE}/a`)).status).toBe(200);
    expect((await admin.send('GET', '/api/v1/namespaces/default')).status).toBe(200);
    expect(waiting.every((stream) => !stream.closed)).toBe(true);
    session.destroy();
  });
});

describe('the Available condition', () => {
  it('follows the Service and its EndpointSlices', async () => {
    const { client } = server;
    const name = 'v1.two.example';
    const says = async (reason: string, message: string, status = 'False') => {
      await becomes(name, reason);
      expect(await condition(name)).toMatchObject({ status, reason, message });
    };
    await register(client, { group: 'two.example', service: 'two', caPem: two.caPem });
    await says('ServiceNotFound', 'service/two in "system" is not present');
    expect(await admin.send('GET', '/apis/two.example/v1/things/a')).toMatchObject({
      status: 503,
      bytes: Buffer.from('service unavailable\n'),
    });
    const metadata = { name: 'two', namespace: 'system' };
    await client.of(Service).create({ metadata, spec: { ports: [{ name: 'web', port: 80 }] } });
    await says('ServicePortError', 'service/two in "system" is not listening on port 443');
    const spec = { ports: [{ name: 'https', port: 443 }] };
    await client.of(Service).patch('two', { spec }, { namespace: 'system', type: 'merge' });
    await says('EndpointsNotFound', 'cannot find endpointslices for service/two in "system"');
    const slices = client.of(EndpointSlice);
    const slice = {
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'two' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: false } }],
      ports: [{ name: 'https', port: 1 }],
    };
    await slices.create(slice);
    await says(
      'MissingEndpoints',
      'endpointslices for service/two in "system" have no addresses with port name "https"',
    );
    const to = (change: object) => slices.patch('two', change, { namespace: 'system', type: 'merge' });
    await to({ endpoints: [{ addresses: ['127.0.0.1'] }] });
    const url = 'https://127.0.0.1:1/apis/two.example/v1';
    const refused = 'dial tcp 127.0.0.1:1: connect: connection refused';
    await says('FailedDiscoveryCheck', `failing or missing response from ${url}: Get "${url}": ${refused}`);
    two.isBroken = true;
    await to({ ports: [{ name: 'https', port: two.port }] });
    const bad = `https://127.0.0.1:${two.port}/apis/two.example/v1`;
    await expect
      .poll(async () => (await condition(name))?.message)
      .toBe(`failing or missing response from ${bad}: bad status from ${bad}: 500`);
    two.isBroken = false;
    await says('Passed', 'all checks passed', 'True');
    expect(two.asked.at(-1)).toMatchObject({
      headers: { 'x-remote-user': 'system:kube-aggregator', 'x-remote-group': 'system:masters' },
    });
  });

  it('being True says nothing of certificates: a server that is not the Service is 503', async () => {
    expect(await admin.send('GET', '/apis/two.example/v1/things/a')).toMatchObject({
      status: 503,
      bytes: Buffer.from(
        'error trying to reach service: tls: failed to verify certificate: x509: certificate is valid for things.system.svc, not two.system.svc\n',
      ),
    });
  });

  it('being True, requests go over HTTP/2 if the server offers it', async () => {
    const third = await startAggregatedServer('three.example', { offersHttp2: true, serverName: 'three.system.svc' });
    await serviceTo(server.client, 'three', third.port);
    await register(server.client, { group: 'three.example', service: 'three', caPem: third.caPem });
    await becomes('v1.three.example', 'Passed');
    expect((await admin.send('GET', '/apis/three.example/v1/things/a')).status).toBe(200);
    expect(third.asked.at(-1)).toMatchObject({ httpVersion: '2.0', proxy: 'front-proxy-client' });
    await third.close();
    expect((await admin.send('GET', '/apis/three.example/v1/things/a')).status).toBe(503);
  });
});

describe('an aggregated server is part of', () => {
  const read = async (path: string, headers: Record<string, string> = {}) =>
    JSON.parse(textOf(await admin.send('GET', path, { headers })));
  const AGGREGATED = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
  const versionsOf = async (group: string) => {
    const { items } = await read('/apis', AGGREGATED);
    return items.find(({ metadata }: UnknownObject) => metadata.name === group)?.versions;
  };

  beforeAll(async () => {
    for (const group of ['four.example', 'five.example']) {
      const name = group.split('.')[0] ?? '';
      const backend = await startAggregatedServer(group, { offersHttp2: true, serverName: `${name}.system.svc` });
      backends.push(backend);
      await serviceTo(server.client, name, backend.port);
      await register(server.client, { group, service: name, caPem: backend.caPem });
      await becomes(`v1.${group}`, 'Passed');
    }
  });
  const backends: AggregatedServer[] = [];
  afterAll(() => Promise.all(backends.map((backend) => backend.close())));

  it('discovery, by both of its forms', async () => {
    await vi.waitFor(async () => expect((await versionsOf('four.example'))?.[0].freshness).toBe('Current'));
    expect(await versionsOf('four.example')).toEqual([
      {
        version: 'v1',
        freshness: 'Current',
        resources: [
          {
            resource: 'things',
            responseKind: { group: 'four.example', version: 'v1', kind: 'Thing' },
            scope: 'Namespaced',
            singularResource: 'thing',
            verbs: ['get'],
            shortNames: ['th'],
            subresources: [
              {
                subresource: 'scale',
                responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                verbs: ['get'],
              },
            ],
          },
        ],
      },
    ]);
    const [old] = await versionsOf('one.example');
    expect(old).toMatchObject({
      freshness: 'Current',
      resources: [{ resource: 'things', verbs: ['get', 'list', 'watch'] }],
    });
    const { groups } = await read('/apis');
    expect(groups.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['one.example', 'gone.example']),
    );
    expect((await read('/apis/one.example/v1')).resources[0].name).toBe('things');
    expect(await read('/apis/four.example')).toMatchObject({ kind: 'APIGroup', preferredVersion: { version: 'v1' } });
  });

  it('discovery without an answer: its group-version is stale', async () => {
    expect(await versionsOf('gone.example')).toEqual([{ version: 'v1', resources: [], freshness: 'Stale' }]);
  });

  it('the index of OpenAPI v3, and its document is handed on', async () => {
    await vi.waitFor(async () =>
      expect((await read('/openapi/v3')).paths['apis/four.example/v1']).toEqual({
        serverRelativeURL: '/openapi/v3/apis/four.example/v1?hash=AB',
      }),
    );
    expect((await read('/openapi/v3')).paths['apis/apps/v1'].serverRelativeURL).not.toContain('hash=CD');
    expect(await read('/openapi/v3/apis/four.example/v1?hash=AB')).toMatchObject({ info: { title: 'four.example' } });
  });

  it('OpenAPI v2, where a name that means two things gets a number', async () => {
    const document = await vi.waitFor(async () => {
      const found = await read('/openapi/v2');
      expect(found.paths).toHaveProperty(['/apis/four.example/v1/things']);
      expect(found.paths).toHaveProperty(['/apis/five.example/v1/things']);
      return found;
    });
    const schemaOf = (group: string) => {
      const { $ref } = document.paths[`/apis/${group}/v1/things`].get.responses['200'].schema;
      return document.definitions[$ref.replace('#/definitions/', '')];
    };
    for (const group of ['four.example', 'five.example']) expect(schemaOf(group).properties.of.description).toBe(group);
    expect(Object.keys(document.definitions)).toEqual(expect.arrayContaining(['example.Thing', 'example.Thing_v2']));
    expect(document.definitions).not.toHaveProperty(['example.Unused']);
    expect(document.paths['/apis/apps/v1/deployments']?.get?.responses).not.toEqual({});
  });
});

describe('what aggregated servers are to trust', () => {
  it('is published, and mended when somebody spoils it', async () => {
    const maps = server.client.of(ConfigMap);
    const options = { namespace: 'kube-system' };
    const read = async () => (await maps.get('extension-apiserver-authentication', options)).data ?? {};
    const published = await read();
    expect(published).toMatchObject({
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-client-ca-file': readFileSync(join(server.home, 'pki', 'front-proxy-ca.crt'), 'utf8'),
    });
    await maps.delete('extension-apiserver-authentication', options);
    await vi.waitFor(async () => expect(await read()).toEqual(published));
    await maps.patch(
      'extension-apiserver-authentication',
      { data: { 'client-ca-file': 'x' } },
      { ...options, type: 'merge' },
    );
    await vi.waitFor(async () => expect(await read()).toEqual(published));
  });
});
