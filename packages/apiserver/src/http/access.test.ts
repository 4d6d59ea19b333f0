import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import { join } from 'node:path';
import tls from 'node:tls';
import { ClusterRole, ClusterRoleBinding, ServiceAccount, type Status, type UnknownObject } from '@vireo/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueClientCertificate } from '../auth/pki.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
const sessions: http2.ClientHttp2Session[] = [];

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  for (const session of sessions) session.destroy();
  await server.close();
});

const pki = (name: string): string => readFileSync(join(server.home, 'pki', name), 'utf8');

interface ReceivedResponse {
  status: number;
  headers: http2.IncomingHttpHeaders;
  body: UnknownObject & Pick<Status, 'message' | 'reason' | 'details'>;
}
type Ask = (
  path: string,
  options?: { method?: string; body?: object; headers?: Record<string, string> },
) => Promise<ReceivedResponse>;

/** Asks over a connection with that certificate, or with none. */
function connection(credential: { cert?: string; key?: string } = {}, always: Record<string, string> = {}): Ask {
  const session = http2.connect(`https://127.0.0.1:${server.server.port}`, { ca: pki('ca.crt'), ...credential });
  sessions.push(session);
  return (path, { method = 'GET', body, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const json = body && { 'content-type': 'application/json' };
      const request = session.request(
        { ':method': method, ':path': path, ...json, ...always, ...headers },
        { endStream: false },
      );
      let answered: http2.IncomingHttpHeaders = {};
      const chunks: Buffer[] = [];
      request.on('response', (response) => {
        answered = response;
      });
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', reject);
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = answered['content-type']?.startsWith('application/json');
        resolve({ status: Number(answered[':status']), headers: answered, body: isJson ? JSON.parse(text) : text });
      });
      request.end(body && JSON.stringify(body));
    });
}

const withToken = (token: string): Ask => connection({}, { authorization: `Bearer ${token}` });
const asAdmin = (): Ask => connection({ cert: pki('admin.crt'), key: pki('admin.key') });

function withCertificate(commonName: string, organizations: string[] = [], ca = 'ca'): Ask {
  const credential = issueClientCertificate(
    { ca: { certPem: pki(`${ca}.crt`), keyPem: pki(`${ca}.key`) } },
    { commonName, organizations },
  );
  return connection({ cert: credential.certPem, key: credential.keyPem });
}

const SECRETS = '/api/v1/namespaces/kube-system/secrets';
const REVIEW = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

async function serviceAccountToken(name: string): Promise<string> {
  await server.client.of(ServiceAccount).create({ metadata: { name, namespace: 'default' } });
  const response = await asAdmin()(`/api/v1/namespaces/default/serviceaccounts/${name}/token`, {
    method: 'POST',
    body: { spec: { expirationSeconds: 3600 } },
  });
  return (response.body.status as unknown as { token: string }).token;
}

describe('without credentials', () => {
  it.each(['/healthz', '/livez', '/readyz', '/version'])('%s is open', async (path) => {
    expect((await connection()(path)).status).toBe(200);
  });

  it.each([
    '/',
    '/api',
    '/apis',
    '/api/v1',
    '/apis/apps/v1',
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/api/v1',
    '/openid/v1/jwks',
    SECRETS,
    `${SECRETS}/any`,
    '/api/v1/namespaces/default/pods/any/log',
    '/apis/nothing.example/v1/things',
    '/nothing',
    '/healthzz',
    '/livez/ping',
    '/version/../api/v1/secrets',
  ])('%s is forbidden', async (path) => {
    const response = await connection()(path);
    expect(response).toMatchObject({ status: 403, body: { kind: 'Status', reason: 'Forbidden' } });
    expect(response.body.message).toContain('User "system:anonymous" cannot');
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s of anything is forbidden', async (method) => {
    expect((await connection()(SECRETS, { method, body: {} })).status).toBe(403);
    expect((await connection()('/version', { method, body: {} })).status).toBe(403);
    expect((await connection()(REVIEW, { method, body: {} })).status).toBe(403);
  });

  it('an empty token is none', async () => {
    expect((await connection()('/api', { headers: { authorization: 'Bearer ' } })).status).toBe(403);
  });

  it('nobody becomes somebody else', async () => {
    const headers = { 'impersonate-user': 'kubernetes-admin', 'impersonate-group': 'system:masters' };
    expect((await connection()(SECRETS, { headers })).status).toBe(403);
    const proxied = { 'x-remote-user': 'kubernetes-admin', 'x-remote-group': 'system:masters' };
    expect((await connection()(SECRETS, { headers: proxied })).status).not.toBe(200);
  });
});

