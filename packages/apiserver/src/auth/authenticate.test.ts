import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type Server, type TLSSocket } from 'node:tls';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { ANONYMOUS, type HeaderValues, type UserInfo } from '@vireo/kube';
import { issueCertificate } from '@vireo/kube/serving/certificate.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Authenticator, createAuthenticator } from './authenticate.ts';
import { type Credential, ensurePki, issueClientCertificate, type Pki } from './pki.ts';
import { parseStaticTokens } from './staticTokens.ts';
import { createTokens, type Tokens } from './tokens.ts';

let home: string;
let pki: Pki;
let tokens: Tokens;
let authenticator: Authenticator;
let server: Server;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-auth-'));
  pki = await ensurePki(join(home, 'pki'));
  const serviceAccount = persisted({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { namespace: 'shop', name: 'till', uid: 'u1' },
  });
  tokens = createTokens({
    privateKeyPem: pki.serviceAccount.privateKeyPem,
    issuer: 'https://vireo.test',
    lookup: {
      serviceAccount: () => serviceAccount,
      secret: () => undefined,
      configMap: () => undefined,
      pod: () => undefined,
      node: () => undefined,
    },
  });
  authenticator = createAuthenticator({
    caPem: pki.ca.certPem,
    frontProxyCaPem: pki.frontProxyCa.certPem,
    tokens,
    staticTokens: parseStaticTokens('s3cret,robot,42,"ops,dev"\n'),
  });
  server = createServer({
    cert: pki.server.certPem,
    key: pki.server.keyPem,
    ca: [pki.ca.certPem, pki.frontProxyCa.certPem],
    requestCert: true,
    rejectUnauthorized: false,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await rm(home, { recursive: true });
});

interface Shown {
  readonly certificate?: Credential;
  readonly authorization?: string;
  readonly headers?: HeaderValues;
}

/** Shows the credentials to a real TLS server and tells who it takes the client for. */
async function whoAmI({ certificate, authorization, headers = {} }: Shown): Promise<UserInfo> {
  const accepted = once(server, 'secureConnection') as Promise<[TLSSocket]>;
  const client = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    ca: pki.ca.certPem,
    ...(certificate && { cert: certificate.certPem, key: certificate.keyPem }),
  });
  try {
    const [[socket]] = await Promise.all([accepted, once(client, 'secureConnect')]);
    expect(client.authorized).toBe(true);
    return await authenticator.authenticate({
      peerCertificate: socket.getPeerCertificate(),
      tlsAuthorized: socket.authorized,
      authorization,
      headers,
    });
  } finally {
    client.destroy();
  }
}

const unauthorized = { name: 'ApiError', message: 'Unauthorized', code: 401 };

describe('client certificates', () => {
  it('name the user and the groups', async () => {
    expect(await whoAmI({ certificate: pki.admin })).toMatchObject({
      username: 'kubernetes-admin',
      groups: ['system:masters', 'system:authenticated'],
    });
    const certificate = issueClientCertificate(pki, { commonName: 'ada', organizations: ['dev', 'ops'] });
    expect(await whoAmI({ certificate })).toMatchObject({
      username: 'ada',
      groups: ['dev', 'ops', 'system:authenticated'],
    });
  });

  it('of another CA are refused, even one of the same name', async () => {
    const stranger = await ensurePki(join(home, 'stranger'));
    await expect(whoAmI({ certificate: stranger.admin })).rejects.toMatchObject(unauthorized);
  });

  it('that have expired are refused', async () => {
    const certificate = issueClientCertificate(pki, {
      commonName: 'ada',
      now: new Date(Date.now() - 10 * 86400e3),
      days: 1,
    });
    await expect(whoAmI({ certificate })).rejects.toMatchObject(unauthorized);
  });

  it('that expire while the connection is open are refused from then on', async () => {
    const certificate = issueClientCertificate(pki, { commonName: 'ada', days: 1 });
    const tomorrow = createAuthenticator({ caPem: pki.ca.certPem, tokens, now: () => Date.now() + 2 * 86400e3 });
    const peerCertificate = await peerOf(certificate);
    await expect(tomorrow.authenticate({ peerCertificate, tlsAuthorized: true, headers: {} })).rejects.toMatchObject(
      unauthorized,
    );
  });

  it('made for servers are not taken from clients', async () => {
    await expect(whoAmI({ certificate: pki.server })).rejects.toMatchObject(unauthorized);
  });

  it('that a user signed with their own certificate are refused', async () => {
    const ada = issueClientCertificate(pki, { commonName: 'ada' });
    const forged = issueCertificate(
      {
        commonName: 'kubernetes-admin',
        organizations: ['system:masters'],
        use: 'client',
        notBefore: new Date(Date.now() - 1e6),
        notAfter: new Date(Date.now() + 1e6),
      },
      createPrivateKey(ada.keyPem),
      { certPem: ada.certPem, key: createPrivateKey(ada.keyPem) },
    );
    await expect(whoAmI({ certificate: { certPem: forged + ada.certPem, keyPem: ada.keyPem } })).rejects.toMatchObject(
      unauthorized,
    );
  });

  it('still count when the client resumes an earlier session', async () => {
    const certificate = issueClientCertificate(pki, { commonName: 'ada' });
    const { port } = server.address() as AddressInfo;
    const options = { port, ca: pki.ca.certPem, cert: certificate.certPem, key: certificate.keyPem };
    const firstAccepted = once(server, 'secureConnection');
    const first = connect(options);
    const [[session]] = (await Promise.all([once(first, 'session'), firstAccepted])) as [[Buffer], unknown];
    const accepted = once(server, 'secureConnection') as Promise<[TLSSocket]>;
    const second = connect({ ...options, session });
    const [[socket]] = await Promise.all([accepted, once(second, 'secureConnect')]);
    const user = await authenticator.authenticate({
      peerCertificate: socket.getPeerCertificate(),
      tlsAuthorized: socket.authorized,
      headers: {},
    });
    expect(second.isSessionReused()).toBe(true);
    expect(user.username).toBe('ada');
    first.destroy();
    second.destroy();
  });

  it('that are refused do not spoil a good token', async () => {
    const stranger = await ensurePki(join(home, 'stranger'));
    expect(await whoAmI({ certificate: stranger.admin, authorization: 'Bearer s3cret' })).toMatchObject({
      username: 'robot',
    });
  });
});

