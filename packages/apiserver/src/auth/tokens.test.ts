import { createPrivateKey, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import type { Persisted } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { signJwt } from './jwt.ts';
import type { Lookup, TokenPod, TokenSecret } from './lookup.ts';
import { createTokens, TokenRefused, type Tokens } from './tokens.ts';

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
const HOUR = 3600;
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const pemOf = (key: ReturnType<typeof newKey>) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const privateKey = newKey();

const object = (kind: string, name: string, uid: string, namespace?: string): Persisted =>
  persisted({ apiVersion: 'v1', kind, metadata: { name, uid, namespace } });

const endingPod = (deletionTimestamp: string): Persisted =>
  persisted({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', uid: 'pod-1', deletionTimestamp } });

/** The objects of the cluster, which tests take away or replace. */
let objects: Map<string, Persisted>;
const lookup: Lookup = {
  serviceAccount: (namespace, name) => objects.get(`ServiceAccount/${namespace}/${name}`),
  secret: (namespace, name) => objects.get(`Secret/${namespace}/${name}`) as Persisted<TokenSecret> | undefined,
  configMap: () => undefined,
  pod: (namespace, name) => objects.get(`Pod/${namespace}/${name}`) as Persisted<TokenPod> | undefined,
  node: (name) => objects.get(`Node/${name}`),
};

let nowMs: number;
let tokens: Tokens;
const till = { namespace: 'shop', name: 'till', uid: 'sa-1' };

beforeEach(() => {
  nowMs = Date.parse('2026-03-01T12:00:00Z');
  objects = new Map([
    ['ServiceAccount/shop/till', object('ServiceAccount', 'till', 'sa-1', 'shop')],
    ['Pod/shop/web', object('Pod', 'web', 'pod-1', 'shop')],
    ['Secret/shop/key', object('Secret', 'key', 'secret-1', 'shop')],
    ['Node/n1', object('Node', 'n1', 'node-1')],
  ]);
  tokens = createTokens({ privateKeyPem: pemOf(privateKey), issuer: ISSUER, lookup, now: () => nowMs });
});

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const forPod = () =>
  tokens.issue({
    serviceAccount: till,
    expirationSeconds: HOUR,
    boundObject: { kind: 'Pod', name: 'web', uid: 'pod-1', node: { name: 'n1', uid: 'node-1' } },
  }).token;

describe('a token', () => {
  it('carries the claims of a bound Kubernetes token', () => {
    expect(claimsOf(forPod())).toEqual({
      aud: [ISSUER],
      exp: nowMs / 1000 + HOUR,
      iat: nowMs / 1000,
      iss: ISSUER,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'kubernetes.io': {
        namespace: 'shop',
        node: { name: 'n1', uid: 'node-1' },
        pod: { name: 'web', uid: 'pod-1' },
        serviceaccount: { name: 'till', uid: 'sa-1' },
      },
      nbf: nowMs / 1000,
      sub: 'system:serviceaccount:shop:till',
    });
  });

  it('names its ServiceAccount, pod and node', () => {
    const token = forPod();
    expect(tokens.verify(token)).toEqual({
      audiences: [ISSUER],
      user: {
        username: 'system:serviceaccount:shop:till',
        uid: 'sa-1',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
        extra: {
          'authentication.kubernetes.io/credential-id': [`JTI=${claimsOf(token).jti}`],
          'authentication.kubernetes.io/node-name': ['n1'],
          'authentication.kubernetes.io/node-uid': ['node-1'],
          'authentication.kubernetes.io/pod-name': ['web'],
          'authentication.kubernetes.io/pod-uid': ['pod-1'],
        },
      },
    });
  });

  it('can be checked by anybody with the published keys', () => {
    const { keys } = tokens.jwks() as { keys: { kid: string }[] };
    const token = forPod();
    const [header = '', payload = '', signature = ''] = token.split('.');
    const jwk = keys[0] ?? { kid: '' };
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'ES256', kid: jwk.kid });
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const content = Buffer.from(`${header}.${payload}`);
    expect(verify('sha256', content, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))).toBe(
      true,
    );
    expect(Object.keys(jwk)).not.toContain('d');
  });
});

