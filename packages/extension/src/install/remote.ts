import type { KubeObject } from '@vireo/api';
import { KUBEVIRT_NAMESPACE, VIRT_API_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import { SERVICE_ACCOUNT } from '../identity.ts';

const { name: account } = SERVICE_ACCOUNT.metadata;
const labels = { 'kubevirt.io': '' };
const subjects = [{ kind: 'ServiceAccount', name: account, namespace: KUBEVIRT_NAMESPACE }];
const RBAC = 'rbac.authorization.k8s.io';
/** Its role and binding have this name. */
export const IMPERSONATOR = `${account}-impersonator`;

/** The name that the certificate of the extension's own listener has to be valid for. */
export const EXTENSION_SERVER_NAME = `${VIRT_API_SERVICE}.${KUBEVIRT_NAMESPACE}.svc`;

/**
 * What an extension in a process of its own needs in addition: a Service that leads to its host, permission to read
 * which front proxy to trust, and permission to impersonate users, because Harvester's Steve API shows what they may see.
 */
export const remoteObjects = (externalName: string): KubeObject[] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: VIRT_API_SERVICE, namespace: KUBEVIRT_NAMESPACE, labels },
    spec: { type: 'ExternalName', externalName },
  } as KubeObject,
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name: `${account}-authentication-reader`, namespace: 'kube-system', labels },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: 'extension-apiserver-authentication-reader' },
    subjects,
  } as KubeObject,
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: IMPERSONATOR, labels },
    rules: [
      { apiGroups: [''], resources: ['users', 'groups', 'serviceaccounts'], verbs: ['impersonate'] },
      { apiGroups: ['authentication.k8s.io'], resources: ['userextras/*', 'uids'], verbs: ['impersonate'] },
    ],
  } as KubeObject,
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: IMPERSONATOR, labels },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: IMPERSONATOR },
    subjects,
  } as KubeObject,
];
