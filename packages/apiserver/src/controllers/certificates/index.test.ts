import { X509Certificate } from 'node:crypto';
import { CertificateSigningRequest, ClusterRoleBinding, Secret } from '@vireo/api';
import { Client } from '@vireo/kube';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { certificateRequest } from '../../testing/certificateRequests.ts';
import { found, gone, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { startTokenCleaner, TOKEN_CLEANER_USER } from '../tokenCleaner/index.ts';
import { CERTIFICATE_USER, startCertificateController } from './index.ts';

let test: TestServer;
const requests = (client = test.admin) => client.of(CertificateSigningRequest);
const CLIENT_KUBELET = 'kubernetes.io/kube-apiserver-client-kubelet';
const node = { commonName: 'system:node:n1', organizations: ['system:nodes'] };

const asUser = (username: string, ...groups: string[]): Client =>
  new Client(test.server.transportFor({ username, groups: [...groups, 'system:authenticated'] }));

const ask = (client: Client, name: string, signerName: string, usages: string[], names: object = node) =>
  requests(client).create({
    metadata: { name },
    spec: { request: certificateRequest(names).request, signerName, usages },
  });

const approveByHand = (name: string) =>
  requests().patch(
    name,
    { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test' }] } },
    { type: 'merge', subresource: 'approval' },
  );

const conditionOf = (name: string, type: string) =>
  found(async () => (await requests().get(name)).status?.conditions?.find((each) => each.type === type));

const certificateOf = async (name: string): Promise<X509Certificate> => {
  const pem = await found(async () => (await requests().get(name)).status?.certificate);
  return new X509Certificate(Buffer.from(pem, 'base64'));
};

beforeEach(async () => {
  test = await startServerInMemory();
});
afterEach(() => test.stop());

describe('certificate requests', () => {
  it('of nodes with a bootstrap token, and of nodes for themselves, are approved and signed', async () => {
    test.start(CERTIFICATE_USER, startCertificateController);
    const joining = asUser('system:bootstrap:abcdef', 'system:bootstrappers:kubeadm:default-node-token');
    const usages = ['digital signature', 'client auth'];
    await ask(joining, 'first', CLIENT_KUBELET, usages);
    expect(await conditionOf('first', 'Approved')).toMatchObject({
      reason: 'AutoApproved',
      message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
    });
    expect((await certificateOf('first')).subject).toBe('O=system:nodes\nCN=system:node:n1');
    await ask(asUser('system:node:n1', 'system:nodes'), 'renewed', CLIENT_KUBELET, usages);
    expect(await conditionOf('renewed', 'Approved')).toMatchObject({
      message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
    });
    expect((await certificateOf('renewed')).verify((await certificateOf('first')).publicKey)).toBe(false);
  });

  it('wait for a person otherwise, and then fail if their signer does not sign such', async () => {
    test.start(CERTIFICATE_USER, startCertificateController);
    await test.admin.of(ClusterRoleBinding).create({
      metadata: { name: 'ask' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-bootstrapper' },
      subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    const jane = asUser('jane');
    await ask(jane, 'node', CLIENT_KUBELET, ['client auth', 'digital signature']);
    await ask(jane, 'wrong', 'kubernetes.io/kubelet-serving', ['server auth', 'digital signature']);
    await ask(jane, 'jane', 'kubernetes.io/kube-apiserver-client', ['client auth'], { commonName: 'jane' });
    await approveByHand('wrong');
    await approveByHand('jane');
    expect(await conditionOf('wrong', 'Failed')).toMatchObject({
      reason: 'SignerValidationFailure',
      message: 'DNS or IP subjectAltName is required',
    });
    expect((await certificateOf('jane')).subject).toBe('CN=jane');
    expect((await requests().get('node')).status?.conditions).toBeUndefined();
  });

  it('go when they are long done, and bootstrap tokens when they have ended', async () => {
    await ask(test.admin, 'pending', 'example.com/other', ['any']);
    await ask(test.admin, 'denied', 'example.com/other', ['any']);
    await requests().patch(
      'denied',
      { status: { conditions: [{ type: 'Denied', status: 'True' }] } },
      { type: 'merge', subresource: 'approval' },
    );
    const secrets = test.admin.of(Secret);
    const token = (name: string, expiration: string) =>
      secrets.create({
        metadata: { name, namespace: 'kube-system' },
        type: 'bootstrap.kubernetes.io/token',
        stringData: { expiration },
      });
    await token('over', '2020-01-01T00:00:00Z');
    await token('fresh', '2100-01-01T00:00:00Z');
    const clock = new FakeClock();
    clock.advance(Date.now() + 2 * 3_600_000);
    test.start(CERTIFICATE_USER, (context, signal) => startCertificateController({ ...context, clock }, signal));
    test.start(TOKEN_CLEANER_USER, (context, signal) => startTokenCleaner({ ...context, clock }, signal));
    await gone(() => requests().get('denied'));
    await gone(() => secrets.get('over', { namespace: 'kube-system' }));
    expect((await requests().get('pending')).metadata.name).toBe('pending');
    expect((await secrets.get('fresh', { namespace: 'kube-system' })).metadata.name).toBe('fresh');
    clock.advance(24 * 3_600_000);
    await gone(() => requests().get('pending'));
  });
});
