import {
  CLIENT_SIGNER,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  LEGACY_SIGNER,
} from '@vireo/kube/certificates/signers.ts';
import { clusterRole, fullAccess, on, paths, READ, READ_WRITE, WRITE } from './policyObjects.ts';
import type { ClusterRole, PolicyRule } from './types.ts';

/*
 * The roles that every cluster starts with, under the names and with the permissions that tools expect of Kubernetes,
 * less what is about kinds that are not served.
 */

const TO = 'rbac.authorization.k8s.io/aggregate-to-';
const into = (role: string): Record<string, string> => ({ [`${TO}${role}`]: 'true' });

/** What a user of a namespace may look at. No secrets: reading those is as good as acting as every ServiceAccount. */
const VIEW: readonly PolicyRule[] = [
  on(
    '',
    READ,
    'configmaps',
    'endpoints',
    'persistentvolumeclaims',
    'persistentvolumeclaims/status',
    'pods',
    'replicationcontrollers',
    'replicationcontrollers/scale',
    'serviceaccounts',
    'services',
    'services/status',
  ),
  on(
    '',
    READ,
    'bindings',
    'events',
    'limitranges',
    'namespaces/status',
    'pods/log',
    'pods/status',
    'replicationcontrollers/status',
    'resourcequotas',
    'resourcequotas/status',
  ),
  on('', READ, 'namespaces'),
  on('discovery.k8s.io', READ, 'endpointslices'),
  on(
    'apps',
    READ,
    'controllerrevisions',
    'daemonsets',
    'daemonsets/status',
    'deployments',
    'deployments/scale',
    'deployments/status',
    'replicasets',
    'replicasets/scale',
    'replicasets/status',
    'statefulsets',
    'statefulsets/scale',
    'statefulsets/status',
  ),
  on('autoscaling', READ, 'horizontalpodautoscalers', 'horizontalpodautoscalers/status'),
  on('batch', READ, 'cronjobs', 'cronjobs/status', 'jobs', 'jobs/status'),
  on('networking.k8s.io', READ, 'ingresses', 'ingresses/status', 'networkpolicies'),
  on('resource.k8s.io', READ, 'resourceclaims', 'resourceclaims/status', 'resourceclaimtemplates'),
  on('policy', READ, 'poddisruptionbudgets', 'poddisruptionbudgets/status'),
  on('events.k8s.io', READ, 'events'),
];

const STREAMS = ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'];

const EDIT: readonly PolicyRule[] = [
  on('', READ, ...STREAMS, 'secrets', 'services/proxy'),
  on('', ['impersonate'], 'serviceaccounts'),
  on('', WRITE, 'pods', ...STREAMS),
  on('', ['create'], 'pods/eviction'),
  on(
    '',
    WRITE,
    'configmaps',
    'events',
    'persistentvolumeclaims',
    'replicationcontrollers',
    'replicationcontrollers/scale',
    'secrets',
    'serviceaccounts',
    'services',
    'services/proxy',
  ),
  on('', ['create'], 'serviceaccounts/token'),
  on(
    'apps',
    WRITE,
    'daemonsets',
    'deployments',
    'deployments/rollback',
    'deployments/scale',
    'replicasets',
    'replicasets/scale',
    'statefulsets',
    'statefulsets/scale',
  ),
  on('autoscaling', WRITE, 'horizontalpodautoscalers'),
  on('batch', WRITE, 'cronjobs', 'jobs'),
  on('networking.k8s.io', WRITE, 'ingresses', 'networkpolicies'),
  on('resource.k8s.io', WRITE, 'resourceclaims', 'resourceclaimtemplates'),
  on('policy', WRITE, 'poddisruptionbudgets'),
  on('coordination.k8s.io', READ_WRITE, 'leases'),
];

const ADMIN: readonly PolicyRule[] = [
  on('authorization.k8s.io', ['create'], 'localsubjectaccessreviews'),
  on('rbac.authorization.k8s.io', READ_WRITE, 'rolebindings', 'roles'),
];

const PUBLIC_PATHS = ['/healthz', '/livez', '/readyz', '/version', '/version/'];

