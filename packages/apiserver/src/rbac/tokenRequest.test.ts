import { generateKeyPairSync } from 'node:crypto';
import type { Persisted, TokenRequestSpec } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Lookup } from '../auth/lookup.ts';
import { createTokens } from '../auth/tokens.ts';
import { tokenRequest } from './tokenRequest.ts';

const object = (kind: string, name: string, uid: string): Persisted =>
  persisted({ apiVersion: 'v1', kind, metadata: { namespace: 'shop', name, uid } });
const serviceAccount = object('ServiceAccount', 'till', 'sa-1');
const lookup: Lookup = {
  serviceAccount: () => serviceAccount,
  secret: (_, name) => (name === 'key' ? object('Secret', 'key', 'secret-1') : undefined),
  configMap: () => undefined,
  pod: (_, name) =>
    name === 'none'
      ? undefined
      : {
          ...object('Pod', name, 'pod-1'),
          spec: { serviceAccountName: name === 'web' ? 'till' : 'other', nodeName: 'n1' },
        },
  node: (name) => object('Node', name, 'node-1'),
};
const nowMs = Date.parse('2026-03-01T12:00:00.700Z');
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const tokens = createTokens({
  privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  issuer: 'https://vireo.test',
  lookup,
  now: () => nowMs,
});

let warnings: string[];
beforeEach(() => {
  warnings = [];
});
const ask = (spec: TokenRequestSpec = {}, metadata = {}) =>
  tokenRequest(
    serviceAccount,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec },
    { tokens, lookup, warn: (text) => warnings.push(text) },
  );

describe('a token request', () => {
  it('is answered with a token for the server and an hour', () => {
    const response = ask();
    expect(response).toMatchObject({
      metadata: { namespace: 'shop', name: 'till', creationTimestamp: '2026-03-01T12:00:00Z' },
      spec: { audiences: ['https://vireo.test'], expirationSeconds: 3600 },
      status: { expirationTimestamp: '2026-03-01T13:00:00Z' },
    });
    expect(tokens.verify(response.status?.token ?? '').user.username).toBe('system:serviceaccount:shop:till');
  });

  it('may name other audiences', () => {
    const token = ask({ audiences: ['vault'] }).status?.token ?? '';
    expect(tokens.verify(token, ['vault']).audiences).toEqual(['vault']);
    expect(() => tokens.verify(token)).toThrow('invalid for the target audiences');
  });

  it('gets at most two days, with a warning', () => {
    expect(ask({ expirationSeconds: 172_800 }).spec?.expirationSeconds).toBe(172_800);
    expect(warnings).toEqual([]);
    expect(ask({ expirationSeconds: 172_801 }).spec?.expirationSeconds).toBe(172_800);
    expect(warnings).toEqual(['requested expiration of 172801 seconds shortened to 172800 seconds']);
  });

  it.each([
    [599, 'may not specify a duration less than 10 minutes'],
    [0, 'may not specify a duration less than 10 minutes'],
    [2 ** 32 + 1, 'may not specify a duration larger than 2^32 seconds'],
  ])('for %i seconds is refused', (expirationSeconds, detail) => {
    expect(() => ask({ expirationSeconds })).toThrow(
      expect.objectContaining({
        code: 422,
        message: `TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: ${expirationSeconds}: ${detail}`,
      }),
    );
  });

  it('for another account than the path names is refused', () => {
    expect(() => ask({}, { name: 'other' })).toThrow(expect.objectContaining({ code: 400 }));
    expect(() => ask({}, { namespace: 'other' })).toThrow(expect.objectContaining({ code: 400 }));
  });
});

describe('a token bound to an object', () => {
  const bound = (kind: string, name: string, uid?: string, apiVersion = 'v1') =>
    ask({ boundObjectRef: { apiVersion, kind, name, ...(uid && { uid }) } }).status?.token ?? '';

  it('of a pod carries the pod and its node', () => {
    expect(tokens.verify(bound('Pod', 'web')).user.extra).toMatchObject({
      'authentication.kubernetes.io/pod-name': ['web'],
      'authentication.kubernetes.io/pod-uid': ['pod-1'],
      'authentication.kubernetes.io/node-name': ['n1'],
      'authentication.kubernetes.io/node-uid': ['node-1'],
    });
  });

  it('of a Secret or a Node is good as well', () => {
    expect(tokens.verify(bound('Secret', 'key', 'secret-1')).user.uid).toBe('sa-1');
    expect(tokens.verify(bound('Node', 'n1')).user.uid).toBe('sa-1');
  });

  it.each<[string, [string, string, string?, string?], number, string]>([
    ['that is not there', ['Pod', 'none'], 404, 'pods "none" not found'],
    [
      'that is another by now',
      ['Pod', 'web', 'pod-0'],
      409,
      'Operation cannot be fulfilled on pods "web": the UID in the bound object reference (pod-0) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      'of another account',
      ['Pod', 'others'],
      400,
      'cannot bind token for serviceaccount "till" to pod running with different serviceaccount name.',
    ],
    [
      'of a kind that tokens do not follow',
      ['ConfigMap', 'x'],
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
    ['of another group', ['Pod', 'web', '', 'x.io/v2'], 400, 'cannot bind token to object of type x.io/v2, Kind=Pod'],
  ])('%s is refused', (_, args, code, message) => {
    expect(() => bound(...args)).toThrow(expect.objectContaining({ code, message }));
  });
});
