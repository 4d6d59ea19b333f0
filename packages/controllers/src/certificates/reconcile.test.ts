import type { CertificateSigningRequest } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { otherTokenOf } from './reconcile.ts';

const request = (name: string, username: string, ...conditions: string[]) =>
  persisted<CertificateSigningRequest>({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name, uid: name },
    spec: { request: '', signerName: 'kubernetes.io/kube-apiserver-client', usages: [], username },
    status: { conditions: conditions.map((type) => ({ type, status: 'True' })) },
  });
const own = request('own', 'system:bootstrap:own');

it.each([
  ['was given the name', request('a', 'system:bootstrap:a', 'Approved'), 'system:bootstrap:a'],
  ['was denied it', request('a', 'system:bootstrap:a', 'Denied'), undefined],
  ['was approved, and refused by the signer', request('a', 'system:bootstrap:a', 'Approved', 'Failed'), undefined],
  ['is the same one', request('a', 'system:bootstrap:own', 'Approved'), undefined],
  ['is no token but the node itself', request('a', 'vireo:node:a', 'Approved'), undefined],
])('another token %s', (_, other, expected) => {
  expect(otherTokenOf(own, [own, other])).toBe(expected);
});
