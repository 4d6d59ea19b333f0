import type { KubeObject } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { KUBELET_CLIENT } from '../auth/pki.ts';
import { CONTROLLER_NAMES, CONTROLLER_ROLES } from './controllerPolicy.ts';
import { covers } from './cover.ts';
import { COMPONENT_ROLES, USER_ROLES } from './policy.ts';
import { AUTOUPDATE, clusterRoleBinding, group, on, role, roleBinding, serviceAccount, user } from './policyObjects.ts';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from './types.ts';

/** Any of RBAC's four kinds. */
export type RbacObject = ClusterRole | ClusterRoleBinding | Role | RoleBinding;

const CSR_ROLES = 'system:certificates.k8s.io:certificatesigningrequests';
/** The group that kubeadm gives its bootstrap tokens. */
const DEFAULT_NODE_TOKENS = 'system:bootstrappers:kubeadm:default-node-token';

const AUTHENTICATED = group('system:authenticated');

const BINDINGS: readonly RbacObject[] = [
  clusterRoleBinding('cluster-admin', 'cluster-admin', [group('system:masters')]),
  clusterRoleBinding('system:monitoring', 'system:monitoring', [group('system:monitoring')]),
  clusterRoleBinding('system:discovery', 'system:discovery', [AUTHENTICATED]),
  clusterRoleBinding('system:basic-user', 'system:basic-user', [AUTHENTICATED]),
  clusterRoleBinding('system:public-info-viewer', 'system:public-info-viewer', [
    AUTHENTICATED,
    group('system:unauthenticated'),
  ]),
  clusterRoleBinding('system:service-account-issuer-discovery', 'system:service-account-issuer-discovery', [
    group('system:serviceaccounts'),
  ]),
  clusterRoleBinding('system:kube-scheduler', 'system:kube-scheduler', [user('system:kube-scheduler')]),
  // The server itself, as nodes see it.
  clusterRoleBinding('system:kubelet-api-admin', 'system:kubelet-api-admin', [user(KUBELET_CLIENT)]),
  // Nobody: the Node authorizer gives each node what is its own.
  clusterRoleBinding('system:node', 'system:node', []),
  // As kubeadm sets them up: whoever holds a bootstrap token may ask for a node's certificate, and gets it.
  ...[
    ['kubeadm:kubelet-bootstrap', 'system:node-bootstrapper'],
    ['kubeadm:node-autoapprove-bootstrap', `${CSR_ROLES}:nodeclient`],
    ['kubeadm:get-nodes', 'kubeadm:get-nodes'],
  ].map(([name = '', role = '']) => clusterRoleBinding(name, role, [group(DEFAULT_NODE_TOKENS)])),
  clusterRoleBinding('kubeadm:node-autoapprove-certificate-rotation', `${CSR_ROLES}:selfnodeclient`, [
    group('system:nodes'),
  ]),
  ...CONTROLLER_NAMES.map((name) =>
    clusterRoleBinding(`system:controller:${name}`, `system:controller:${name}`, [serviceAccount('kube-system', name)]),
  ),
];

const CLUSTER_INFO_READER = 'kubeadm:bootstrap-signer-clusterinfo';
const AUTHENTICATION_READER = 'extension-apiserver-authentication-reader';

/** Lets aggregated servers learn which front proxy to trust. */
const NAMESPACED: readonly RbacObject[] = [
  role('kube-system', AUTHENTICATION_READER, [
    { ...on('', ['get', 'list', 'watch'], 'configmaps'), resourceNames: ['extension-apiserver-authentication'] },
  ]),
  role('kube-system', 'system:controller:token-cleaner', [
    on('', ['delete', 'get', 'list', 'watch'], 'secrets'),
    on('', ['create', 'patch', 'update'], 'events'),
  ]),
  roleBinding('kube-system', 'system:controller:token-cleaner', 'system:controller:token-cleaner', [
    serviceAccount('kube-system', 'token-cleaner'),
  ]),
  role('kube-system', 'system:controller:bootstrap-signer', [on('', ['get', 'list', 'watch'], 'secrets')]),
  roleBinding('kube-system', 'system:controller:bootstrap-signer', 'system:controller:bootstrap-signer', [
    serviceAccount('kube-system', 'bootstrap-signer'),
  ]),
  role('kube-public', 'system:controller:bootstrap-signer', [
    on('', ['get', 'list', 'watch'], 'configmaps'),
    // Which of those it may create cannot be said by name.
    on('', ['create'], 'configmaps'),
    { ...on('', ['update'], 'configmaps'), resourceNames: ['cluster-info'] },
    on('', ['create', 'patch', 'update'], 'events'),
  ]),
  roleBinding('kube-public', 'system:controller:bootstrap-signer', 'system:controller:bootstrap-signer', [
    serviceAccount('kube-system', 'bootstrap-signer'),
  ]),
  // As kubeadm does: whoever joins looks at it before it can show who it is.
  role('kube-public', CLUSTER_INFO_READER, [{ ...on('', ['get'], 'configmaps'), resourceNames: ['cluster-info'] }]),
  roleBinding('kube-public', CLUSTER_INFO_READER, CLUSTER_INFO_READER, [user('system:anonymous')]),
  roleBinding('kube-system', `system::${AUTHENTICATION_READER}`, AUTHENTICATION_READER, [
    user('system:kube-scheduler'),
  ]),
];

