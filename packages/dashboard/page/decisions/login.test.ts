import { describe, expect, it } from 'vitest';
import {
  authorizationUrl,
  certificateUser,
  endSessionUrl,
  expiryOf,
  remainingWords,
  returnedIn,
  warnBeforeMs,
} from './login.ts';

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (claims: object): string => `${encode({ alg: 'ES256' })}.${encode(claims)}.c2ln`;

describe('the end of a token', () => {
  it('is what it says', () => {
    expect(expiryOf(token({ exp: 1_700_000_000, name: 'Zoë ÿÿ' }))).toBe(1_700_000_000_000);
  });
  it.each(['nonsense', 'a.b.c', 'a..c', `x.${encode({ exp: 'soon' })}.y`, `a.${encode([])}.c.d`])(
    'is unknown for %s',
    (text) => {
      expect(expiryOf(text)).toBeUndefined();
    },
  );
  it('is announced five minutes before, or after two thirds of a short life', () => {
    expect(warnBeforeMs(token({ iat: 0, exp: 3600 }))).toBe(300_000);
    expect(warnBeforeMs(token({ iat: 0, exp: 300 }))).toBe(100_000);
    expect(warnBeforeMs('static')).toBe(300_000);
  });
  it.each([
    [299_000, '5 minutes'],
    [61_000, '1 minute'],
    [59_100, 'less than a minute'],
    [-5, 'less than a minute'],
  ])('in %i ms is told as %s', (ms, words) => {
    expect(remainingWords(ms)).toBe(words);
  });
});

const endpoints = {
  clientID: 'vireo',
  scopes: ['openid', 'email'],
  authorizationEndpoint: 'https://idp.example/authorize?tenant=a',
  endSessionEndpoint: 'https://idp.example/logout',
};
const request = {
  state: 's',
  nonce: 'n',
  challenge: 'c',
  redirectUri: 'https://v/dashboard/login',
  isAskedAgain: false,
};

it('a provider is asked for a code, with a challenge, a state and a nonce', () => {
  expect(Object.fromEntries(new URL(authorizationUrl(endpoints, request)).searchParams)).toEqual({
    tenant: 'a',
    response_type: 'code',
    client_id: 'vireo',
    scope: 'openid email',
    redirect_uri: 'https://v/dashboard/login',
    state: 's',
    nonce: 'n',
    code_challenge: 'c',
    code_challenge_method: 'S256',
  });
  expect(authorizationUrl(endpoints, { ...request, isAskedAgain: true })).toContain('prompt=login');
});

it('a session is ended at providers that can', () => {
  expect(endSessionUrl(endpoints, 'id', 'https://v/dashboard/')).toBe(
    'https://idp.example/logout?id_token_hint=id&client_id=vireo&post_logout_redirect_uri=https%3A%2F%2Fv%2Fdashboard%2F',
  );
  const { endSessionEndpoint: _, ...without } = endpoints;
  expect(endSessionUrl(without, 'id', 'https://v/')).toBeUndefined();
});

it.each([
  ['/dashboard/login', '?code=c&state=s', { state: 's', code: 'c' }],
  ['/dashboard/login', '?error=access_denied&state=s', { state: 's', problem: 'access_denied' }],
  ['/dashboard/login', '?error=x&error_description=why&state=s', { state: 's', problem: 'x: why' }],
  ['/dashboard/login', '?code=c', undefined],
  ['/dashboard/login', '', undefined],
  ['/dashboard/', '?code=c&state=s', undefined],
])('%s%s is %o', (path, search, returned) => {
  expect(returnedIn(path, search)).toEqual(returned);
});

it.each([
  ['X509SHA256=ab', 'ada', 'ada'],
  ['JTI=ab', 'ada', undefined],
  [undefined, 'system:anonymous', undefined],
])('with the credential %s, %s is the user of a certificate: %s', (id, username, user) => {
  const extra = id === undefined ? {} : { 'authentication.kubernetes.io/credential-id': [id] };
  expect(certificateUser({ username, extra })).toBe(user);
});
