import { expect, it } from 'vitest';
import { type Cause, causeOf, hasToken } from './browserRequest.ts';

const host = 'vireo.example:6443';
const origin = `https://${host}`;

it.each<[string, Record<string, string>, Cause]>([
  ['kubectl', { host }, 'program'],
  ['kubectl over HTTP/2', { ':authority': host }, 'program'],
  [
    'kubectl proxy, for a page of its own',
    { host, origin: 'http://127.0.0.1:8001', 'x-forwarded-for': '::1' },
    'program',
  ],
  ['our page that reads', { ':authority': host, 'sec-fetch-site': 'same-origin' }, 'own'],
  ['our page that writes', { ':authority': host, origin, 'sec-fetch-site': 'same-origin' }, 'own'],
  ['our page in an old browser', { host, origin }, 'own'],
  ['a WebSocket of our page', { host, origin }, 'own'],
  ['an address that was typed', { host, 'sec-fetch-site': 'none' }, 'own'],
  ['a form of another site', { host, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 'foreign'],
  ['an image on another site', { host, 'sec-fetch-site': 'cross-site' }, 'foreign'],
  ['a page on another port', { host, origin: 'https://vireo.example:8443', 'sec-fetch-site': 'same-site' }, 'foreign'],
  ['a WebSocket of another site', { host, origin: 'https://evil.example' }, 'foreign'],
  ['a page over HTTP', { host, origin: `http://${host}` }, 'foreign'],
  ['a page in a sandbox', { host, origin: 'null' }, 'foreign'],
  [
    'another origin, whatever else is said',
    { host, origin: 'https://evil.example:6443', 'sec-fetch-site': 'same-origin' },
    'foreign',
  ],
])('%s', (_, headers, cause) => {
  expect(causeOf(headers)).toBe(cause);
});

it.each([
  [{ authorization: 'Bearer x' }, true],
  [{ 'sec-websocket-protocol': 'plain.kubevirt.io, base64url.bearer.authorization.k8s.io.eA' }, true],
  [{ 'sec-websocket-protocol': 'plain.kubevirt.io' }, false],
  [{}, false],
])('%o has a token: %s', (headers, isTrue) => {
  expect(hasToken(headers)).toBe(isTrue);
});