describe('wrong credentials', () => {
  it.each([
    ['a made-up token', 'Bearer nonsense'],
    ['an unsigned token', `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`],
  ])('%s is 401', async (_, authorization) => {
    const response = await connection()('/api', { headers: { authorization } });
    expect(response).toMatchObject({ status: 401, body: { reason: 'Unauthorized', message: 'Unauthorized' } });
  });

  it('a token of an account that is gone is 401', async () => {
    const ask = withToken(await serviceAccountToken('leaver'));
    expect((await ask('/api')).status).toBe(200);
    await server.client.of(ServiceAccount).delete('leaver', { namespace: 'default' });
    expect((await ask('/api')).status).toBe(401);
  });

  it('a certificate of another authority makes nobody an administrator', async () => {
    const ask = withCertificate('kubernetes-admin', ['system:masters'], 'front-proxy-ca');
    expect((await ask(SECRETS)).status).not.toBe(200);
  });
});

describe('a ServiceAccount without bindings', () => {
  let ask: Ask;
  beforeAll(async () => {
    ask = withToken(await serviceAccountToken('nobody'));
  });

  it.each(['/api', '/apis', '/api/v1', '/apis/apps/v1', '/openapi/v3', '/openapi/v2', '/version', '/healthz'])(
    'may discover %s',
    async (path) => {
      expect((await ask(path)).status).toBe(200);
    },
  );

  it.each([
    SECRETS,
    '/api/v1/nodes',
    '/api/v1/namespaces/default',
    '/api/v1/namespaces/default/pods?watch=true',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin',
    '/metrics',
  ])('may not read %s', async (path) => {
    const response = await ask(path);
    expect(response.status).toBe(403);
    expect(response.body.message).toContain('User "system:serviceaccount:default:nobody" cannot');
  });

  it('may ask what it may do and who it is', async () => {
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } };
    const can = await ask(REVIEW, { method: 'POST', body: { spec } });
    expect(can).toMatchObject({ status: 201, body: { status: { allowed: false } } });
    const who = await ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body: {} });
    expect(who.body.status).toMatchObject({
      userInfo: {
        username: 'system:serviceaccount:default:nobody',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      },
    });
    const rules = await ask('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
      method: 'POST',
      body: { spec: { namespace: 'default' } },
    });
    expect(rules).toMatchObject({ status: 201, body: { status: { incomplete: false } } });
  });

  it('may not ask about others, nor write anything', async () => {
    const post = async (path: string) =>
      (await ask(path, { method: 'POST', body: { metadata: { name: 'x' } } })).status;
    expect(await post('/apis/authorization.k8s.io/v1/subjectaccessreviews')).toBe(403);
    expect(await post('/apis/authentication.k8s.io/v1/tokenreviews')).toBe(403);
    expect(await post('/api/v1/namespaces/default/configmaps')).toBe(403);
    expect(await post('/api/v1/namespaces/default/serviceaccounts/default/token')).toBe(403);
  });
});

