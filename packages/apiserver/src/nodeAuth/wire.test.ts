import { beforeAll, describe, expect, it, test } from 'vitest';
import { type Calls, callsOver, serverOfFile } from '../testing/calls.ts';
import { callsByCertificate } from '../testing/certificateCalls.ts';
import { certificateRequest } from '../testing/certificateRequests.ts';

const admin = serverOfFile();
const callsAs = callsByCertificate(admin.server);
const uids: Record<string, string> = {};

const pod = (name: string, nodeName: string | undefined, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { ...(nodeName && { nodeName }), containers: [{ name: 'c', image: 'i' }], ...spec },
});
const PODS = '/api/v1/namespaces/default/pods';
const SECRETS = '/api/v1/namespaces/default/secrets';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const TOKENS = '/api/v1/namespaces/default/serviceaccounts';
const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

let node: Calls;
beforeAll(async () => {
  node = await callsAs('system:node:n1', 'system:nodes');
  const post = async (path: string, body: object): Promise<void> => {
    const { status, body: made } = await admin.post(path, body);
    expect([status, made.message]).toEqual([201, undefined]);
    uids[`${made.kind}/${made.metadata.name}`] = made.metadata.uid ?? '';
  };
  for (const name of ['mine', 'other', 'of-volume']) await post(SECRETS, { metadata: { name } });
  await post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'mine' } });
  for (const name of ['mine', 'other'])
    await post(CLAIMS, {
      metadata: { name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: '',
        volumeName: `v-${name}`,
        resources: { requests: { storage: '1Gi' } },
      },
    });
  await post('/api/v1/persistentvolumes', {
    metadata: { name: 'v-mine' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      capacity: { storage: '1Gi' },
      claimRef: { namespace: 'default', name: 'mine' },
      csi: { driver: 'd', volumeHandle: 'h', nodeStageSecretRef: { name: 'of-volume', namespace: 'default' } },
    },
  });
  await post(TOKENS, { metadata: { name: 'mine' } });
  await post('/api/v1/nodes', { metadata: { name: 'n2' } });
  await post(
    PODS,
    pod('mine', 'n1', {
      serviceAccountName: 'mine',
      containers: [
        {
          name: 'c',
          image: 'i',
          envFrom: [{ secretRef: { name: 'mine' } }],
          env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'mine', key: 'k' } } }],
        },
      ],
      volumes: [
        { name: 'v', persistentVolumeClaim: { claimName: 'mine' } },
        { name: 't', projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'vault' } }] } },
      ],
    }),
  );
  await post(PODS, pod('other', 'n2', { volumes: [{ name: 's', secret: { secretName: 'other' } }] }));
});

/** Status and message of a call, which is made when the objects are there. */
type Case = [title: string, call: (node: Calls) => ReturnType<Calls['get']>, status: number, message?: string | RegExp];

const cannot = (verb: string, resource: string, where: string, why: string, group = '') =>
  `User "system:node:n1" cannot ${verb} resource "${resource}" in API group "${group}" ${where}: ${why}`;
const inDefault = 'in the namespace "default"';
const unrelated = "no relationship found between node 'n1' and this object";
const merge = (calls: Calls, path: string, body: object) => calls.patch(path, 'merge', body);
const taint = { key: 'k', effect: 'NoSchedule' };

