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

/** Leads to the host of the extension, where it runs beside the embedded server. */
export const externalService = (externalName: string): KubeObject => service({ type: 'ExternalName', externalName });

/** Leads to the instances that have put their addresses into EndpointSlices: no pods are selected. */
export const clusterService = (): KubeObject =>
  service({ type: 'ClusterIP', ports: [{ port: 443, targetPort: 8443, protocol: 'TCP' }] });

const service = (spec: object): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: VIRT_API_SERVICE, namespace: KUBEVIRT_NAMESPACE, labels },
    spec,
  }) as KubeObject;

/**
 * What an extension in a process of its own may do in addition: read which front proxy to trust, ask the server who its
 * clients are and what they may do, and impersonate users, because Harvester's Steve API shows what they may see.
 */
export const remoteRights = (): KubeObject[] => [
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name: `${account}-authentication-reader`, namespace: 'kube-system', labels },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: 'extension-apiserver-authentication-reader' },
    subjects,
  } as KubeObject,
  clusterRoleBinding(`${account}-auth-delegator`, 'system:auth-delegator'),
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: IMPERSONATOR, labels },
    rules: [
      { apiGroups: [''], resources: ['users', 'groups', 'serviceaccounts'], verbs: ['impersonate'] },
      { apiGroups: ['authentication.k8s.io'], resources: ['userextras/*', 'uids'], verbs: ['impersonate'] },
    ],
  } as KubeObject,
  clusterRoleBinding(IMPERSONATOR, IMPERSONATOR),
];

const clusterRoleBinding = (name: string, role: string): KubeObject =>
  ({
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects,
  }) as KubeObject;