describe('a client certificate', () => {
  it('names its user and groups', async () => {
    const ask = withCertificate('jane', ['readers', 'writers']);
    const who = await ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body: {} });
    expect(who.body.status).toMatchObject({
      userInfo: { username: 'jane', groups: ['readers', 'writers', 'system:authenticated'] },
    });
    expect((await ask(SECRETS)).status).toBe(403);
  });

  it('may do what its groups are bound to, from the moment they are', async () => {
    const ask = withCertificate('john', ['auditors']);
    const path = '/api/v1/namespaces/default/configmaps';
    expect((await ask(path)).status).toBe(403);
    await server.client.of<UnknownObject>(ClusterRole).create({
      metadata: { name: 'audit' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
    });
    await server.client.of<UnknownObject>(ClusterRoleBinding).create({
      metadata: { name: 'audit' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'audit' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'auditors' }],
    });
    expect((await ask(path)).status).toBe(200);
    expect((await ask(`${path}?watch=true`)).status).toBe(403);
    await server.client.of<UnknownObject>(ClusterRoleBinding).delete('audit');
    expect((await ask(path)).status).toBe(403);
  });

  it('of the administrator may act as others, and is then no more than they are', async () => {
    const ask = asAdmin();
    expect((await ask(SECRETS)).status).toBe(200);
    const headers = { 'impersonate-user': 'jane', 'impersonate-group': 'readers' };
    const who = await ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body: {}, headers });
    expect(who.body.status).toMatchObject({
      userInfo: { username: 'jane', groups: ['readers', 'system:authenticated'] },
    });
    expect((await ask(SECRETS, { headers })).status).toBe(403);
    // The next request of the same connection is the administrator's own again.
    expect((await ask(SECRETS)).status).toBe(200);
  });

  it('of others may not', async () => {
    const response = await withCertificate('jane')(SECRETS, { headers: { 'impersonate-user': 'kubernetes-admin' } });
    expect(response).toMatchObject({ status: 403, body: { message: expect.stringContaining('cannot impersonate') } });
  });
});

describe('reviews', () => {
  const post = (path: string, body: object) => asAdmin()(path, { method: 'POST', body });

  it('answer about anybody', async () => {
    const resourceAttributes = { verb: 'list', resource: 'secrets', namespace: 'default' };
    const about = async (user: string, groups: string[] = []) =>
      (await post('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec: { user, groups, resourceAttributes } }))
        .body.status;
    expect(await about('nobody')).toMatchObject({ allowed: false });
    expect(await about('root', ['system:masters'])).toMatchObject({ allowed: true });
    const local = '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews';
    expect(
      await post(local, { metadata: { namespace: 'default' }, spec: { user: 'nobody', resourceAttributes } }),
    ).toMatchObject({
      status: 201,
      body: { status: { allowed: false } },
    });
  });

  it('tell whose a token is', async () => {
    const token = await serviceAccountToken('reviewed');
    const review = (of: string) => post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: of } });
    expect((await review(token)).body.status).toMatchObject({
      authenticated: true,
      user: { username: 'system:serviceaccount:default:reviewed' },
    });
    expect((await review('nonsense')).body.status).not.toMatchObject({ authenticated: true });
  });

  it.each([
    ['authorization.k8s.io/v1/selfsubjectaccessreviews', 422],
    ['authorization.k8s.io/v1/subjectaccessreviews', 422],
    ['authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews', 422],
    ['authorization.k8s.io/v1/selfsubjectrulesreviews', 400],
    ['authentication.k8s.io/v1/tokenreviews', 400],
    ['authentication.k8s.io/v1/selfsubjectreviews', 201],
  ])('without a spec are questions about nothing: %s is %i', async (path, status) => {
    expect((await post(`/apis/${path}`, {})).status).toBe(status);
  });

  it.each([
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews',
    '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    '/apis/authentication.k8s.io/v1/tokenreviews',
  ])('have no table: %s', async (path) => {
    const transport = await server.overHttp();
    const ask = (accept: string) => transport.call({ method: 'POST', path, accept, body: { spec: {} } });
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    expect(await ask(table)).toMatchObject({ status: 406, body: { reason: 'NotAcceptable' } });
    expect((await ask(`${table},application/json`)).status).not.toBe(406);
  });

  it('are created, and nothing else', async () => {
    expect((await asAdmin()(REVIEW)).status).toBe(405);
    expect((await asAdmin()(`${REVIEW}/x`)).status).toBe(405);
    expect((await asAdmin()(REVIEW, { method: 'DELETE' })).status).toBe(405);
  });
});

