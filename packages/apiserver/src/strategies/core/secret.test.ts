import { describe, expect, test } from 'vitest';
import { changeProblems, created, problems, updated } from '../../testing/strategies.ts';
import { secretStrategy } from './secret.ts';

const secret = (rest: object) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'default' },
  ...rest,
});
const typed = (type: string, data: Record<string, string> = {}) =>
  secret({
    type: `kubernetes.io/${type}`,
    data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, btoa(v)])),
  });

describe('stringData', () => {
  test('goes into data and wins over it', () => {
    expect(created(secretStrategy, secret({ data: { a: 'eA==', b: 'eQ==' }, stringData: { a: 'ä' } }))).toEqual(
      secret({ type: 'Opaque', data: { a: 'w6Q=', b: 'eQ==' } }),
    );
  });

  test('works in an update too, which keeps the type', () => {
    expect(updated(secretStrategy, secret({ stringData: { a: 'x' } }), secret({ type: 'mine' }))).toEqual(
      secret({ type: 'mine', data: { a: 'eA==' } }),
    );
  });
});

describe('a secret is refused for', () => {
  test.each<[string, object, string[]]>([
    ['nothing, when it is plain', secret({ type: 'Opaque', data: { 'a.b-c_D': '' } }), []],
    [
      'a key that is no file name',
      secret({ data: { 'a/b': '', '..x': '' } }),
      [
        `data[a/b]: Invalid value: "a/b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
        `data[..x]: Invalid value: "..x": must not start with '..'`,
      ],
    ],
    [
      'more than a mebibyte',
      secret({ data: { a: Buffer.alloc(1024 * 1024 + 1).toString('base64') } }),
      ['data: Too long: may not be more than 1048576 bytes'],
    ],
    ['a certificate without its key', typed('tls', { 'tls.crt': 'x' }), ['data[tls.key]: Required value']],
    ['no credentials', typed('basic-auth'), ['data[username]: Required value', 'data[password]: Required value']],
    ['nothing, with a password alone', typed('basic-auth', { password: 'x' }), []],
    ['an empty key', typed('ssh-auth', { 'ssh-privatekey': '' }), ['data[ssh-privatekey]: Required value']],
    ['no registry file', typed('dockerconfigjson'), ['data[.dockerconfigjson]: Required value']],
    ['nothing, with a registry file', typed('dockerconfigjson', { '.dockerconfigjson': '{}' }), []],
    [
      'a registry file that is no JSON, without showing it',
      typed('dockercfg', { '.dockercfg': 'password' }),
      ['data[.dockercfg]: Invalid value: "<secret contents redacted>": invalid character in JSON'],
    ],
    [
      'a token of nobody',
      typed('service-account-token'),
      ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
    ],
  ])('%s', (_, object, expected) => {
    expect(problems(secretStrategy, object)).toEqual(expected);
  });
});

test('the type stays', () => {
  expect(changeProblems(secretStrategy, secret({ type: 'b' }), secret({ type: 'a' }))).toEqual([
    'type: Invalid value: "b": field is immutable',
  ]);
});

test('an immutable secret stays as it is, and immutable', () => {
  const old = secret({ type: 'Opaque', immutable: true, data: { a: 'eA==' } });
  expect(changeProblems(secretStrategy, { ...old, metadata: { name: 's', labels: { a: 'b' } } }, old)).toEqual([]);
  expect(changeProblems(secretStrategy, secret({ type: 'Opaque', data: {} }), old)).toEqual([
    'immutable: Forbidden: field is immutable when `immutable` is set',
    'data: Forbidden: field is immutable when `immutable` is set',
  ]);
});
