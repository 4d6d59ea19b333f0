import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { parseCertificateRequest } from '@vireo/kube/certificates/parse.ts';
import { signerProblem } from '@vireo/kube/certificates/signers.ts';
import { issueCertificate } from '@vireo/kube/serving/certificate.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { certificateRequest, pemOf, type RequestedNames } from '../testing/certificateRequests.ts';
import { issueRequested, validityOf } from './issue.ts';

const node = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
const CLIENT = ['digital signature', 'client auth'];
const SERVING = ['digital signature', 'key encipherment', 'server auth'];

describe('signers', () => {
  test.each<[string, string, RequestedNames, string[], string | undefined]>([
    [
      'any client',
      'kube-apiserver-client',
      { commonName: 'jane', organizations: ['a', 'b'] },
      ['client auth'],
      undefined,
    ],
    [
      'a client that wants to serve',
      'kube-apiserver-client',
      { commonName: 'jane' },
      ['client auth', 'server auth'],
      'invalid usage for client certificate: server auth',
    ],
    [
      'a client that wants nothing',
      'kube-apiserver-client',
      { commonName: 'jane' },
      ['digital signature'],
      'missing required usage for client certificate: client auth',
    ],
    ['a node', 'kube-apiserver-client-kubelet', node, CLIENT, undefined],
    ['a node with an RSA key', 'kube-apiserver-client-kubelet', node, [...CLIENT, 'key encipherment'], undefined],
    [
      'a node of another group',
      'kube-apiserver-client-kubelet',
      { ...node, organizations: ['system:nodes', 'system:masters'] },
      CLIENT,
      'subject organization is not system:nodes',
    ],
    [
      'a node by another name',
      'kube-apiserver-client-kubelet',
      { ...node, commonName: 'n1' },
      CLIENT,
      'subject common name does not begin with system:node:',
    ],
    [
      'a node with a name to serve under',
      'kube-apiserver-client-kubelet',
      { ...node, dnsNames: ['n1'] },
      CLIENT,
      'DNS subjectAltNames are not allowed',
    ],
    [
      'a node with an address',
      'kube-apiserver-client-kubelet',
      { ...node, ipAddresses: ['10.0.0.1'] },
      CLIENT,
      'IP subjectAltNames are not allowed',
    ],
    [
      'a node with other uses',
      'kube-apiserver-client-kubelet',
      node,
      ['client auth'],
      'usages did not match [client auth digital signature key encipherment]',
    ],
    ['a node that serves', 'kubelet-serving', { ...node, ipAddresses: ['::1'] }, SERVING, undefined],
    ['a node that serves nowhere', 'kubelet-serving', node, SERVING, 'DNS or IP subjectAltName is required'],
    [
      'a node that serves mail',
      'kubelet-serving',
      { ...node, dnsNames: ['n'], emailAddresses: ['a@b'] },
      SERVING,
      'Email subjectAltNames are not allowed',
    ],
    [
      'a node that serves URIs',
      'kubelet-serving',
      { ...node, dnsNames: ['n'], uris: ['spiffe://x'] },
      SERVING,
      'URI subjectAltNames are not allowed',
    ],
    [
      'a serving node with uses of a client',
      'kubelet-serving',
      { ...node, dnsNames: ['n'] },
      CLIENT,
      'usages did not match [digital signature key encipherment server auth]',
    ],
  ])('%s', (_, signer, names, usages, problem) => {
    const parsed = parseCertificateRequest(certificateRequest(names).request);
    expect(signerProblem(`kubernetes.io/${signer}`, parsed, usages)).toBe(problem);
  });
});