test.each<Case>([
  [
    'creates its Node',
    (n) => n.post('/api/v1/nodes', { metadata: { name: 'n1', labels: { 'kubevirt.io/x': 'y' } } }),
    201,
  ],
  [
    'creates no other Node',
    (n) => n.post('/api/v1/nodes', { metadata: { name: 'n3' } }),
    403,
    'nodes "n3" is forbidden: node "n1" is not allowed to modify node "n3"',
  ],
  ['reads its Node', (n) => n.get('/api/v1/nodes/n1'), 200],
  ['lists itself', (n) => n.get('/api/v1/nodes', { query: { fieldSelector: 'metadata.name=n1' } }), 200],
  [
    'lists no others',
    (n) => n.get('/api/v1/nodes'),
    403,
    `nodes is forbidden: ${cannot('list', 'nodes', 'at the cluster scope', "node 'n1' cannot read all nodes, only its own Node object")}`,
  ],
  [
    'reads no others',
    (n) => n.get('/api/v1/nodes/n2'),
    403,
    `nodes "n2" is forbidden: ${cannot('get', 'nodes', 'at the cluster scope', "node 'n1' cannot read 'n2', only its own Node object")}`,
  ],
  ['writes its status', (n) => merge(n, '/api/v1/nodes/n1/status', { status: { capacity: { 'a.io/b': '1' } } }), 200],
  [
    'writes no other status',
    (n) => merge(n, '/api/v1/nodes/n2/status', { status: {} }),
    403,
    'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
  ],
  [
    'leaves its taints alone',
    (n) => merge(n, '/api/v1/nodes/n1', { spec: { taints: [taint] } }),
    403,
    'nodes "n1" is forbidden: node "n1" is not allowed to modify taints',
  ],
  [
    'leaves its owners alone',
    (n) =>
      merge(n, '/api/v1/nodes/n1', {
        metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }] },
      }),
    403,
    'nodes "n1" is forbidden: node "n1" is not allowed to modify ownerReferences',
  ],
  [
    'draws no work to itself by labels',
    (n) =>
      merge(n, '/api/v1/nodes/n1', {
        metadata: {
          labels: { 'node-role.kubernetes.io/x': '', 'node-restriction.kubernetes.io/y': '', 'a.k8s.io/z': '' },
        },
      }),
    403,
    'nodes "n1" is forbidden: is not allowed to modify labels: a.k8s.io/z, node-restriction.kubernetes.io/y, node-role.kubernetes.io/x',
  ],
  [
    'labels itself otherwise',
    (n) =>
      merge(n, '/api/v1/nodes/n1', {
        metadata: {
          labels: { 'kubernetes.io/os': 'linux', 'node.kubernetes.io/x': '', 'x.kubelet.kubernetes.io/y': '', z: '' },
        },
      }),
    200,
  ],
  [
    'does not delete itself',
    (n) => n.delete('/api/v1/nodes/n1'),
    403,
    'nodes "n1" is forbidden: User "system:node:n1" cannot delete resource "nodes" in API group "" at the cluster scope',
  ],

  ['creates its Lease', (n) => n.post(LEASES, { metadata: { name: 'n1' }, spec: { holderIdentity: 'n1' } }), 201],
  ['renews its Lease', (n) => merge(n, `${LEASES}/n1`, { spec: { leaseDurationSeconds: 40 } }), 200],
  [
    'creates no other Lease',
    (n) => n.post(LEASES, { metadata: { name: 'n2' } }),
    403,
    'leases.coordination.k8s.io "n2" is forbidden: can only access node lease with the same name as the requesting node',
  ],
  [
    'reads no other Lease',
    (n) => n.get(`${LEASES}/n2`),
    403,
    /can only access node lease with the same name as the requesting node$/,
  ],
  [
    'holds no Lease elsewhere',
    (n) => n.get(`${LEASES.replace('kube-node-lease', 'default')}/n1`),
    403,
    /can only access leases in the "kube-node-lease" system namespace$/,
  ],
  ['lists no Leases', (n) => n.get(LEASES), 403, /can only get, create, update, patch, or delete a node lease$/],

  ['reads its pod', (n) => n.get(`${PODS}/mine`), 200],
  [
    'reads no other pod',
    (n) => n.get(`${PODS}/other`),
    403,
    `pods "other" is forbidden: ${cannot('get', 'pods', inDefault, unrelated)}`,
  ],
  ['lists its pods', (n) => n.get('/api/v1/pods', { query: { fieldSelector: 'spec.nodeName=n1' } }), 200],
  [
    'lists no pods of others',
    (n) => n.get('/api/v1/pods', { query: { fieldSelector: 'spec.nodeName=n2' } }),
    403,
    `pods is forbidden: ${cannot('list', 'pods', 'at the cluster scope', 'can only list/watch pods with spec.nodeName field selector')}`,
  ],
  ['writes the status of its pod', (n) => merge(n, `${PODS}/mine/status`, { status: { phase: 'Running' } }), 200],
  [
    'writes no labels through a status',
    (n) => merge(n, `${PODS}/mine/status`, { metadata: { labels: { a: 'b' } } }),
    403,
    'pods "mine" is forbidden: node "n1" cannot update labels through pod status',
  ],
  [
    'writes no other status of a pod',
    (n) => merge(n, `${PODS}/other/status`, { status: { phase: 'Failed' } }),
    403,
    'pods "other" is forbidden: node "n1" can only update pod status for pods with spec.nodeName set to itself',
  ],
  [
    'writes no metadata of its pod',
    (n) => merge(n, `${PODS}/mine`, { metadata: { annotations: { a: 'b' } } }),
    403,
    'pods "mine" is forbidden: User "system:node:n1" cannot patch resource "pods" in API group "" in the namespace "default"',
  ],
  [
    'creates no pod',
    (n) => n.post(PODS, pod('new', 'n1')),
    403,
    'pods "new" is forbidden: pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
  ],
  [
    'deletes no other pod',
    (n) => n.delete(`${PODS}/other`),
    403,
    'pods "other" is forbidden: node "n1" can only delete pods with spec.nodeName set to itself',
  ],
  [
    'evicts no other pod',
    (n) => n.post(`${PODS}/other/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'other' } }),
    403,
    'pods "other" is forbidden: node n1 can only evict pods with spec.nodeName set to itself',
  ],

  ['reads the secret of its pod', (n) => n.get(`${SECRETS}/mine`), 200],
  ['reads the secret of its volume', (n) => n.get(`${SECRETS}/of-volume`), 200],
  ['reads the config map of its pod', (n) => n.get('/api/v1/namespaces/default/configmaps/mine'), 200],
  ['watches one secret', (n) => n.get(SECRETS, { query: { fieldSelector: 'metadata.name=mine' } }), 200],
  ['reads the claim of its pod', (n) => n.get(`${CLAIMS}/mine`), 200],
  ['reads the volume of that claim', (n) => n.get('/api/v1/persistentvolumes/v-mine'), 200],
  [
    'reads no other secret',
    (n) => n.get(`${SECRETS}/other`),
    403,
    `secrets "other" is forbidden: ${cannot('get', 'secrets', inDefault, unrelated)}`,
  ],
  [
    'lists no secrets',
    (n) => n.get(SECRETS),
    403,
    `secrets is forbidden: ${cannot('list', 'secrets', inDefault, 'No Object name found')}`,
  ],
  [
    'writes no secret',
    (n) => merge(n, `${SECRETS}/mine`, {}),
    403,
    `secrets "mine" is forbidden: ${cannot('patch', 'secrets', inDefault, 'can only read resources of this type')}`,
  ],
  [
    'reads no other claim',
    (n) => n.get(`${CLAIMS}/other`),
    403,
    `persistentvolumeclaims "other" is forbidden: ${cannot('get', 'persistentvolumeclaims', inDefault, unrelated)}`,
  ],
  [
    'writes what it found out of a claim',
    (n) => merge(n, `${CLAIMS}/mine/status`, { status: { capacity: { storage: '2Gi' } } }),
    200,
  ],
  [
    'writes nothing else of a claim',
    (n) => merge(n, `${CLAIMS}/mine/status`, { metadata: { labels: { a: 'b' } } }),
    403,
    /^persistentvolumeclaims "mine" is forbidden: node "n1" is not allowed to update fields other than status.capacity and status.conditions: /,
  ],
  [
    'writes no spec of a claim',
    (n) => merge(n, `${CLAIMS}/mine`, {}),
    403,
    `persistentvolumeclaims "mine" is forbidden: ${cannot('patch', 'persistentvolumeclaims', inDefault, 'can only get individual resources of this type')}`,
  ],
  ['reads services', (n) => n.get('/api/v1/services'), 200],
  ['is nobody elsewhere', (n) => n.get('/apis/apps/v1/deployments'), 403, /at the cluster scope$/],
])('a node %s', async (_, call, status, message) => {
  const { status: got, body } = await call(node);
  expect({ status: got, message: body.message }).toEqual({
    status,
    message: message instanceof RegExp ? expect.stringMatching(message) : message,
  });
});

describe('tokens for the pods of a node', () => {
  const ask = (account: string, spec: object) =>
    node.post(`${TOKENS}/${account}/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { audiences: [], ...spec },
    });
  const bound = (name: string, uid?: string) => ({
    boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, ...(uid && { uid }) },
  });

  it.each<[string, string, () => object, string]>([
    [
      'bound to nothing',
      'mine',
      () => ({}),
      'serviceaccounts "mine" is forbidden: node requested token not bound to a pod',
    ],
    [
      'bound without a uid',
      'mine',
      () => bound('mine'),
      'serviceaccounts "mine" is forbidden: node requested token with a pod binding without a uid',
    ],
    [
      'bound to a pod of another node',
      'mine',
      () => bound('other', uids['Pod/other']),
      'serviceaccounts "mine" is forbidden: node requested token bound to a pod scheduled on a different node',
    ],
    [
      'of an account that none of its pods has',
      'other',
      () => bound('mine', uids['Pod/mine']),
      `serviceaccounts "other" is forbidden: ${cannot('create', 'serviceaccounts/token', inDefault, unrelated)}`,
    ],
    [
      'for somebody that its pod does not know',
      'mine',
      () => ({ ...bound('mine', uids['Pod/mine']), audiences: ['bank'] }),
      'serviceaccounts "mine" is forbidden: audience "bank" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience',
    ],
  ])('%s are refused', async (_, account, spec, message) => {
    const { status, body } = await ask(account, spec());
    expect([status, body.message]).toEqual([403, message]);
  });

  it('die with the pod', async () => {
    const asked = await ask('mine', bound('mine', uids['Pod/mine']));
    expect(asked.status).toBe(201);
    expect((await ask('mine', { ...bound('mine', uids['Pod/mine']), audiences: ['vault'] })).status).toBe(201);
    const { token } = asked.body.status as unknown as { token: string };
    const transport = await admin.server().overHttp({ token });
    const whoAmI = () =>
      callsOver(async () => transport).post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'SelfSubjectReview',
        metadata: {},
      });
    const { userInfo } = (await whoAmI()).body.status as unknown as { userInfo: object };
    expect(userInfo).toMatchObject({
      username: 'system:serviceaccount:default:mine',
      extra: {
        'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)],
        'authentication.kubernetes.io/node-name': ['n1'],
        'authentication.kubernetes.io/node-uid': [expect.any(String)],
        'authentication.kubernetes.io/pod-name': ['mine'],
        'authentication.kubernetes.io/pod-uid': [uids['Pod/mine']],
      },
    });
    expect((await node.delete(`${PODS}/mine`, { gracePeriodSeconds: 0 })).status).toBe(200);
    expect((await whoAmI()).status).toBe(401);
    expect((await node.get(`${SECRETS}/mine`)).status).toBe(403);
    expect((await node.get(`${SECRETS}/of-volume`)).status).toBe(403);
  });
});

