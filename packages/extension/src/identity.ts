import type { ClusterRole, Role } from '@vireo/api';
import { NODE_GROUP, nodeOfUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import type { UserInfo } from '@vireo/kube';
import type { Action } from './actions/action.ts';
import { RESOURCES } from './actions/resources.ts';
import { GRAPH_KINDS } from './objectgraph/kinds.ts';

const serviceAccount = (name: string): string => `system:serviceaccount:${KUBEVIRT_NAMESPACE}:${name}`;

const ACCOUNT = 'kubevirt-apiserver';

/** Who the extension is. */
export const USER: UserInfo = {
  username: serviceAccount(ACCOUNT),
  groups: ['system:serviceaccounts', `system:serviceaccounts:${KUBEVIRT_NAMESPACE}`, 'system:authenticated'],
};

const CONTROLLERS = serviceAccount('kubevirt-controller');

const COMPONENTS = new Set([
  CONTROLLERS,
  ...[ACCOUNT, 'kubevirt-handler', 'kubevirt-operator'].map((name) => serviceAccount(name)),
]);

/** Whether it is the controllers: what they write follows from what users wrote before. */
export const isControllers = ({ username }: Pick<UserInfo, 'username'>): boolean => username === CONTROLLERS;

/** Whether it is one of the system's own parts: only they may change what runs. Which VMIs a node may change is limited. */
export const isComponent = (user: Pick<UserInfo, 'username' | 'groups'>): boolean =>
  COMPONENTS.has(user.username) || isNode(user);

/** Whether it is a node, as it is to our kinds. */
export const isNode = ({ username, groups }: Pick<UserInfo, 'username' | 'groups'>): boolean =>
  groups.includes(NODE_GROUP) && nodeOfUser(username) !== undefined;

/** What the extension may do: what it does at any rate, and what the actions take. */
export const roleFor = (actions: readonly Action[]): ClusterRole => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: ACCOUNT, labels: { 'kubevirt.io': '' } },
  rules: [
    {
      apiGroups: ['kubevirt.io'],
      resources: [
        'virtualmachines',
        'virtualmachineinstances',
        'virtualmachineinstancereplicasets',
        'virtualmachineinstancepresets',
        'kubevirts',
      ],
      verbs: ['get', 'list', 'watch'],
    },
    { apiGroups: ['pool.kubevirt.io'], resources: ['virtualmachinepools'], verbs: ['get', 'list', 'watch'] },
    {
      apiGroups: ['kubevirt.io'],
      resources: ['virtualmachines', 'virtualmachines/status', 'virtualmachineinstances'],
      verbs: ['patch'],
    },
    // Of a VMI that moves no second migration is admitted.
    { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstancemigrations'], verbs: ['list'] },
    ...readableInGraphs(),
    // What names a VM is found by watching it.
    { apiGroups: [''], resources: ['pods', 'persistentvolumeclaims'], verbs: ['list', 'watch'] },
    {
      apiGroups: ['snapshot.kubevirt.io'],
      resources: ['virtualmachinesnapshots', 'virtualmachinerestores'],
      verbs: ['list', 'watch'],
    },
    { apiGroups: ['harvesterhci.io'], resources: ['schedulevmbackups', 'resourcequotas'], verbs: ['list', 'watch'] },
    // Restores are admitted by what they restore, and by what else is under way.
    {
      apiGroups: ['snapshot.kubevirt.io'],
      resources: ['virtualmachinesnapshots', 'virtualmachinesnapshotcontents', 'virtualmachinerestores'],
      verbs: ['get', 'list'],
    },
    // Their upload proxy is the extension, whose certificate is for the address that they tell.
    { apiGroups: ['cdi.kubevirt.io'], resources: ['cdiconfigs'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['harvesterhci.io'], resources: ['virtualmachineimages'], verbs: ['list'] },
    // Templates, their versions and keys refer to each other; a quota says how much snapshots may take, and they tell it.
    {
      apiGroups: ['harvesterhci.io'],
      resources: ['virtualmachinetemplates', 'virtualmachinetemplateversions', 'keypairs', 'resourcequotas'],
      verbs: ['get'],
    },
    // Backups and restores are admitted by what is there, and by the target that is set.
    {
      apiGroups: ['harvesterhci.io'],
      resources: ['virtualmachinebackups', 'virtualmachinerestores', 'settings'],
      verbs: ['get', 'list', 'watch'],
    },
    { apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshots'], verbs: ['list'] },
    { apiGroups: ['template.kubevirt.io'], resources: ['virtualmachinetemplates'], verbs: ['get'] },
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['list'] },
    // Nodes write only what is theirs, which their volumes and claims tell.
    { apiGroups: [''], resources: ['persistentvolumes', 'persistentvolumeclaims'], verbs: ['get'] },
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get'] },
    // Nodes tell how much space they have for claims, and where they are reached.
    { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['export.kubevirt.io'], resources: ['virtualmachineexports'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ...readableTargets(actions),
    ...distinct(actions.flatMap(({ needs = [] }) => needs)),
  ],
});

type Rules = NonNullable<ClusterRole['rules']>;

/** Objects that have actions are read before one is carried out. */
function readableTargets(actions: readonly Action[]): Rules {
  const kinds = new Set(actions.filter(({ isTargetless }) => !isTargetless).map(({ resource }) => RESOURCES[resource]));
  return [...kinds].map(({ group, plural }) => ({ apiGroups: [group], resources: [plural], verbs: ['get'] }));
}

const distinct = (rules: Rules): Rules => [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];

/** The account that it runs as. */
export const SERVICE_ACCOUNT = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: ACCOUNT, namespace: KUBEVIRT_NAMESPACE, labels: { 'kubevirt.io': '' } },
};

export const ROLE_BINDING = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: ACCOUNT, labels: { 'kubevirt.io': '' } },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ACCOUNT },
  subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: KUBEVIRT_NAMESPACE }],
};

/** What it may do in its own namespace alone: keep the key of its tokens. */
export const OWN_ROLE: Role = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: ACCOUNT, namespace: KUBEVIRT_NAMESPACE, labels: { 'kubevirt.io': '' } },
  rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['create'] }],
};

export const OWN_ROLE_BINDING = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: ACCOUNT, namespace: KUBEVIRT_NAMESPACE, labels: { 'kubevirt.io': '' } },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: ACCOUNT },
  subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: KUBEVIRT_NAMESPACE }],
};

/** Lets it read whom to trust, as every aggregated server does. */
export const AUTHENTICATION_READER = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: `${ACCOUNT}-authentication-reader`, namespace: 'kube-system', labels: { 'kubevirt.io': '' } },
  roleRef: {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'Role',
    name: 'extension-apiserver-authentication-reader',
  },
  subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: KUBEVIRT_NAMESPACE }],
};

/** Every kind of an object graph; who may see them is asked of each user who wants one. */
function readableInGraphs(): Rules {
  const groups = Map.groupBy(GRAPH_KINDS, ({ group }) => group);
  return [...groups].map(([group, kinds]) => ({
    apiGroups: [group],
    resources: kinds.map(({ plural }) => plural),
    verbs: ['get'],
  }));
}
