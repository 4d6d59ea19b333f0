import { authorityHash, clusterInfoKubeconfig, signText } from '@vireo/kube/joining/clusterInfo.ts';
import { testPki } from '@vireo/kube/testing/pki.ts';
import { describe, expect, it } from 'vitest';
import { joinCommand, serverUrl, verify } from './discover.ts';

const { ca } = testPki();
const { ca: other } = testPki();
const token = { id: 'abcdef', secret: '0123456789abcdef' };
const kubeconfig = clusterInfoKubeconfig('https://192.0.2.1:6443', ca);
const signed = { kubeconfig, 'jws-kubeconfig-abcdef': signText(kubeconfig, token) };

describe('the cluster-info of a server', () => {
  it('is trusted if the token has signed it and its CA has the given hash', () => {
    const found = { server: 'https://192.0.2.1:6443', caPem: ca };
    expect(verify(signed, token, [])).toMatchObject(found);
    expect(verify(signed, token, [authorityHash(other), authorityHash(ca)])).toMatchObject(found);
  });

  it.each([
    ['of a server that does not know the token', { kubeconfig }, token, [], 'does not know the token'],
    ['of a server with nothing to say', {}, token, [], 'does not know the token'],
    [
      'that somebody changed on the way',
      { ...signed, kubeconfig: clusterInfoKubeconfig('https://192.0.2.1:6443', other) },
      token,
      [],
      'not signed by the token',
    ],
    [
      'that was signed by a token with the same id',
      signed,
      { ...token, secret: 'aaaaaaaaaaaaaaaa' },
      [],
      'not signed by the token',
    ],
    [
      'that somebody signed who has the token, for another authority',
      signed,
      token,
      [authorityHash(other)],
      authorityHash(ca),
    ],
  ])('%s is not', (_, data, shown, hashes, message) => {
    expect(() => verify(data as Record<string, string>, shown, hashes)).toThrow(message);
  });
});

it.each([
  ['192.0.2.1:7443', 'https://192.0.2.1:7443'],
  ['192.0.2.1', 'https://192.0.2.1:6443'],
  ['https://example.org:443', 'https://example.org:443'],
  ['[2001:db8::1]:6443', 'https://[2001:db8::1]:6443'],
])('the server at %s is %s', (address, url) => expect(serverUrl(address)).toBe(url));

it('an address without encryption is refused', () => {
  expect(() => serverUrl('http://192.0.2.1:6443')).toThrow('not the address of a server');
});

it('the line to paste has address, token and hash', () => {
  expect(joinCommand('vireo', { server: 'https://192.0.2.1:6443', caPem: ca }, token)).toBe(
    `vireo join 192.0.2.1:6443 --token abcdef.0123456789abcdef --ca-cert-hash ${authorityHash(ca)}`,
  );
});