async function peerOf(certificate: Credential) {
  const accepted = once(server, 'secureConnection') as Promise<[TLSSocket]>;
  const client = connect({
    port: (server.address() as AddressInfo).port,
    ca: pki.ca.certPem,
    cert: certificate.certPem,
    key: certificate.keyPem,
  });
  const [[socket]] = await Promise.all([accepted, once(client, 'secureConnect')]);
  const peer = socket.getPeerCertificate();
  client.destroy();
  return peer;
}

describe('bearer tokens', () => {
  it('from the token file name their user', async () => {
    expect(await whoAmI({ authorization: 'Bearer s3cret' })).toEqual({
      username: 'robot',
      uid: '42',
      groups: ['ops', 'dev', 'system:authenticated'],
    });
    expect(await whoAmI({ authorization: 'bearer  s3cret' })).toMatchObject({ username: 'robot' });
  });

  it('of ServiceAccounts name the account', async () => {
    const { token } = tokens.issue({
      serviceAccount: { namespace: 'shop', name: 'till', uid: 'u1' },
      expirationSeconds: 600,
    });
    expect(await whoAmI({ authorization: `Bearer ${token}` })).toEqual({
      username: 'system:serviceaccount:shop:till',
      uid: 'u1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=[0-9a-f-]{36}$/)] },
    });
    const protocol = `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString('base64url')}`;
    expect(await whoAmI({ headers: { 'sec-websocket-protocol': `${protocol}, v5.channel.k8s.io` } })).toMatchObject({
      uid: 'u1',
    });
  });

  it.each([
    'Bearer wrong',
    'Bearer a.b.c',
    'Bearer s3cre',
    `Bearer ${'x'.repeat(100_000)}`,
    'Bearer \u0000',
    'BEARER ../..',
  ])('that are wrong are 401, never anonymous: %.20s', async (authorization) => {
    await expect(whoAmI({ authorization })).rejects.toMatchObject(unauthorized);
  });
});

describe('X-Remote-* headers', () => {
  const headers = {
    'x-remote-user': 'ada',
    'x-remote-group': ['dev', 'a, b'],
    'x-remote-extra-acme.com%2fproject': ['p1', 'p2'],
    'x-remote-uid': 'u7',
  };

  it('count from the front proxy', async () => {
    expect(await whoAmI({ certificate: pki.frontProxyClient, headers })).toEqual({
      username: 'ada',
      uid: 'u7',
      groups: ['dev', 'a, b', 'system:authenticated'],
      extra: { 'acme.com/project': ['p1', 'p2'] },
    });
  });

  it('are ignored from anybody else', async () => {
    expect(await whoAmI({ headers })).toEqual(ANONYMOUS);
    expect(await whoAmI({ certificate: pki.admin, headers })).toMatchObject({ username: 'kubernetes-admin' });
  });

  it('are needed from the front proxy: it is nobody by itself', async () => {
    await expect(whoAmI({ certificate: pki.frontProxyClient })).rejects.toMatchObject(unauthorized);
    await expect(whoAmI({ certificate: pki.frontProxyClient, headers: { 'x-remote-user': '' } })).rejects.toMatchObject(
      unauthorized,
    );
  });

  it('may have hostile names and values', async () => {
    const hostile = JSON.parse(
      '{"x-remote-user":"ada","x-remote-extra-__proto__":["a"],"x-remote-extra-%zz":["b"],"x-remote-group":["","constructor"]}',
    );
    const user = await whoAmI({ certificate: pki.frontProxyClient, headers: hostile });
    expect(user.groups).toEqual(['constructor', 'system:authenticated']);
    expect(Object.entries(user.extra ?? {})).toEqual([
      ['__proto__', ['a']],
      ['%zz', ['b']],
    ]);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  it('may say that the user is anonymous', async () => {
    const anonymous = { 'x-remote-user': 'system:anonymous', 'x-remote-group': 'system:unauthenticated' };
    expect(await whoAmI({ certificate: pki.frontProxyClient, headers: anonymous })).toEqual(ANONYMOUS);
  });
});

it('whatever is in the headers gives a user or 401', async () => {
  const text = fc.string({ unit: 'binary' });
  const headers = fc.dictionary(
    fc.constantFrom('x-remote-user', 'sec-websocket-protocol', 'x'),
    fc.oneof(text, fc.array(text)),
  );
  const authorization = fc.oneof(
    text,
    text.map((token) => `Bearer ${token}`),
  );
  await fc.assert(
    fc.asyncProperty(headers, authorization, async (given, header) => {
      const outcome = await authenticator
        .authenticate({ tlsAuthorized: false, authorization: header, headers: given })
        .catch((error: unknown) => error);
      if (outcome !== ANONYMOUS) expect(outcome).toMatchObject(unauthorized);
    }),
  );
});

describe('no credentials', () => {
  it.each([undefined, '', 'Basic YTpi', 'Bearer', 'Bearer '])('are anonymous: %j', async (authorization) => {
    expect(await whoAmI({ authorization })).toEqual(ANONYMOUS);
  });
});
