import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, test } from 'vitest';
import { bootstrapUser } from './bootstrapTokens.ts';
import type { TokenSecret } from './lookup.ts';

const now = Date.parse('2026-01-01T12:00:00Z');
const GOOD = {
  'token-id': 'abcdef',
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-authentication': 'true',
};

const secretWith = (data: Record<string, string>, more: Partial<TokenSecret> = {}): TokenSecret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'bootstrap.kubernetes.io/token',
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, btoa(value)])),
  ...more,
  metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system', ...more.metadata },
});

const userOf = (secret: TokenSecret | undefined, token = 'abcdef.0123456789abcdef') =>
  bootstrapUser(
    token,
    {
      secret: (namespace, name) =>
        secret && namespace === 'kube-system' && name === secret.metadata.name ? persisted(secret) : undefined,
    },
    now,
  );

test.each<[string, Record<string, string>, string[]]>([
  ['alone', {}, []],
  [
    'with groups',
    { 'auth-extra-groups': 'system:bootstrappers:a, system:bootstrappers:b:c' },
    ['system:bootstrappers:a', 'system:bootstrappers:b:c'],
  ],
  ['that ends later', { expiration: '2026-01-01T12:00:01Z' }, []],
])('a token %s is that of a bootstrapper', (_, more, groups) => {
  expect(userOf(secretWith({ ...GOOD, ...more }))).toEqual({
    username: 'system:bootstrap:abcdef',
    groups: ['system:bootstrappers', ...groups, 'system:authenticated'],
  });
});

test.each<[string, TokenSecret | undefined]>([
  ['without Secret', undefined],
  ['of another type', secretWith(GOOD, { type: 'Opaque' })],
  [
    'whose Secret is being deleted',
    secretWith(GOOD, { metadata: { name: 'bootstrap-token-abcdef', deletionTimestamp: '2026-01-01T11:00:00Z' } }),
  ],
  ['with another secret', secretWith({ ...GOOD, 'token-secret': 'another-one-here' })],
  ['with another id inside', secretWith({ ...GOOD, 'token-id': 'abcdeg' })],
  ['that has ended', secretWith({ ...GOOD, expiration: '2026-01-01T12:00:00Z' })],
  ['whose end nobody can read', secretWith({ ...GOOD, expiration: 'tomorrow' })],
  ['whose end is not in RFC 3339', secretWith({ ...GOOD, expiration: '2099' })],
  ['that is for signing alone', secretWith({ ...GOOD, 'usage-bootstrap-authentication': 'false' })],
  ['that claims any group', secretWith({ ...GOOD, 'auth-extra-groups': 'system:masters' })],
])('a token %s is void', (_, secret) => {
  expect(userOf(secret)).toEqual(expect.any(String));
});

test('other tokens are not looked at', () => {
  expect(userOf(secretWith(GOOD), 'abcdef.0123')).toBeUndefined();
});
