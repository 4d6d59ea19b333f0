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
  ),
  on('autoscaling', READ, 'horizontalpodautoscalers', 'horizontalpodautoscalers/status'),
  on('batch', READ, 'jobs', 'jobs/status'),
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
  ),
  on('autoscaling', WRITE, 'horizontalpodautoscalers'),
  on('batch', WRITE, 'jobs'),
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

/** For the programs that make up a cluster and come with a certificate of their own. */
export const COMPONENT_ROLES: readonly ClusterRole[] = [
  clusterRole('system:node', [
    on('authentication.k8s.io', ['create'], 'tokenreviews'),
    on('authorization.k8s.io', ['create'], 'localsubjectaccessreviews', 'subjectaccessreviews'),
    on('', READ, 'services', 'configmaps', 'secrets', 'persistentvolumeclaims', 'persistentvolumes'),
    on('', ['create', 'get', 'list', 'watch'], 'nodes'),
    on('', ['patch', 'update'], 'nodes', 'nodes/status', 'pods/status'),
    on('', ['create', 'patch', 'update'], 'events'),
    on('', ['create', 'delete', 'get', 'list', 'watch'], 'pods'),
    on('', ['create'], 'pods/eviction', 'serviceaccounts/token'),
    on('', ['get'], 'endpoints'),
    on('', ['get', 'patch', 'update'], 'persistentvolumeclaims/status'),
    on('coordination.k8s.io', ['create', 'delete', 'get', 'patch', 'update'], 'leases'),
  ]),
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
