import type { ClusterRole, ClusterRoleBinding, KubeObject, RoleBinding } from '@vireo/api';
import { EXTENSION_GROUP, JOINING_GROUP, KUBELET_GROUP, NODE_GROUP } from '@vireo/api/kinds/kubevirt/identities.ts';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';

const RBAC = 'rbac.authorization.k8s.io';
const labels = { 'kubevirt.io': '' };
const STREAMS = 'vireo:node-streams';

type Subjects = NonNullable<ClusterRoleBinding['subjects']>;

const groups = (...names: string[]): Subjects => names.map((name) => ({ apiGroup: RBAC, kind: 'Group', name }));

const EXTENSION_ACCOUNT = { kind: 'ServiceAccount', name: 'kubevirt-apiserver', namespace: KUBEVIRT_NAMESPACE };

/**
 * What hosts need to join, and nodes and the extension to know each other. Kubernetes' own approver is given nothing for
 * those who join: our controllers look whether the name of the node is free. It only renews what a node has.
 */
export const joiningObjects = (): KubeObject[] => [
  binding('vireo:certificate-requesters', 'system:node-bootstrapper', [
    ...groups(JOINING_GROUP, NODE_GROUP, EXTENSION_GROUP),
    EXTENSION_ACCOUNT,
  ]),
  binding(
    'vireo:node-certificate-renewal',
    'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    groups(KUBELET_GROUP),
  ),
  // Nodes ask the server who calls them, and what callers may do.
  binding('vireo:node-authentication', 'system:auth-delegator', groups(NODE_GROUP)),
  authenticationReader(),
  streamsRole(),
  binding(STREAMS, STREAMS, groups(EXTENSION_GROUP)),
];

const binding = (name: string, role: string, subjects: Subjects): ClusterRoleBinding => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name, labels },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
  subjects,
});

/** Nodes learn which authority signs the certificates of their callers. */
const authenticationReader = (): RoleBinding => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'RoleBinding',
  metadata: { name: 'vireo:authentication-reader', namespace: 'kube-system', labels },
  roleRef: { apiGroup: RBAC, kind: 'Role', name: 'extension-apiserver-authentication-reader' },
  subjects: groups(NODE_GROUP, KUBELET_GROUP),
});

/** Whoever may open the streams of every VM, and nothing of a kubelet. */
const streamsRole = (): ClusterRole => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRole',
  metadata: { name: STREAMS, labels },
  rules: [{ apiGroups: [''], resources: ['nodes/vms'], verbs: ['get', 'create', 'update', 'patch', 'delete'] }],
});