/** For people and for programs in general. */
export const USER_ROLES: readonly ClusterRole[] = [
  clusterRole('cluster-admin', fullAccess),
  clusterRole('admin', [], { aggregate: into('admin') }),
  clusterRole('edit', [], { aggregate: into('edit'), labels: into('admin') }),
  clusterRole('view', [], { aggregate: into('view'), labels: into('edit') }),
  clusterRole('system:aggregate-to-admin', ADMIN, { labels: into('admin') }),
  clusterRole('system:aggregate-to-edit', EDIT, { labels: into('edit') }),
  clusterRole('system:aggregate-to-view', VIEW, { labels: into('view') }),
  clusterRole('system:aggregated-metrics-reader', [on('metrics.k8s.io', READ, 'nodes', 'pods')], {
    labels: { ...into('admin'), ...into('edit'), ...into('view') },
  }),
  clusterRole('system:discovery', [
    paths(
      '/api',
      '/api/*',
      '/apis',
      '/apis/*',
      '/healthz',
      '/livez',
      '/openapi',
      '/openapi/*',
      '/readyz',
      '/version',
      '/version/',
    ),
  ]),
  clusterRole('system:public-info-viewer', [paths(...PUBLIC_PATHS)]),
  clusterRole('system:basic-user', [
    on('authorization.k8s.io', ['create'], 'selfsubjectaccessreviews', 'selfsubjectrulesreviews'),
    on('authentication.k8s.io', ['create'], 'selfsubjectreviews'),
  ]),
  clusterRole('system:service-account-issuer-discovery', [
    paths(
      '/.well-known/openid-configuration',
      '/.well-known/openid-configuration/',
      '/openid/v1/jwks',
      '/openid/v1/jwks/',
    ),
  ]),
  clusterRole('system:monitoring', [
    paths('/healthz', '/healthz/*', '/livez', '/livez/*', '/metrics', '/metrics/slis', '/readyz', '/readyz/*'),
  ]),
  clusterRole('system:auth-delegator', [
    on('authentication.k8s.io', ['create'], 'tokenreviews'),
    on('authorization.k8s.io', ['create'], 'subjectaccessreviews'),
  ]),
  clusterRole('system:kubelet-api-admin', [
    on('', READ, 'nodes'),
    on('', ['proxy'], 'nodes'),
    on('', ['*'], 'nodes/log', 'nodes/metrics', 'nodes/proxy', 'nodes/stats'),
  ]),
];

/**
 * What a node may do. The Node authorizer narrows it to what is the node's own; the role itself is bound to nobody.
 */
export const NODE_RULES: readonly PolicyRule[] = [
  on('authentication.k8s.io', ['create'], 'tokenreviews'),
  on('authorization.k8s.io', ['create'], 'localsubjectaccessreviews', 'subjectaccessreviews'),
  on('', READ, 'services'),
  on('', ['create', ...READ], 'nodes'),
  on('', ['patch', 'update'], 'nodes', 'nodes/status'),
  on('', ['create', 'patch', 'update'], 'events'),
  on('', ['create', 'delete', ...READ], 'pods'),
  on('', ['patch', 'update'], 'pods/status'),
  on('', ['create'], 'pods/eviction'),
  on('', READ, 'configmaps', 'secrets'),
  on('', ['get'], 'persistentvolumeclaims', 'persistentvolumes'),
  on('', ['get', 'patch', 'update'], 'persistentvolumeclaims/status'),
  on('', ['get'], 'endpoints'),
  on('certificates.k8s.io', ['create', ...READ], 'certificatesigningrequests'),
  on('coordination.k8s.io', ['create', 'delete', 'get', 'patch', 'update'], 'leases'),
  on('storage.k8s.io', ['get'], 'volumeattachments'),
  on('', ['create'], 'serviceaccounts/token'),
  on('storage.k8s.io', READ, 'csidrivers'),
  on('storage.k8s.io', ['create', 'delete', 'get', 'patch', 'update'], 'csinodes'),
  on('node.k8s.io', READ, 'runtimeclasses'),
  on('resource.k8s.io', ['get'], 'resourceclaims'),
  on('resource.k8s.io', READ_WRITE, 'resourceslices'),
];

/** For the programs that make up a cluster and come with a certificate of their own. */
export const COMPONENT_ROLES: readonly ClusterRole[] = [
  clusterRole('system:node', NODE_RULES),
  clusterRole('system:node-bootstrapper', [
    on('certificates.k8s.io', ['create', ...READ], 'certificatesigningrequests'),
  ]),
  ...['nodeclient', 'selfnodeclient'].map((subresource) =>
    clusterRole(`system:certificates.k8s.io:certificatesigningrequests:${subresource}`, [
      on('certificates.k8s.io', ['create'], `certificatesigningrequests/${subresource}`),
    ]),
  ),
  ...[CLIENT_SIGNER, KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER, LEGACY_SIGNER].map((signer) =>
    clusterRole(`system:certificates.k8s.io:${signer.split('/')[1]}-approver`, [
      { ...on('certificates.k8s.io', ['approve'], 'signers'), resourceNames: [signer] },
    ]),
  ),
  // What kubeadm adds for a node that joins.
  clusterRole('kubeadm:get-nodes', [on('', ['get'], 'nodes')]),
  clusterRole('system:kube-scheduler', [
    on('', ['create', 'patch', 'update'], 'events'),
    on('events.k8s.io', ['create', 'patch', 'update'], 'events'),
    on('coordination.k8s.io', READ_WRITE, 'leases'),
    on('', READ, 'namespaces', 'nodes', 'persistentvolumeclaims', 'persistentvolumes', 'services'),
    // It writes on a claim which node its volume is to be made for.
    on('', ['patch', 'update'], 'persistentvolumeclaims', 'persistentvolumes'),
    on('', ['delete', 'get', 'list', 'watch'], 'pods'),
    on('', ['create'], 'bindings', 'pods/binding'),
    on('', ['patch', 'update'], 'pods/status'),
    on('apps', READ, 'replicasets'),
    on('policy', READ, 'poddisruptionbudgets'),
    on('scheduling.k8s.io', READ, 'priorityclasses'),
    on('storage.k8s.io', READ, 'storageclasses'),
    on('authentication.k8s.io', ['create'], 'tokenreviews'),
    on('authorization.k8s.io', ['create'], 'subjectaccessreviews'),
  ]),
];
