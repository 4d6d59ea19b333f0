import { getEventListeners, once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ClusterRole, ConfigMap, EndpointSlice, Lease } from '@vireo/api';
import { Client, type Transport } from '@vireo/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { vmsOf } from '../testing/harvester.ts';
import { accountTransport, type Installation, install, serveInstance } from '../testing/installation.ts';
import { allow, bindEverywhere } from '../testing/roles.ts';

const SUB = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/web';
const METRICS = '/metrics';

let installation: Installation;
let ca: string;

beforeAll(async () => {
  installation = await install({ carrier: 'remote' });
  const { client } = installation.server;
  await vmsOf(installation).createVm('web', 'Halted');
  await allow(client, 'system:serviceaccount:default:default', [
    { apiGroups: ['subresources.kubevirt.io'], resources: ['virtualmachines/expand-spec'], verbs: ['get'] },
  ]);
  await client.of(ClusterRole).create({
    metadata: { name: 'metrics-reader' },
    rules: [{ nonResourceURLs: [METRICS], verbs: ['get'] }],
  });
  await bindEverywhere(client, 'system:serviceaccount:default:default', 'metrics-reader');
  const map = await client.of(ConfigMap).get('kubevirt-ca', { namespace: 'kubevirt' });
  ca = map.data?.['ca-bundle'] ?? '';
});
afterAll(() => installation?.close());

interface Direct {
  readonly token?: string;
  /** A certificate of the server's own. */
  readonly certificate?: { readonly cert: Buffer | string; readonly key: Buffer | string };
}

/** Asks the extension's own listener. */
function direct(path: string, { token, certificate }: Direct = {}): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const options = {
    host: '127.0.0.1',
    port: installation.port,
    path,
    headers,
    ca,
    servername: 'virt-api.kubevirt.svc',
  };
  https
    .get({ ...options, agent: false, ...certificate }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    })
    .once('error', reject);
  return promise;
}

/** A token of the namespace's default account. */
async function defaultToken(): Promise<string> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
  const { body } = await installation.server.inProcess().call({ method: 'POST', path, body: { spec: {} } });
  return (body as { status: { token: string } }).status.token;
}

it('whoever comes directly shows a token, and may do what the cluster lets them', async () => {
  const token = await defaultToken();
  expect((await direct(`${SUB}/expand-spec`, { token })).status).toBe(200);
  expect(await direct(`${SUB}/objectgraph`, { token })).toMatchObject({
    status: 403,
    body: expect.stringContaining('system:serviceaccount:default:default'),
  });
  expect((await direct(`${SUB}/expand-spec`, { token: 'nobody' })).status).toBe(401);
  expect(await direct(`${SUB}/expand-spec`)).toMatchObject({
    status: 401,
    body: expect.stringContaining('the request has no token and the client presents no certificate'),
  });
});

it('a client certificate of the cluster authenticates a direct request', async () => {
  const read = (name: string): string => readFileSync(join(installation.server.home, 'pki', name), 'utf8');
  const certificate = { cert: read('admin.crt'), key: read('admin.key') };
  expect((await direct(`${SUB}/expand-spec`, { certificate })).status).toBe(200);
});

it('probes are open, metrics are not', async () => {
  expect(await direct('/livez')).toEqual({ status: 200, body: 'ok' });
  expect(await direct('/readyz')).toEqual({ status: 200, body: 'ok' });
  expect((await direct(METRICS)).status).toBe(401);
  const { status, body } = await direct(METRICS, { token: await defaultToken() });
  expect(status).toBe(200);
  expect(body).toContain('kubevirt_console_active_connections');
});

it('an instance that cannot be started leaves nothing behind', async () => {
  const { server } = installation;
  const inner = await accountTransport(server);
  const forbidden = { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message: 'no slices' };
  const call: Transport['call'] = async (request) =>
    request.method === 'POST' && request.path.endsWith('/endpointslices')
      ? { status: 403, headers: {}, body: forbidden }
      : inner.call(request);
  const client = new Client({ call, watch: (request) => inner.watch(request), close: () => inner.close() });
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  const stop = new AbortController();
  const broken = serveInstance(server, { client, port }, stop.signal, 'broken');
  await expect(broken).rejects.toThrow('no slices');
  const again = createServer().listen(port, '127.0.0.1');
  await once(again, 'listening');
  again.close();
  expect(await server.client.of(Lease).find('virt-api-broken', { namespace: 'kubevirt' })).toBeUndefined();
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});

it('an instance that ends in order fails no request', async () => {
  const { server } = installation;
  const client = new Client(await accountTransport(server));
  const stop = new AbortController();
  const second = await serveInstance(server, { client }, stop.signal, 'second');
  const slices = server.client.of(EndpointSlice);
  expect((await slices.list({ namespace: 'kubevirt' })).items).toHaveLength(2);
  const transport = server.inProcess();
  let isOver = false;
  const statuses = new Set<number>();
  const asking = Array.from({ length: 4 }, async () => {
    while (!isOver) statuses.add((await transport.call({ method: 'GET', path: `${SUB}/expand-spec` })).status);
  });
  await second.close();
  isOver = true;
  await Promise.all(asking);
  expect([...statuses]).toEqual([200]);
  expect((await slices.list({ namespace: 'kubevirt' })).items).toHaveLength(1);
  stop.abort();
});
