import type { CertificateSigningRequest } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { otherRequesterOf, type ReadRequest } from './joining.ts';

const A = 'system:bootstrap:a';
const B = 'system:bootstrap:b';

const read = (name: string, username: string, key: string, ...conditions: string[]): ReadRequest => ({
  request: persisted<CertificateSigningRequest>({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name, uid: name },
    spec: { request: '', signerName: 'kubernetes.io/kube-apiserver-client', usages: [], username },
    status: { conditions: conditions.map((type) => ({ type, status: 'True' })) },
  }),
  parsed: {
    commonName: 'vireo:node:a',
    organizations: [],
    otherNames: [],
    dnsNames: [],
    ipAddresses: [],
    emailAddresses: [],
    uris: [],
    publicKey: Buffer.from(key),
  },
});
const own = read('own', A, 'own key');

it.each<[string, ReadRequest[], string | undefined]>([
  ['the same token for another key', [read('x', A, 'key', 'Approved')], A],
  ['another token for another key', [read('x', B, 'key', 'Approved')], B],
  ['the node itself for another key', [read('x', 'vireo:node:a', 'key', 'Approved')], 'vireo:node:a'],
  ['several, of which one has the same token', [read('x', B, 'k', 'Approved'), read('y', A, 'l', 'Approved')], A],
  ['the same host before, with the same key', [read('x', A, 'own key', 'Approved')], undefined],
  ['the same host with another token', [read('x', B, 'own key', 'Approved')], undefined],
  ['somebody who waits', [read('x', B, 'key')], undefined],
  ['somebody who was denied it', [read('x', B, 'key', 'Denied')], undefined],
  ['somebody whom the signer refused', [read('x', B, 'key', 'Approved', 'Failed')], undefined],
])('who else has the name: %s', (_, others, expected) => {
  expect(otherRequesterOf(own, [own, ...others])).toBe(expected);
});
