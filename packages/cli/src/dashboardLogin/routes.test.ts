import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@vireo/apiserver';
import { type IdentityProvider, startIdentityProvider } from '@vireo/apiserver/testing/identityProvider.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addDashboardRoutes } from '../dashboardRoutes.ts';

const SECRET = 'of the client, with : and %';
let home: string;
let idp: IdentityProvider;
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'vireo-login-'));
  // The secret in the header is encoded as in a form.
  idp = await startIdentityProvider({ clientSecret: new URLSearchParams({ '': SECRET }).toString().slice(1) });
  const jwt = {
    issuer: { url: idp.issuer, audiences: ['vireo'], certificateAuthority: idp.caPem },
    claimMappings: { username: { claim: 'sub', prefix: 'oidc:' } },
  };
  const kind = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration' };
  writeFileSync(join(home, 'authentication.yaml'), JSON.stringify({ ...kind, jwt: [jwt] }));
  writeFileSync(join(home, 'secret'), `${SECRET}\n`);
  server = await startServer({ home, port: 0, host: '127.0.0.1' });
  addDashboardRoutes(server.api, {
    login: [
      { issuer: idp.issuer, name: 'Staff', clientSecretFile: join(home, 'secret'), scopes: ['openid'] },
      { issuer: 'https://removed.example', name: 'Removed', scopes: ['openid'] },
    ],
  });
});
afterAll(async () => {
  await Promise.all([server.close(), idp.close()]);
  rmSync(home, { recursive: true, force: true });
});

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

async function ask(path: string, { method = 'GET', headers = { 'x-vireo-dashboard': '1' }, body }: Sent = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const to = { host: '127.0.0.1', port: server.port, path, method, headers, rejectUnauthorized: false };
  const sent = request(to, (response) => {
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    response
      .toArray()
      .then((chunks) => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }), reject);
  });
  sent.on('error', reject).end(body && JSON.stringify(body));
  const { status, text } = await promise;
  return { status, body: JSON.parse(text) as Record<string, string> };
}

const post = (body: object, headers?: Record<string, string>) =>
  ask('/dashboard/oidc/token', { method: 'POST', body, ...(headers && { headers }) });

/** Does what the page and the browser do, up to the code. */
function codeFor(verifier: string): string {
  const query = new URLSearchParams({
    client_id: 'vireo',
    redirect_uri: `https://127.0.0.1:${server.port}/dashboard/login`,
    state: 's',
    nonce: 'n',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return new URL(idp.pages.authorize(query)).searchParams.get('code') ?? '';
}

const newVerifier = (): string => randomBytes(32).toString('base64url');
const payload = (token = ''): unknown => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

it('the page is told of the providers whose tokens the server accepts', async () => {
  expect((await ask('/dashboard/session', { headers: {} })).body).toEqual({
    mode: 'token',
    providers: [{ issuer: idp.issuer, name: 'Staff' }],
    hasCertificate: false,
  });
  expect(await ask(`/dashboard/oidc/provider?issuer=${encodeURIComponent(idp.issuer)}`)).toEqual({
    status: 200,
    body: {
      clientID: 'vireo',
      scopes: ['openid'],
      authorizationEndpoint: `${idp.issuer}/authorize`,
      endSessionEndpoint: `${idp.issuer}/logout`,
    },
  });
});

it('a code with its verifier becomes an ID token, once, and the secret of the client stays here', async () => {
  const codeVerifier = newVerifier();
  const code = codeFor(codeVerifier);
  const { status, body } = await post({ issuer: idp.issuer, code, codeVerifier });
  expect(status).toBe(200);
  expect(payload(body.idToken)).toMatchObject({ sub: 'ada', nonce: 'n', aud: 'vireo' });
  expect(JSON.stringify(body)).not.toContain(SECRET);
  const again = await post({ issuer: idp.issuer, code, codeVerifier });
  expect(again).toEqual({ status: 400, body: { message: 'Staff refuses the login: invalid_grant' } });
  const refreshed = await post({ issuer: idp.issuer, refreshToken: body.refreshToken });
  expect(payload(refreshed.body.idToken)).toMatchObject({ sub: 'ada' });
});

it('a code without its verifier becomes nothing', async () => {
  const code = codeFor(newVerifier());
  expect((await post({ issuer: idp.issuer, code, codeVerifier: newVerifier() })).status).toBe(400);
});

it.each([
  ['nothing', {}, 400],
  ['a provider that the server does not accept', { issuer: 'https://removed.example', refreshToken: 'x' }, 404],
  ['a provider that nobody knows', { issuer: 'https://evil.example', refreshToken: 'x' }, 404],
  ['no text', { issuer: 1, code: 'x', codeVerifier: 'y' }, 400],
  ['too much', { code: 'x'.repeat(40_000) }, 413],
])('%s is refused', async (_, body, status) => {
  expect((await post(body)).status).toBe(status);
});

it.each([
  [{}],
  [{ 'x-vireo-dashboard': '1', origin: 'https://evil.example' }],
  [{ 'x-vireo-dashboard': '1', 'sec-fetch-site': 'same-site' }],
])('a request of another page is refused: %j', async (headers) => {
  expect((await post({ issuer: idp.issuer, refreshToken: 'x' }, headers)).status).toBe(403);
  expect((await ask(`/dashboard/oidc/provider?issuer=${idp.issuer}`, { headers })).status).toBe(403);
});

it('methods are those that make sense', async () => {
  expect((await ask('/dashboard/oidc/token')).status).toBe(405);
  expect((await ask('/dashboard/session', { method: 'DELETE' })).status).toBe(405);
});

it('a provider that cannot be reached is told, and asked again', async () => {
  const gone = await startIdentityProvider();
  await gone.close();
  const { LoginProviders } = await import('./providers.ts');
  const listed = [{ issuer: gone.issuer, name: 'Gone', scopes: ['openid'] }];
  const claimMappings = { username: { claim: 'sub', prefix: '' } };
  const providers = new LoginProviders(listed, (url) => ({ issuer: { url, audiences: ['vireo'] }, claimMappings }));
  for (let turn = 0; turn < 2; turn++)
    await expect(providers.endpoints(gone.issuer)).rejects.toThrow('Gone cannot be reached');
});
