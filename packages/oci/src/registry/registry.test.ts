import { describe, expect, it } from 'vitest';
import { parseReference } from '../reference.ts';
import { type Challenge, parseChallenge } from './challenge.ts';
import { type Credentials, credentialsFor } from './credentials.ts';
import { endpointsOf } from './endpoints.ts';
import { retryAfterMs } from './retry.ts';

describe('challenges', () => {
  it.each<[string, Challenge | undefined]>([
    ['Basic realm="x"', { scheme: 'basic' }],
    ['basic', { scheme: 'basic' }],
    ['Bearer realm="https://auth.example/token"', { scheme: 'bearer', realm: 'https://auth.example/token' }],
    [
      'Bearer realm="https://a/t", service="s", scope="repository:a/b:pull,push"',
      { scheme: 'bearer', realm: 'https://a/t', service: 's', scope: 'repository:a/b:pull,push' },
    ],
    ['Basic realm="x", Bearer realm="https://a/t"', { scheme: 'bearer', realm: 'https://a/t' }],
    ['Negotiate', undefined],
    ['Bearer', undefined],
    ['', undefined],
    ['Bearer realm="a\\"b"', { scheme: 'bearer', realm: 'a"b' }],
  ])('%s', (header, challenge) => {
    expect(parseChallenge(header)).toEqual(challenge);
  });
});

describe('credentials in a pull secret', () => {
  const config = (auths: Record<string, unknown>): string => JSON.stringify({ auths });
  const auth = (username: string) => ({ auth: Buffer.from(`${username}:p:w`).toString('base64') });
  const found = (username: string): Credentials => ({ username, password: 'p:w' });

  it.each<[image: string, secret: string, Credentials | undefined]>([
    ['quay.io/a/b', config({ 'quay.io': auth('u') }), found('u')],
    ['quay.io/a/b', config({ 'https://quay.io': auth('u') }), found('u')],
    ['quay.io/a/b', config({ 'https://quay.io/v2/': auth('u') }), found('u')],
    ['quay.io/a/b', config({ 'quay.io:443': auth('u') }), undefined],
    ['quay.io/a/b', config({ 'quay.io/a': auth('u'), 'quay.io': auth('other') }), found('u')],
    ['quay.io/ab/c', config({ 'quay.io/a': auth('u') }), undefined],
    ['quay.io/a/b', config({ '*.io': auth('u') }), found('u')],
    ['quay.io/a/b', config({ '*.io': auth('other'), 'quay.io': auth('u') }), found('u')],
    ['my.quay.io/a', config({ '*.io': auth('u') }), undefined],
    ['registry:5000/a', config({ 'registry:5000': auth('u') }), found('u')],
    ['alpine', config({ 'https://index.docker.io/v1/': auth('u') }), found('u')],
    ['alpine', config({ 'quay.io': auth('u') }), undefined],
    ['quay.io/a', config({ 'quay.io': { username: 'u', password: 'p:w' } }), found('u')],
    ['quay.io/a', config({ 'quay.io': { identitytoken: 't' } }), { identityToken: 't' }],
    ['quay.io/a', JSON.stringify({ 'quay.io': auth('u') }), found('u')],
    ['quay.io/a', '{}', undefined],
  ])('%s with %s', (image, secret, credentials) => {
    expect(credentialsFor(parseReference(image), secret)).toEqual(credentials);
  });

  it('a broken challenge is reported without its content', () => {
    expect(() => credentialsFor(parseReference('a'), '{"auths": {"x": "hunter2"')).toThrow(
      'the pull secret is not valid JSON',
    );
  });
});

describe('where a registry is asked', () => {
  it.each<[string, Parameters<typeof endpointsOf>[1], string[]]>([
    ['docker.io', {}, ['https://registry-1.docker.io/']],
    ['quay.io', {}, ['https://quay.io/']],
    ['localhost:5000', {}, ['https://localhost:5000/', 'http://localhost:5000/']],
    ['127.0.0.1:5000', {}, ['https://127.0.0.1:5000/', 'http://127.0.0.1:5000/']],
    ['127.0.0.1.example:5000', {}, ['https://127.0.0.1.example:5000/']],
    ['r.example', { isPlainHttp: true }, ['http://r.example/']],
    ['r.example', { mirrors: ['https://m.example'] }, ['https://m.example/', 'https://r.example/']],
  ])('%s %j', (registry, settings, urls) => {
    expect(endpointsOf(registry, settings).map(({ url }) => url.href)).toEqual(urls);
  });
});

it.each<[string | undefined, number | undefined]>([
  ['3', 3000],
  ['Thu, 01 Jan 1970 00:00:10 GMT', 9000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', undefined],
  [undefined, undefined],
])('Retry-After: %s', (header, ms) => {
  expect(retryAfterMs(header, 1000)).toBe(ms);
});