describe('a token is refused', () => {
  it.each<[string, () => void, string]>([
    ['when it has expired', () => (nowMs += HOUR * 1000), 'expired'],
    ['before its time', () => (nowMs -= 1000), 'not valid yet'],
    [
      'when its ServiceAccount is gone',
      () => objects.delete('ServiceAccount/shop/till'),
      '"till" of namespace "shop" does not exist',
    ],
    [
      'when its ServiceAccount is another of the same name',
      () => objects.set('ServiceAccount/shop/till', object('ServiceAccount', 'till', 'sa-2')),
      'uid is sa-2',
    ],
    ['when its pod is gone', () => objects.delete('Pod/shop/web'), '"web" of namespace "shop" does not exist'],
    [
      'when its pod is another of the same name',
      () => objects.set('Pod/shop/web', object('Pod', 'web', 'pod-2')),
      'uid is pod-2',
    ],
    [
      'a minute after its pod should have ended',
      () => objects.set('Pod/shop/web', endingPod('2026-03-01T11:59:00Z')),
      'pod "web" of namespace "shop" has been deleted',
    ],
  ])('%s, even one that was just accepted', (_, change, message) => {
    const token = forPod();
    tokens.verify(token);
    change();
    expect(() => tokens.verify(token)).toThrow(TokenRefused);
    expect(() => tokens.verify(token)).toThrow(message);
  });

  it('not yet while its pod is ending', () => {
    const token = forPod();
    objects.set('Pod/shop/web', endingPod('2026-03-01T12:00:30Z'));
    expect(tokens.verify(token).user.uid).toBe('sa-1');
  });

  it.each([
    ['Secret', 'key', 'secret-1', 'Secret/shop/key'],
    ['Node', 'n1', 'node-1', 'Node/n1'],
  ] as const)('when the %s that it is bound to is gone', (kind, name, uid, key) => {
    const { token } = tokens.issue({ serviceAccount: till, expirationSeconds: HOUR, boundObject: { kind, name, uid } });
    expect(tokens.verify(token).user.uid).toBe('sa-1');
    objects.delete(key);
    expect(() => tokens.verify(token)).toThrow(new RegExp(`"${name}".* does not exist`));
  });

  it('when it is for somebody else', () => {
    const { token } = tokens.issue({ serviceAccount: till, expirationSeconds: HOUR, audiences: ['vault'] });
    expect(() => tokens.verify(token)).toThrow('token audiences ["vault"] is invalid for the target audiences');
    expect(tokens.verify(token, ['other', 'vault']).audiences).toEqual(['vault']);
  });

  it('when another key signed it', () => {
    const stranger = createTokens({ privateKeyPem: pemOf(newKey()), issuer: ISSUER, lookup, now: () => nowMs });
    const { token } = stranger.issue({ serviceAccount: till, expirationSeconds: HOUR });
    expect(() => tokens.verify(token)).toThrow('not signed by this server');
  });

  it('when its claims were changed', () => {
    const [header, , signature] = forPod().split('.');
    const claims = { ...claimsOf(forPod()), exp: nowMs };
    const forged = [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
    expect(() => tokens.verify(forged)).toThrow('not signed by this server');
  });

  it('when it says that it needs no signature, or that the public key is a password', () => {
    const [, payload = ''] = forPod().split('.');
    for (const alg of ['none', 'HS256', 'ES384']) {
      const header = Buffer.from(JSON.stringify({ alg })).toString('base64url');
      expect(() => tokens.verify(`${header}.${payload}.AAAA`)).toThrow('not signed by this server');
      expect(() => tokens.verify(`${header}.${payload}.`)).toThrow('not signed by this server');
    }
  });

  it.each([
    '',
    '.',
    '..',
    'a.b',
    '!!.!!.!!',
    'e30.e30.e30',
    'bnVsbA.bnVsbA.bnVsbA',
    'a.b.c.d',
    `${'a'.repeat(20_000)}.b.c`,
  ])('when it is no token at all: %.20j', (text) => {
    expect(() => tokens.verify(text)).toThrow(TokenRefused);
  });

  it.each<[string, Record<string, unknown>]>([
    ['its subject is another account', { sub: 'system:serviceaccount:kube-system:admin' }],
    ['its issuer is another', { iss: 'https://elsewhere' }],
    ['it never expires', { exp: undefined }],
    ['it is for nobody', { aud: undefined }],
    ['it names no account', { 'kubernetes.io': { namespace: 'shop' } }],
    ['its claims are of the wrong type', { 'kubernetes.io': 'shop' }],
  ])('when it is signed by us but %s', (_, change) => {
    const token = signJwt({ ...claimsOf(forPod()), ...change }, createPrivateKey(pemOf(privateKey)));
    expect(() => tokens.verify(token)).toThrow(TokenRefused);
  });
});

describe('the token of a Secret', () => {
  const secret = (token: string): Persisted<TokenSecret> => ({
    ...object('Secret', 'till-token', 'secret-9', 'shop'),
    type: 'kubernetes.io/service-account-token',
    data: { token: Buffer.from(token).toString('base64') },
  });

  it('has the old claims and no expiry', () => {
    expect(claimsOf(tokens.issueLegacy(till, 'till-token'))).toEqual({
      iss: 'kubernetes/serviceaccount',
      'kubernetes.io/serviceaccount/namespace': 'shop',
      'kubernetes.io/serviceaccount/secret.name': 'till-token',
      'kubernetes.io/serviceaccount/service-account.name': 'till',
      'kubernetes.io/serviceaccount/service-account.uid': 'sa-1',
      sub: 'system:serviceaccount:shop:till',
    });
  });

  it('is good while the Secret holds it', () => {
    const token = tokens.issueLegacy(till, 'till-token');
    expect(() => tokens.verify(token)).toThrow('does not exist');
    objects.set('Secret/shop/till-token', secret(token));
    nowMs += 10 * 365 * 24 * HOUR * 1000;
    expect(tokens.verify(token).user.username).toBe('system:serviceaccount:shop:till');
    objects.set('Secret/shop/till-token', secret(`${token}x`));
    expect(() => tokens.verify(token)).toThrow('contains another token');
  });
});

it('the discovery document leads to the keys', () => {
  expect(tokens.openIdConfiguration()).toEqual({
    issuer: ISSUER,
    jwks_uri: `${ISSUER}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  });
});
