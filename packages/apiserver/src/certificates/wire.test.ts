import { describe, expect, it } from 'vitest';
import { serverOfFile } from '../testing/calls.ts';
import { callsByCertificate } from '../testing/certificateCalls.ts';
import { certificateRequest } from '../testing/certificateRequests.ts';

const admin = serverOfFile();
const callsAs = callsByCertificate(admin.server);
const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

describe('signers', () => {
  const spec = (organizations: string[] = []) => ({
    request: certificateRequest({ commonName: 'jane', organizations }).request,
    signerName: 'kubernetes.io/kube-apiserver-client',
    usages: ['client auth'],
  });

  it('sign for those who may approve, and nobody becomes an administrator', async () => {
    const clerk = await callsAs('clerk', 'clerks');
    const rules = [
      {
        apiGroups: ['certificates.k8s.io'],
        resources: [
          'certificatesigningrequests',
          'certificatesigningrequests/approval',
          'certificatesigningrequests/status',
        ],
        verbs: ['*'],
      },
    ];
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    await admin.post(`${rbac}/clusterroles`, { metadata: { name: 'clerk' }, rules });
    await admin.post(`${rbac}/clusterrolebindings`, {
      metadata: { name: 'clerk' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'clerk' },
      subjects: [{ kind: 'Group', name: 'clerks', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    const forbidden = await clerk.post(CSRS, { metadata: { name: 'root' }, spec: spec(['system:masters']) });
    expect([forbidden.status, forbidden.body.message]).toEqual([
      403,
      'certificatesigningrequests.certificates.k8s.io "root" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    ]);
    expect((await clerk.post(CSRS, { metadata: { name: 'jane' }, spec: spec() })).status).toBe(201);
    const approve = { status: { conditions: [{ type: 'Approved', status: 'True' }] } };
    const sign = { status: { certificate: btoa('x') } };
    const refused = 'certificatesigningrequests.certificates.k8s.io "jane" is forbidden: user not permitted to';
    expect((await clerk.patch(`${CSRS}/jane/approval`, 'merge', approve)).body.message).toBe(
      `${refused} approve requests with signerName "kubernetes.io/kube-apiserver-client"`,
    );
    expect((await clerk.patch(`${CSRS}/jane/status`, 'merge', sign)).status).toBe(422);
    const failed = { status: { conditions: [{ type: 'Failed', status: 'True' }] } };
    expect((await clerk.patch(`${CSRS}/jane/status`, 'merge', failed)).body.message).toBe(
      `${refused} sign requests with signerName "kubernetes.io/kube-apiserver-client"`,
    );
    const approver = 'system:certificates.k8s.io:kube-apiserver-client-approver';
    await admin.post(`${rbac}/clusterrolebindings`, {
      metadata: { name: 'approver' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: approver },
      subjects: [{ kind: 'Group', name: 'clerks', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    expect((await clerk.patch(`${CSRS}/jane/approval`, 'merge', approve)).status).toBe(200);
  });
});