/** The roles and bindings that every cluster starts with; those of namespaces come last. */
export const BOOTSTRAP_POLICY: readonly RbacObject[] = [
  ...USER_ROLES,
  ...COMPONENT_ROLES,
  ...CONTROLLER_ROLES,
  ...BINDINGS,
  ...NAMESPACED,
];

/** What to do at start so that the policy is whole. */
export interface BootstrapPlan {
  readonly creates: readonly RbacObject[];
  readonly updates: readonly RbacObject[];
  /** Bindings to another role than they should be to: delete and create, for a roleRef cannot change. */
  readonly replaces: readonly RbacObject[];
}

/**
 * Compares what is stored with the policy. What was added by others stays; what is missing is added back, unless the
 * object's autoupdate annotation was set to something other than "true", or taken away.
 */
export function reconcileBootstrap(existing: readonly KubeObject[], policy = BOOTSTRAP_POLICY): BootstrapPlan {
  const stored = new Map(existing.map((object) => [keyOf(object), object as RbacObject]));
  const plan = { creates: [] as RbacObject[], updates: [] as RbacObject[], replaces: [] as RbacObject[] };
  for (const wanted of policy) {
    const found = stored.get(keyOf(wanted));
    if (!found) plan.creates.push(wanted);
    else if (found.metadata.annotations?.[AUTOUPDATE] !== 'true') continue;
    else if ('roleRef' in wanted && 'roleRef' in found && !deepEqual(wanted.roleRef, found.roleRef))
      plan.replaces.push(wanted);
    else {
      const completed = complete(found, wanted);
      if (!deepEqual(completed, found)) plan.updates.push(completed);
    }
  }
  return plan;
}

const keyOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;

/** `found` with what `wanted` has beyond it. */
function complete(found: RbacObject, wanted: RbacObject): RbacObject {
  const metadata = {
    ...found.metadata,
    labels: { ...found.metadata.labels, ...wanted.metadata.labels },
    annotations: { ...found.metadata.annotations, ...wanted.metadata.annotations },
  };
  if ('roleRef' in wanted)
    return { ...found, metadata, ...completeSubjects(found as RoleBinding, wanted) } as RbacObject;
  const [role, model] = [found as ClusterRole, wanted as ClusterRole];
  // The rules of an aggregated role are the aggregation controller's business.
  return model.aggregationRule
    ? { ...role, metadata, aggregationRule: completeSelectors(role, model.aggregationRule) }
    : { ...role, metadata, ...completeRules(role.rules, model.rules ?? []) };
}

function completeSubjects({ subjects = [] }: RoleBinding, { subjects: wanted = [] }: RoleBinding) {
  const identity = ({ kind, name, namespace = '' }: Subject): string => JSON.stringify([kind, namespace, name]);
  const present = new Set(subjects.map(identity));
  const missing = wanted.filter((subject) => !present.has(identity(subject)));
  return missing.length > 0 ? { subjects: [...subjects, ...missing] } : {};
}

function completeRules(rules: readonly PolicyRule[] = [], wanted: readonly PolicyRule[]) {
  const missing = wanted.filter((rule) => !covers(rules, [rule]));
  return missing.length > 0 ? { rules: [...rules, ...missing] } : {};
}

function completeSelectors({ aggregationRule }: ClusterRole, wanted: NonNullable<ClusterRole['aggregationRule']>) {
  const present = aggregationRule?.clusterRoleSelectors ?? [];
  const missing = (wanted.clusterRoleSelectors ?? []).filter(
    (selector) => !present.some((known) => deepEqual(known, selector)),
  );
  return missing.length > 0 ? { ...aggregationRule, clusterRoleSelectors: [...present, ...missing] } : aggregationRule;
}