describe('roles do not widen what a node is kept to', () => {
  it('of claims and certificates', async () => {
    const grant = await admin.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'nodes-are-admins' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'Group', name: 'system:nodes', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    expect(grant.status).toBe(201);
    const refusals = [
      await merge(node, `${CLAIMS}/mine`, { metadata: { labels: { a: 'b' } } }),
      await merge(node, `${PODS}/other`, { metadata: { labels: { a: 'b' } } }),
      await node.post(`${PODS}/other/binding`, { target: { name: 'n1' } }),
      await node.post(CSRS, {
        metadata: { name: 'forged' },
        spec: {
          request: certificateRequest({ commonName: 'system:node:n2', organizations: ['system:nodes'] }).request,
          signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
          usages: ['client auth', 'digital signature'],
        },
      }),
    ];
    expect(refusals.map(({ body }) => body.message)).toEqual([
      'persistentvolumeclaims "mine" is forbidden: may only update PVC status',
      'pods "other" is forbidden: unexpected operation "UPDATE", node "n1" can only create and delete mirror pods',
      expect.stringMatching(/^(pods "other" is forbidden: unexpected pod subresource|Operation cannot be fulfilled)/),
      'certificatesigningrequests.certificates.k8s.io "forged" is forbidden: can only create a node CSR with CN=system:node:n1',
    ]);
    expect((await node.get(`${SECRETS}/other`)).status).toBe(200);
  });
});
