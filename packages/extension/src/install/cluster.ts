import type { KubeObject, PolicyRule } from '@vireo/api';
import { CA_NAME, KUBEVIRT_NAMESPACE, VIRT_API_PORT_NAME, VIRT_API_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import { SERVICE_ACCOUNT } from '../identity.ts';
import { bundleHolders } from './bundleHolders.ts';

const { name: account } = SERVICE_ACCOUNT.metadata;
const labels = { 'kubevirt.io': '' };
const subjects = [{ kind: 'ServiceAccount', name: account, namespace: KUBEVIRT_NAMESPACE }];
const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];
/** Where an instance listens unless it is told otherwise. */
export const EXTENSION_PORT = 8443;
/** Roles and bindings of what an instance needs to be found and trusted. */
const SERVING = `${account}-serving`;
/** The role and the binding of who may be anybody. */
export const IMPERSONATOR = `${account}-impersonator`;

/**
 * What instances of the extension in processes of their own need in addition to `installObjects`: a Service whose
 * EndpointSlices they bring, and the permissions to keep those, their certificates and the `caBundle`s, and to have
 * tokens and accesses reviewed.
 */
export const clusterObjects = (): KubeObject[] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: VIRT_API_SERVICE, namespace: KUBEVIRT_NAMESPACE, labels },
    spec: {
      ports: [{ name: VIRT_API_PORT_NAME, port: 443, targetPort: EXTENSION_PORT, protocol: 'TCP' }],
    },
  } as KubeObject,
  binding('ClusterRoleBinding', `${account}-auth-delegator`, 'system:auth-delegator'),
  role('Role', SERVING, ownRules, KUBEVIRT_NAMESPACE),
  binding('RoleBinding', SERVING, SERVING, KUBEVIRT_NAMESPACE),
  role('ClusterRole', SERVING, bundleRules()),
  binding('ClusterRoleBinding', SERVING, SERVING),
];

/**
 * What Harvester's Steve API needs behind a front proxy: it shows what its user may see, and acts as that user. Whoever
 * gets a token of the account could be anybody, so that this is not installed where users come with tokens themselves.
 */
export const impersonationObjects = (): KubeObject[] => [
  role('ClusterRole', IMPERSONATOR, [
    { apiGroups: [''], resources: ['users', 'groups', 'serviceaccounts'], verbs: ['impersonate'] },
    { apiGroups: ['authentication.k8s.io'], resources: ['userextras/*', 'uids'], verbs: ['impersonate'] },
  ]),
  binding('ClusterRoleBinding', IMPERSONATOR, IMPERSONATOR),
];

const ownRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['create'] },
  {
    apiGroups: [''],
    resources: ['secrets', 'configmaps'],
    resourceNames: [CA_NAME],
    verbs: [...READ, 'update', 'patch'],
  },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update', 'delete'] },
  { apiGroups: [''], resources: ['endpoints'], verbs: ['create'] },
  { apiGroups: [''], resources: ['endpoints'], resourceNames: [VIRT_API_SERVICE], verbs: ['get', 'update'] },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: [...READ, 'create', 'update', 'delete'] },
];

/** What the extension needs to keep the `caBundle`s that are its own. */
function bundleRules(): PolicyRule[] {
  const webhooks = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'];
  const { apiServices, configurations } = bundleHolders();
  return [
    { apiGroups: ['admissionregistration.k8s.io'], resources: webhooks, verbs: READ },
    { apiGroups: ['apiregistration.k8s.io'], resources: ['apiservices'], verbs: READ },
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: webhooks,
      resourceNames: configurations,
      verbs: ['patch'],
    },
    { apiGroups: ['apiregistration.k8s.io'], resources: ['apiservices'], resourceNames: apiServices, verbs: ['patch'] },
  ];
}

function role(
  kind: 'Role' | 'ClusterRole',
  name: string,
  rules: readonly PolicyRule[],
  namespace?: string,
): KubeObject {
  const metadata = { name, labels, ...(namespace && { namespace }) };
  return { apiVersion: `${RBAC}/v1`, kind, metadata, rules } as KubeObject;
}

function binding(kind: 'RoleBinding' | 'ClusterRoleBinding', name: string, to: string, namespace?: string): KubeObject {
  const roleRef = { apiGroup: RBAC, kind: kind === 'RoleBinding' ? 'Role' : 'ClusterRole', name: to };
  const metadata = { name, labels, ...(namespace && { namespace }) };
  return { apiVersion: `${RBAC}/v1`, kind, metadata, roleRef, subjects } as KubeObject;
}