describe('an issued certificate', () => {
  const caKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const now = Date.parse('2026-01-01T00:00:00Z');
  const ca = {
    certPem: issueCertificate(
      { commonName: 'ca', use: 'ca', notBefore: new Date(now), notAfter: new Date(now + 1e12) },
      caKey,
    ),
    keyPem: caKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };

  test('has the names and uses that were asked for, and is no authority', () => {
    const { request, keyPem } = certificateRequest({
      ...node,
      dnsNames: ['n1.example'],
      ipAddresses: ['10.0.0.1', '::1'],
    });
    const pem = issueRequested(parseCertificateRequest(request), { usages: SERVING }, ca, now);
    const certificate = new X509Certificate(pem);
    expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:n1');
    expect(certificate.subjectAltName).toBe('DNS:n1.example, IP Address:10.0.0.1, IP Address:0:0:0:0:0:0:0:1');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(certificate.ca).toBe(false);
    expect(certificate.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
    expect(certificate.verify(new X509Certificate(ca.certPem).publicKey)).toBe(true);
    // Digital signature and key encipherment: the bits 0 and 2 of a bit string.
    expect(certificate.raw.includes(Buffer.from('030205a0', 'hex'))).toBe(true);
  });

  const HOUR = 3_600_000;
  test.each<[string, number | undefined, number]>([
    ['a year, less the backdating', undefined, 365 * 24 * HOUR - 300_000],
    ['at most a year', 10 * 365 * 24 * 3600, 365 * 24 * HOUR - 300_000],
    ['a short time in full', 3600, HOUR],
    ['at least ten minutes', 1, 600_000],
  ])('lives %s', (_, seconds, expected) => {
    const { notBefore, notAfter } = validityOf(seconds, new Date(8.64e15), now);
    expect([notBefore.getTime() - now, notAfter.getTime() - now]).toEqual([-300_000, expected]);
  });

  test('does not outlive its authority', () => {
    expect(validityOf(undefined, new Date(now + HOUR), now).notAfter).toEqual(new Date(now + HOUR));
  });
});

/** `openssl req -newkey rsa:2048 -subj /C=DE/O=system:nodes/CN=system:node:n1 -addext subjectAltName=…` */
const BY_OPENSSL =
  'MIICwTCCAakCAQAwPTELMAkGA1UEBhMCREUxFTATBgNVBAoMDHN5c3RlbTpub2RlczEXMBUGA1UEAwwOc3lzdGVtOm5vZGU6bjEw' +
  'ggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQDm7SkJp6d4e7dfdKyT6AAe/wn2VFMsvNVhAj1AkyleX7+uzxmKlQ8nPFur' +
  'FuCrDn7mIEASwpt2MJmG+xzSodV5SHTJAm9NgTLL+1H//mxQnJT1kYH3G51HIoVZWKsmo2YmuE/a4PMzV+I4POKeClIxLrsUkSuj' +
  '1xhuvlRzFXvyy8908bRaKYvyW5KCzV+DTDp4X0h13vngjzixM4y4ovO8p9KVdVBV8VRcVT6aG+m7y+daFqlcBFlN1ggoh8PP+bn2' +
  'CJfkCuR0yt4bKmjYwDHst0igBcJWOAxMmADXcVjDVcj43hoMwTVWISaj/pTr71MEdPfZPuRVj2CLqBXF8ZLnAgMBAAGgPzA9Bgkq' +
  'hkiG9w0BCQ4xMDAuMCwGA1UdEQQlMCOCCWEuZXhhbXBsZYcECgAAAYcQAAAAAAAAAAAAAAAAAAAAATANBgkqhkiG9w0BAQsFAAOC' +
  'AQEAbyXEpS5RXsr2Ch1dQu3ZwzQERkQ7VALMj816KJNoLfYBlezvAbzruGN0HhqTyQlv/1qW5ARBBLVpn/M8qRukGpmMcez7ugyT' +
  'UcOiJDOH/El4LSK5pEBL1apOYC34b+Ha2zjgDX6/neF/wi3FoHYmfV8qCcYDg1X5P3tpABU98zXTvw0l/rD10W01fVBAAAZ52Wpg' +
  'M+5p5oVsgQ1kQ0nlV1cFYnbfA1jcShYdhqixbEDbV+H9Qx+vcBKgMLvf9ot1H5liGnkR9fpa2PeJO5o/VA44tOjUxbBcgDyXAYDc' +
  'L53GEb+bXHLnYe23bA8O11k5/P45yGSEVtEZs33MYXWvvw==';

test('an RSA request that openssl made is read', () => {
  expect(parseCertificateRequest(pemOf('CERTIFICATE REQUEST', BY_OPENSSL))).toMatchObject({
    commonName: 'system:node:n1',
    organizations: ['system:nodes'],
    otherNames: [['2.5.4.6', 'DE']],
    dnsNames: ['a.example'],
    ipAddresses: ['10.0.0.1', '0000:0000:0000:0000:0000:0000:0000:0001'],
  });
});

test('a broken request is refused in words, whatever is broken', () => {
  const good = Buffer.from(certificateRequest({ ...node, dnsNames: ['a'] }).request, 'base64').toString();
  const [, body = ''] = /REQUEST-----\n(.*)\n-----END/s.exec(good) ?? [];
  const bytes = Buffer.from(body, 'base64');
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, change, cut) => {
      const broken = Buffer.from(cut ? bytes.subarray(0, at) : bytes);
      if (!cut) broken[at] = (broken[at] ?? 0) ^ change;
      const pem = pemOf('CERTIFICATE REQUEST', broken.toString('base64'));
      expect(() => parseCertificateRequest(pem)).toThrow(Error);
    }),
    { numRuns: 300 },
  );
});
