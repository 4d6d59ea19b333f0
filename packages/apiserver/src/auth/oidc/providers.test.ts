import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { stringify } from 'yaml';
import { callsOver } from '../../testing/calls.ts';
import { found } from '../../testing/controllers.ts';
import { type IdentityProvider, startIdentityProvider } from '../../testing/identityProvider.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { followConfiguration } from './file.ts';
import { Providers } from './providers.ts';

let idp: IdentityProvider;
let home: string;
beforeAll(async () => {
  [idp, home] = await Promise.all([startIdentityProvider(), mkdtemp(join(tmpdir(), 'vireo-oidc-'))]);
});
afterAll(async () => {
  await idp.close();
  await rm(home, { recursive: true, force: true });
});

const jwtOf = (more: object = {}) => ({
  issuer: { url: idp.issuer, audiences: ['vireo'], certificateAuthority: idp.caPem },
  claimMappings: { username: { claim: 'sub', prefix: 'idp:' }, groups: { claim: 'groups', prefix: 'idp:' } },
  ...more,
});
const fileOf = (...jwt: object[]) =>
  stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt });

describe('a server with an identity provider', () => {
  let server: TestServer;
  beforeAll(async () => {
    await writeFile(join(home, 'authentication.yaml'), fileOf(jwtOf()));
    server = await startTestServer(home);
  });
  afterAll(() => server.close());

  const whoIs = async (token: string) => {
    const transport = await server.overHttp({ token });
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
    const { status, body } = await callsOver(async () => transport).post(
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      review,
    );
    return status === 201 ? (body.status as unknown as { userInfo: object }).userInfo : status;
  };

  it('lets people in with its tokens, and with those of others still', async () => {
    expect(await whoIs(await idp.token({ groups: ['dev'] }))).toEqual({
      username: 'idp:ada',
      groups: ['idp:dev', 'system:authenticated'],
    });
    expect(await whoIs('abc')).toBe(401);
    const { token } = (
      await callsOver(async () => server.inProcess()).post('/api/v1/namespaces/default/serviceaccounts/default/token', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: {},
        spec: {},
      })
    ).body.status as unknown as { token: string };
    expect(await whoIs(token)).toMatchObject({ username: 'system:serviceaccount:default:default' });
  });

  it('tells others whose token it is', async () => {
    const review = async (token: string) =>
      (
        await callsOver(async () => server.inProcess()).post('/apis/authentication.k8s.io/v1/tokenreviews', {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          metadata: {},
          spec: { token },
        })
      ).body.status;
    expect(await review(await idp.token({}))).toMatchObject({ authenticated: true, user: { username: 'idp:ada' } });
    expect(await review(await idp.token({ aud: 'another' }))).toEqual({
      user: {},
      error: 'invalid bearer token: unexpected "aud" claim value',
    });
  });
});

describe('tokens of a provider', () => {
  const seconds = () => Math.floor(Date.now() / 1000);
  const strange = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const larger = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;

  const withProviders = async <T>(use: (providers: Providers, log: ReturnType<typeof memoryLog>) => Promise<T>) => {
    const log = memoryLog();
    const providers = new Providers(log);
    providers.configure([jwtOf()]);
    try {
      return await use(providers, log);
    } finally {
      providers.close();
    }
  };

  test.each<[string, () => Promise<string>, RegExp]>([
    ['for somebody else', () => idp.token({ aud: ['x', 'y'] }), /unexpected "aud" claim value/],
    ['that have ended', () => idp.token({ exp: seconds() - 1 }), /token is expired/],
    ['that begin later', () => idp.token({ nbf: seconds() + 400 }), /"nbf" claim timestamp check failed/],
    ['without an end', () => idp.token({ exp: undefined }), /missing required "exp" claim/],
    ['that another key signed', () => idp.token({}, { key: strange }), /signature verification failed/],
    ['with a key of another kind', () => idp.token({}, { key: larger, alg: 'ES384' }), /no applicable key found/],
    ['without a name', () => idp.token({ sub: undefined }), /claim "sub" not present/],
    [
      'that nobody signed',
      async () => {
        const [, payload] = (await idp.token({})).split('.');
        return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.eA`;
      },
      /"alg" \(Algorithm\) Header Parameter value not allowed/,
    ],
  ])('%s are refused, and the log says why', async (_, token, reason) => {
    await withProviders(async (providers, log) => {
      expect(await providers.authenticate(await token())).toEqual({ problem: expect.stringMatching(reason) });
      await providers.authenticate(await token());
      expect(log.entries.map(({ fields }) => fields)).toEqual([
        { issuer: idp.issuer, reason: expect.stringMatching(reason) },
      ]);
    });
  });

  it('may begin a little later by its clock than by ours', () =>
    withProviders(async (providers) => {
      const token = await idp.token({ nbf: seconds() + 200 });
      expect(await providers.authenticate(token)).toMatchObject({ vouched: { user: { username: 'idp:ada' } } });
    }));

  it('are verified with the keys that it has now', async () => {
    await withProviders(async (providers) => {
      const before = idp.keyRequests();
      for (const sub of ['a', 'b', 'c']) await providers.authenticate(await idp.token({ sub }));
      expect(idp.keyRequests() - before).toBe(1);
    });
    await withProviders(async (providers) => {
      idp.rotate();
      expect(await providers.authenticate(await idp.token({}))).toHaveProperty('vouched');
    });
  });

  it('are refused while it does not answer, and taken as soon as it does', async () => {
    let now = Date.now();
    const log = memoryLog();
    const providers = new Providers(log, () => now);
    providers.configure([jwtOf()]);
    idp.setBroken(true);
    const token = await idp.token({});
    expect(await providers.authenticate(token)).toEqual({ problem: expect.stringMatching(/status 500$/) });
    idp.setBroken(false);
    expect(await providers.authenticate(token)).toHaveProperty('problem');
    now += 11_000;
    expect(await providers.authenticate(token)).toHaveProperty('vouched');
    providers.close();
  });

  it('of an unknown authority are not even asked about', async () => {
    const providers = new Providers(memoryLog());
    const { certificateAuthority: _, ...issuer } = jwtOf().issuer;
    providers.configure([{ ...jwtOf(), issuer }]);
    expect(await providers.authenticate(await idp.token({}))).toEqual({
      problem: expect.stringMatching(/unable to verify the first certificate|self-signed certificate/),
    });
    providers.close();
  });
});

test('a file that changes is read again, and one that is wrong changes nothing', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-oidc-'));
  const path = join(directory, 'authentication.yaml');
  const [log, token] = [memoryLog(), await idp.token({})];
  const providers = new Providers(log);
  const stop = await followConfiguration({ path, isRequired: false }, providers, 'https://own', log, 20);
  expect(providers.authenticate(token)).toBeUndefined();
  await writeFile(path, fileOf(jwtOf()));
  await found(async () => providers.authenticate(token) !== undefined);
  await writeFile(path, 'kind: nonsense');
  await found(async () => log.entries.some(({ message }) => message.includes('the previous one stays')));
  expect(await providers.authenticate(token)).toHaveProperty('vouched');
  stop();
  providers.close();
  await expect(
    followConfiguration({ path: join(directory, 'none'), isRequired: true }, providers, 'https://own', log),
  ).rejects.toThrow('cannot be read');
  await rm(directory, { recursive: true });
});