it('takes ciphers with authenticated encryption and forward secrecy, and no others', async () => {
  const connect = (ciphers: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = tls.connect({ port: server.server.port, ca: pki('ca.crt'), maxVersion: 'TLSv1.2', ciphers });
      socket.once('secureConnect', () => {
        resolve(socket.getCipher().name);
        socket.destroy();
      });
      socket.once('error', () => resolve('refused'));
    });
  expect(await connect('ECDHE-ECDSA-AES128-GCM-SHA256')).toBe('ECDHE-ECDSA-AES128-GCM-SHA256');
  expect(await connect('ECDHE-ECDSA-AES128-SHA256')).toBe('refused');
  expect(await connect('ECDHE-ECDSA-AES256-SHA')).toBe('refused');
});

it('a PUT that would create takes the right to create', async () => {
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['update'] }];
  await server.client.of<UnknownObject>(ClusterRole).create({ metadata: { name: 'renewer' }, rules });
  await server.client.of<UnknownObject>(ClusterRoleBinding).create({
    metadata: { name: 'renewer' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'renewer' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'renewer' }],
  });
  const ask = withCertificate('renewer');
  const put = (metadata: object) => ask(`${path}/mine`, { method: 'PUT', body: { metadata, spec: {} } });
  const refused = await put({ name: 'mine' });
  expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining('cannot create resource') } });
  const made = await asAdmin()(path, { method: 'POST', body: { metadata: { name: 'mine' }, spec: {} } });
  expect((await put(made.body.metadata)).status).toBe(200);
});

it('clients in process are refused what their role does not grant', async () => {
  const user = {
    username: 'system:serviceaccount:kube-system:namespace-controller',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
  };
  const transport = server.inProcess(user);
  expect((await transport.call({ method: 'GET', path: '/api/v1/namespaces' })).status).toBe(200);
  const refused = await transport.call({
    method: 'POST',
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    body: { metadata: { name: 'mine' }, rules: [] },
  });
  expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining(user.username) } });
});

describe('a certificate that a browser shows', () => {
  const own = (): string => `https://127.0.0.1:${server.server.port}`;
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const configMaps = '/api/v1/namespaces/default/configmaps';

  it('counts for pages of this server', async () => {
    const headers = { origin: own(), 'sec-fetch-site': 'same-origin' };
    expect((await asAdmin()(SECRETS, { headers })).status).toBe(200);
  });

  it('does not count for pages of others, whatever they read or write', async () => {
    const ask = asAdmin();
    expect((await ask(SECRETS)).status).toBe(200);
    expect(await ask(SECRETS, { headers: foreign })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('page of another site') },
    });
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'planted' } };
    const headers = { ...foreign, 'content-type': 'text/plain' };
    expect((await ask(configMaps, { method: 'POST', body, headers })).status).toBe(403);
    expect((await ask(`${configMaps}/planted`)).status).toBe(404);
  });

  it('gives way to a token that the page sends', async () => {
    const authorization = `Bearer ${await serviceAccountToken('chosen')}`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const asked = async (headers: Record<string, string>) =>
      (await asAdmin()('/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body, headers })).body;
    expect(await asked({ authorization, 'sec-fetch-site': 'same-origin' })).toMatchObject({
      status: { userInfo: { username: 'system:serviceaccount:default:chosen' } },
    });
    // For programs, certificates go first, as in Kubernetes.
    expect(await asked({ authorization })).toMatchObject({ status: { userInfo: { username: 'kubernetes-admin' } } });
  });
});
