import { expect, test } from 'vitest';
import type { JwtConfiguration } from './config.ts';
import { userMapping } from './mapping.ts';

type Rules = Omit<JwtConfiguration, 'issuer' | 'claimMappings'> & { claimMappings?: JwtConfiguration['claimMappings'] };
const bySub = { username: { claim: 'sub', prefix: 'idp:' } };
const userOf = ({ claimMappings = bySub, ...rules }: Rules, claims: object) =>
  userMapping({ issuer: { url: 'https://i', audiences: ['a'] }, claimMappings, ...rules })(
    claims as Record<string, unknown>,
  );

test('claims and expressions become a user', () => {
  const claimMappings = {
    username: { expression: "claims.sub + '@' + claims.tenant" },
    groups: { claim: 'roles', prefix: 'idp:' },
    uid: { claim: 'id' },
    extra: [
      { key: 'example.com/tenant', valueExpression: 'claims.tenant' },
      { key: 'example.com/none', valueExpression: "''" },
    ],
  };
  expect(userOf({ claimMappings }, { sub: 'ada', tenant: 't', roles: ['a', 'b'], id: 'u1' })).toEqual({
    username: 'ada@t',
    uid: 'u1',
    groups: ['idp:a', 'idp:b', 'system:authenticated'],
    extra: { 'example.com/tenant': ['t'] },
  });
});

test.each<[string, unknown, string[]]>([
  ['a list', ['a', 'b'], ['a', 'b', 'system:authenticated']],
  ['one text', 'a', ['a', 'system:authenticated']],
  ['nothing', undefined, ['system:authenticated']],
])('groups from %s', (_, roles, groups) => {
  const claimMappings = { ...bySub, groups: { claim: 'roles', prefix: '' } };
  expect(userOf({ claimMappings }, { sub: 'ada', roles }).groups).toEqual(groups);
});

const byEmail = { username: { claim: 'email', prefix: '' } };
test.each<[string, Rules, object, string]>([
  ['no such claim', {}, {}, 'could not get username: claim "sub" not present'],
  ['a claim of another type', {}, { sub: 7 }, 'could not get username: claim "sub" is not a string'],
  [
    'an address that is not verified',
    { claimMappings: byEmail },
    { email: 'a@b', email_verified: false },
    'email not verified',
  ],
  [
    'groups that are no texts',
    { claimMappings: { ...bySub, groups: { claim: 'g', prefix: '' } } },
    { sub: 'a', g: [1] },
    'could not get groups: must be a string or a list of strings',
  ],
  [
    'a required claim that is missing',
    { claimValidationRules: [{ claim: 'hd', requiredValue: 'x' }] },
    { sub: 'a' },
    'required claim hd not present in ID token',
  ],
  [
    'a required claim with another value',
    { claimValidationRules: [{ claim: 'hd', requiredValue: 'x' }] },
    { sub: 'a', hd: 'y' },
    'required claim hd value does not match. Got = "y", want = x',
  ],
  [
    'a rule that does not hold',
    { claimValidationRules: [{ expression: 'claims.level > 2', message: 'too low' }] },
    { sub: 'a', level: 1 },
    "validation expression 'claims.level > 2' failed: too low",
  ],
  [
    'a rule that cannot be evaluated',
    { claimValidationRules: [{ expression: 'claims.level > 2' }] },
    { sub: 'a' },
    "expression 'claims.level > 2' resulted in error: no such key: level",
  ],
  [
    'a user whom a rule refuses',
    { userValidationRules: [{ expression: "!user.username.startsWith('idp:system:')", message: 'reserved' }] },
    { sub: 'system:x' },
    'error evaluating user info validation rule: validation expression failed: reserved',
  ],
])('%s is no user', (_, rules, claims, problem) => {
  expect(() => userOf(rules, claims)).toThrow(problem);
});
