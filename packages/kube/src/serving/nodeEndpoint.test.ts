import { X509Certificate } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { newKey } from '../certificates/request.ts';
import { issueCertificate } from './certificate.ts';
import { endpointOf, nodeCertificateProblem } from './nodeEndpoint.ts';

const certificate = (commonName: string, organizations: string[], ipAddresses: string[]): PeerCertificate => {
  const pem = issueCertificate(
    {
      commonName,
      organizations,
      use: 'server',
      notBefore: new Date(0),
      notAfter: new Date('2040-01-01T00:00:00Z'),
      subjectAltNames: { dnsNames: [], ipAddresses },
    },
    newKey(),
  );
  return new X509Certificate(pem).toLegacyObject() as PeerCertificate;
};

describe('the certificate of a node', () => {
  it.each([
    ['for the node and its address', certificate('system:node:a', ['system:nodes'], ['192.0.2.1']), undefined],
    ['for another node', certificate('system:node:b', ['system:nodes'], ['192.0.2.1']), 'instead of "system:node:a"'],
    ['of another group', certificate('system:node:a', ['vireo:nodes'], ['192.0.2.1']), 'instead of'],
    ['for another address', certificate('system:node:a', ['system:nodes'], ['192.0.2.2']), 'not for the address'],
  ])('%s', (_, shown, problem) => {
    const found = nodeCertificateProblem('a', '192.0.2.1', shown);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found?.message).toContain(problem);
  });
});

it.each([
  [[{ type: 'InternalIP', address: '192.0.2.1' }], 10250, { host: '192.0.2.1', port: 10250 }],
  [[{ type: 'Hostname', address: 'a' }], 10250, undefined],
  [[{ type: 'InternalIP', address: 'a' }], 10250, undefined],
  [[{ type: 'InternalIP', address: '192.0.2.1' }], undefined, undefined],
])('a Node with addresses %j and port %s listens at %j', (addresses, port, expected) => {
  const daemonEndpoints = port === undefined ? {} : { kubeletEndpoint: { Port: port } };
  expect(endpointOf({ status: { addresses, daemonEndpoints } })).toEqual(expected);
});
