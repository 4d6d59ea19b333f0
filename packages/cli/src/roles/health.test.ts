import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { ClusterRole, ClusterRoleBinding, ServiceAccount } from '@vireo/api';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { Metrics } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BindAddress, parseBindAddress } from '../options.ts';
import { type ServedHealth, serveHealth } from './health.ts';

let server: TestServer;
let isLeading = false;
const open: ServedHealth[] = [];

beforeAll(async () => {
  server = await startTestServer();
  for (const name of ['prometheus', 'nobody'])
    await server.client.of(ServiceAccount).create({ metadata: { name, namespace: 'default' } });
  await server.client.of(ClusterRole).create({
    metadata: { name: 'metrics' },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  });
  await server.client.of(ClusterRoleBinding).create({
    metadata: { name: 'metrics' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'metrics' },
    subjects: [{ kind: 'ServiceAccount', name: 'prometheus', namespace: 'default' }],
  });
});
afterAll(async () => {
  await Promise.all(open.map((each) => each.close()));
  await server?.close();
});

async function serve(address: BindAddress): Promise<ServedHealth> {
  const metrics = new Metrics();
  metrics.gauge('test_machines', 'VMs.', () => 7);
  const served = await serveHealth({
    address,
    client: server.client,
    components: new Map([['virt-controller', metrics]]),
    live: { loop: () => undefined },
    ready: { leading: () => (isLeading ? undefined : 'another instance leads') },
  });
  open.push(served);
  return served;
}

function get(url: string, token?: string, method = 'GET'): Promise<{ status: number | undefined; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  // It signs its certificate itself: Prometheus is told not to verify it.
  const agent = url.startsWith('https') ? { rejectUnauthorized: false } : {};
  const { request } = url.startsWith('https') ? https : http;
  request(url, { method, headers, ...agent }, (response) => {
    text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
  })
    .once('error', reject)
    .end();
  return promise;
}

const tokenOf = async (name: string): Promise<string> => {
  const { status } = (await server.client.call({
    method: 'POST',
    path: `/api/v1/namespaces/default/serviceaccounts/${name}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  })) as { status: { token: string } };
  return status.token;
};

describe('a role', () => {
  it('tells anybody whether it is alive and ready', async () => {
    const { port } = await serve({ host: '127.0.0.1', port: 0 });
    const at = `http://127.0.0.1:${port}`;
    expect(await get(`${at}/livez`)).toEqual({ status: 200, body: 'ok' });
    expect(await get(`${at}/healthz`)).toEqual({ status: 200, body: 'ok' });
    const failed = '[+]loop ok\n[-]leading failed: another instance leads\ncheck failed\n';
    expect(await get(`${at}/readyz`)).toEqual({ status: 500, body: failed });
    isLeading = true;
    expect(await get(`${at}/readyz?verbose`)).toEqual({
      status: 200,
      body: '[+]loop ok\n[+]leading ok\ncheck passed\n',
    });
    expect((await get(`${at}/debug`)).status).toBe(404);
    expect((await get(`${at}/livez`, undefined, 'POST')).status).toBe(405);
  });

  it('shows metrics to whoever may read that path, and over TLS where others can connect', async () => {
    const { port } = await serve({ host: '0.0.0.0', port: 0 });
    const at = `https://127.0.0.1:${port}/metrics`;
    const answers = await Promise.all([
      get(at),
      get(at, 'made.up'),
      get(at, await tokenOf('nobody')),
      get(at, await tokenOf('prometheus')),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 403, 200]);
    expect(answers[2]?.body).toContain('system:serviceaccount:default:nobody');
    expect(answers[3]?.body).toContain('\ntest_machines 7\n');
    expect((await get(`https://127.0.0.1:${port}/livez`)).status).toBe(200);
  });
});

describe('an address', () => {
  it.each([
    ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
    [':8443', { host: '0.0.0.0', port: 8443 }],
    ['[::1]:0', { host: '::1', port: 0 }],
  ])('%s', (given, expected) => expect(parseBindAddress(given)).toEqual(expected));

  it.each(['8443', 'localhost:1', '::1:1', '127.0.0.1:', '127.0.0.1:99999', '[]:1'])('%s is none', (given) =>
    expect(() => parseBindAddress(given)).toThrow('Expected'),
  );
});
