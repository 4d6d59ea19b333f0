import { X509Certificate } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import { unauthorized } from '@vireo/api';
import { testAuthority } from '@vireo/apiserver/testing/certificates.ts';
import { describe, expect, it } from 'vitest';
import { authenticateBy, type Trust, tokenOf } from './authenticate.ts';
import type { Peer } from './peer.ts';

const proxies = testAuthority();
const users = testAuthority();

/** Whoever shows a certificate of that authority, which the listener has found valid. */
function peer(authority: typeof users, commonName: string, organizations: string[] = [], isCurrent = true): Peer {
  const valid_to = new Date(isCurrent ? Date.now() + 60_000 : 0).toUTCString();
  const { certPem } = authority.issue({ commonName, organizations, use: 'client' });
  const { raw } = new X509Certificate(certPem);
  const certificate = {
    raw,
    valid_to,
    subject: { CN: commonName, ...(organizations.length > 0 && { O: organizations }) },
  };
  // What has expired was valid when the connection was made.
  return { authorized: true, getPeerCertificate: () => certificate as unknown as PeerCertificate } as Peer;
}
const nobody = { authorized: false, getPeerCertificate: () => ({}) } as unknown as Peer;

const reviewToken = async (token: string) => {
  if (token !== 'good') throw unauthorized('the token is not valid');
  return { username: 'tom', groups: ['system:authenticated'] };
};
const trust: Trust = { frontProxyCa: proxies.caPem, frontProxyNames: ['proxy'], clientCa: users.caPem };
/** One authority for both, as some clusters have it. */
const shared: Trust = { ...trust, frontProxyCa: users.caPem };
const JANE = { 'x-remote-user': ['jane'], 'x-remote-group': ['dev'] };
const MASTER = { 'x-remote-user': ['root'], 'x-remote-group': ['system:masters'] };
const bearer = (token: string) => ({ authorization: [`Bearer ${token}`] });

describe('who sends a request', () => {
  it.each<[string, Peer, Record<string, string[]>, Trust, string]>([
    ['is whom the front proxy names', peer(proxies, 'proxy'), JANE, trust, 'jane'],
    [
      'is whom the front proxy names, whatever token it hands on',
      peer(proxies, 'proxy'),
      { ...JANE, ...bearer('good') },
      trust,
      'jane',
    ],
    ['is whom the certificate names', peer(users, 'ann', ['ops']), {}, trust, 'ann'],
    ['is whom the certificate names, not whom the headers name', peer(users, 'ann'), MASTER, trust, 'ann'],
    ['is whom the certificate names, where one authority signs for all', peer(users, 'ann'), MASTER, shared, 'ann'],
    ['is whom the proxy names, where one authority signs for all', peer(users, 'proxy'), JANE, shared, 'jane'],
    ['is whose token it is', nobody, bearer('good'), trust, 'tom'],
    ['is whose token it is, not whom the headers name', nobody, { ...MASTER, ...bearer('good') }, trust, 'tom'],
  ])('%s', async (_, from, headers, trusted, username) => {
    expect((await authenticateBy(trusted, reviewToken)(from, headers)).username).toBe(username);
  });

  it.each<[string, Peer, Record<string, string[]>, RegExp]>([
    ['without credentials', nobody, MASTER, /has no token and the client presents no certificate/],
    ['with a wrong token', nobody, bearer('bad'), /the token is not valid/],
    ['with a certificate that has expired', peer(users, 'ann', [], false), {}, /not signed by the front-proxy CA/],
    ['with the certificate of another proxy', peer(proxies, 'other'), MASTER, /"other", which is not allowed/],
    ['with the certificate of a third authority', peer(testAuthority(), 'proxy'), MASTER, /not signed by/],
  ])('is nobody %s', async (_, from, headers, message) => {
    await expect(authenticateBy(trust, reviewToken)(from, headers)).rejects.toMatchObject({
      code: 401,
      message: expect.stringMatching(message),
    });
  });

  it('has the groups of the certificate', async () => {
    expect(await authenticateBy(trust)(peer(users, 'ann', ['ops', 'dev']), {})).toEqual({
      username: 'ann',
      groups: ['ops', 'dev', 'system:authenticated'],
    });
  });

  it('is acted for with their bearer token only', async () => {
    const authenticate = authenticateBy(trust, reviewToken);
    expect(tokenOf(await authenticate(nobody, bearer('good')))).toBe('good');
    expect(tokenOf(await authenticate(peer(proxies, 'proxy'), { ...JANE, ...bearer('good') }))).toBeUndefined();
  });
});
