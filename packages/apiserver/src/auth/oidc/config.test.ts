import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { parseAuthenticationConfiguration } from './config.ts';

const document = (jwt: object, more: object = {}) =>
  stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt: [jwt], ...more });
const issuer = { url: 'https://idp.example', audiences: ['vireo'] };
const claimMappings = { username: { claim: 'sub', prefix: '' } };
const parse = (yaml: string) => parseAuthenticationConfiguration(yaml, 'auth.yaml', 'https://own');

test('a configuration with everything is accepted', () => {
  const jwt = {
    issuer: { ...issuer, audiences: ['a', 'b'], audienceMatchPolicy: 'MatchAny', discoveryURL: 'https://in.example/x' },
    claimValidationRules: [
      { claim: 'hd', requiredValue: 'example.com' },
      { expression: "claims.hd == 'example.com'", message: 'wrong domain' },
    ],
    claimMappings: {
      username: { expression: "claims.email_verified ? claims.email : ''" },
      groups: { expression: 'claims.roles.split(",")' },
      uid: { claim: 'sub' },
      extra: [{ key: 'example.com/tenant', valueExpression: 'claims.tenant' }],
    },
    userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved' }],
  };
  expect(parse(document(jwt))).toEqual([jwt]);
});

test.each<[string, object, string]>([
  ['no URL', { issuer: { audiences: ['a'] }, claimMappings }, 'jwt[0].issuer.url: Required value: URL is required'],
  [
    'a URL without TLS',
    { issuer: { ...issuer, url: 'http://idp.example' }, claimMappings },
    'jwt[0].issuer.url: Invalid value: "http://idp.example": URL scheme must be https',
  ],
  [
    'the URL of this server',
    { issuer: { ...issuer, url: 'https://own' }, claimMappings },
    'jwt[0].issuer.url: Invalid value: "https://own": URL must not overlap with disallowed issuers: [https://own]',
  ],
  [
    'no audience',
    { issuer: { ...issuer, audiences: [] }, claimMappings },
    'jwt[0].issuer.audiences: Required value: at least one jwt.issuer.audiences is required',
  ],
  [
    'two audiences without a policy',
    { issuer: { ...issuer, audiences: ['a', 'b'] }, claimMappings },
    'jwt[0].issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences',
  ],
  [
    'an authority that is none',
    { issuer: { ...issuer, certificateAuthority: 'x' }, claimMappings },
    'jwt[0].issuer.certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates',
  ],
  [
    'no username',
    { issuer, claimMappings: {} },
    'jwt[0].claimMappings.username: Required value: claim or expression is required',
  ],
  [
    'a claim without a prefix',
    { issuer, claimMappings: { username: { claim: 'sub' } } },
    'jwt[0].claimMappings.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing',
  ],
  [
    'claim and expression',
    { issuer, claimMappings: { username: { claim: 'sub', expression: 'claims.sub', prefix: '' } } },
    `jwt[0].claimMappings.username: Invalid value: "": claim and expression can't both be set`,
  ],
  [
    'an expression of another type',
    { issuer, claimMappings: { username: { expression: '1' } } },
    'jwt[0].claimMappings.username.expression: Invalid value: "1": must evaluate to one of [string dyn] but got int',
  ],
  [
    'an address that nobody verifies',
    { issuer, claimMappings: { username: { expression: 'claims.email' } } },
    'claims.email_verified must be used in',
  ],
  [
    'a reserved key',
    { issuer, claimMappings: { ...claimMappings, extra: [{ key: 'a.k8s.io/b', valueExpression: "'x'" }] } },
    'jwt[0].claimMappings.extra[0].key: Invalid value: "a.k8s.io/b": k8s.io, kubernetes.io and their subdomains are reserved',
  ],
  [
    'a rule about nothing',
    { issuer, claimMappings, userValidationRules: [{ expression: 'user.name == "a"' }] },
    'jwt[0].userValidationRules[0].expression: Invalid value: "user.name == \\"a\\"": compilation failed: ',
  ],
  ['a field that nobody knows', { issuer, claimMappings, claimMapings: {} }, 'jwt[0].claimMapings: unknown field'],
  ['a text where a list is due', { issuer: { ...issuer, audiences: 'a' }, claimMappings }, 'must be a list of strings'],
])('%s is refused by name', (_, jwt, problem) => {
  expect(() => parse(document(jwt))).toThrow(problem);
});

test('what is not a configuration at all is refused', () => {
  expect(() => parse('kind: Pod')).toThrow('auth.yaml: expected apiVersion apiserver.config.k8s.io/v1');
  expect(() => parse('- a')).toThrow('auth.yaml does not contain an AuthenticationConfiguration');
  expect(() => parse('a: [')).toThrow('auth.yaml is not valid YAML');
  expect(() => parse(document({ issuer, claimMappings }, { anonymous: { enabled: true } }))).toThrow(
    'anonymous: unknown field',
  );
});
