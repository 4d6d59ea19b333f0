import type { ClusterRole, ClusterRoleBinding, KubeObject, PolicyRule } from '@vireo/api';
import { KUBELET_GROUP } from '@vireo/api/kinds/kubevirt/identities.ts';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { CLIENT_SIGNER, KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from '@vireo/kube';

/** Who the controllers are to the server. */
export const USER = `system:serviceaccount:${KUBEVIRT_NAMESPACE}:kubevirt-controller`;

/** One of our parts as a client of the server: its ServiceAccount or the group of its users, and what those may do. */
export type Identity = ({ readonly account: string } | { readonly group: string }) & {
  readonly rules: readonly PolicyRule[];
  /** What it may do in the namespace of the installation alone; of accounts only. */
  readonly ownRules?: readonly PolicyRule[];
};

const READ = ['get', 'list', 'watch'];

const on = (group: string, verbs: readonly string[], ...resources: string[]): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs: [...verbs],
});

const SNAPSHOT_KINDS = ['virtualmachinesnapshots', 'virtualmachinesnapshotcontents', 'virtualmachinerestores'];
const TEMPLATE_KINDS = ['virtualmachinetemplates', 'virtualmachinetemplateversions'];
const BACKUP_KINDS = ['virtualmachinebackups', 'virtualmachinerestores', 'schedulevmbackups'];
const CLUSTER_INSTANCETYPE_KINDS = ['virtualmachineclusterinstancetypes', 'virtualmachineclusterpreferences'];
const INSTANCETYPE_KINDS = ['virtualmachineinstancetypes', 'virtualmachinepreferences', ...CLUSTER_INSTANCETYPE_KINDS];

/** What the controllers may do: what they do, and no more. */
export const IDENTITY = {
  account: 'kubevirt-controller',
  rules: [
    // Those of pools are deleted too.
    on('kubevirt.io', [...READ, 'create', 'patch', 'delete'], 'virtualmachines'),
    on('kubevirt.io', ['patch'], 'virtualmachines/status', 'kubevirts/status'),
    on('kubevirt.io', ['update'], 'virtualmachines/finalizers', 'virtualmachineinstances/finalizers'),
    on('kubevirt.io', [...READ, 'create', 'delete', 'patch'], 'virtualmachineinstances'),
    on('kubevirt.io', READ, 'kubevirts', 'virtualmachineinstancereplicasets', 'virtualmachineinstancemigrations'),
    on('kubevirt.io', ['patch'], 'virtualmachineinstancereplicasets/status'),
    on('kubevirt.io', ['update'], 'virtualmachineinstancereplicasets/finalizers'),
    on('pool.kubevirt.io', [...READ, 'patch'], 'virtualmachinepools'),
    on('pool.kubevirt.io', ['patch'], 'virtualmachinepools/status'),
    on('pool.kubevirt.io', ['update'], 'virtualmachinepools/finalizers'),
    on('instancetype.kubevirt.io', READ, ...INSTANCETYPE_KINDS),
    on('harvesterhci.io', READ, 'virtualmachineimages', 'upgradelogs', ...TEMPLATE_KINDS, 'keypairs', 'resourcequotas'),
    on('harvesterhci.io', ['patch'], 'virtualmachineimages/status', 'upgradelogs/status', ...TEMPLATE_KINDS),
    on(
      'harvesterhci.io',
      ['patch'],
      ...[...TEMPLATE_KINDS, 'keypairs', 'resourcequotas'].map((kind) => `${kind}/status`),
    ),
    on('harvesterhci.io', ['update'], 'virtualmachinetemplates/finalizers'),
    on('harvesterhci.io', [...READ, 'create', 'patch', 'delete'], 'virtualmachinebackups'),
    on('harvesterhci.io', [...READ, 'patch'], 'virtualmachinerestores', 'schedulevmbackups'),
    on('harvesterhci.io', [...READ, 'create', 'patch'], 'settings'),
    on('harvesterhci.io', ['patch'], 'settings/status', ...BACKUP_KINDS.map((kind) => `${kind}/status`)),
    on('harvesterhci.io', ['update'], ...BACKUP_KINDS.map((kind) => `${kind}/finalizers`)),
    on('harvesterhci.io', ['update'], 'virtualmachineimages/finalizers'),
    on('metal.harvesterhci.io', [...READ, 'patch'], 'inventories'),
    on('metal.harvesterhci.io', ['patch'], 'inventories/status'),
    on('kubevirt.io', ['create', 'patch', 'delete'], 'virtualmachineinstancemigrations'),
    on('kubevirt.io', ['patch'], 'virtualmachineinstancemigrations/status'),
    on('migrations.kubevirt.io', READ, 'migrationpolicies'),
    // Policies of migrations are for namespaces with some labels; a migration that a quota refused waits for a change.
    on('', READ, 'namespaces', 'resourcequotas'),
    // That a guest leaves its node is said on its launcher.
    on('', [...READ, 'create', 'delete', 'patch'], 'pods'),
    on('', ['patch'], 'pods/status'),
    // Launchers grow with their guests.
    on('', ['patch'], 'pods/resize'),
    on('', ['create'], 'pods/eviction'),
    // Those of VMIs, which older versions of KubeVirt have made.
    on('policy', [...READ, 'delete'], 'poddisruptionbudgets'),
    on('', ['update'], 'pods/finalizers'),
    on('', [...READ, 'create', 'patch', 'delete'], 'persistentvolumeclaims'),
    on('storage.k8s.io', [...READ, 'patch'], 'storageclasses'),
    on('', ['update'], 'persistentvolumeclaims/finalizers'),
    on('cdi.kubevirt.io', [...READ, 'create', 'patch', 'delete'], 'datavolumes'),
    on('cdi.kubevirt.io', ['patch'], 'datavolumes/status', 'datasources/status'),
    on('cdi.kubevirt.io', ['update'], 'datavolumes/finalizers'),
    on('cdi.kubevirt.io', [...READ, 'create', 'patch', 'delete'], 'datasources'),
    on('cdi.kubevirt.io', [...READ, 'patch'], 'dataimportcrons'),
    on('cdi.kubevirt.io', ['patch'], 'dataimportcrons/status'),
    on('cdi.kubevirt.io', ['update'], 'dataimportcrons/finalizers'),
    on('cdi.kubevirt.io', [...READ, 'create', 'patch', 'delete'], 'cdis', 'cdiconfigs', 'storageprofiles'),
    on('cdi.kubevirt.io', ['patch'], 'cdis/status', 'cdiconfigs/status', 'storageprofiles/status'),
    on('snapshot.storage.k8s.io', [...READ, 'create'], 'volumesnapshotclasses'),
    on('snapshot.storage.k8s.io', [...READ, 'create', 'patch'], 'volumesnapshots'),
    on('snapshot.storage.k8s.io', ['patch'], 'volumesnapshots/status'),
    on('snapshot.storage.k8s.io', [...READ, 'create', 'patch', 'delete'], 'volumesnapshotcontents'),
    on('snapshot.kubevirt.io', [...READ, 'create', 'patch', 'delete'], ...SNAPSHOT_KINDS),
    on('snapshot.kubevirt.io', ['patch'], ...SNAPSHOT_KINDS.map((kind) => `${kind}/status`)),
    on('snapshot.kubevirt.io', ['update'], ...SNAPSHOT_KINDS.map((kind) => `${kind}/finalizers`)),
    on('template.kubevirt.io', [...READ, 'create'], 'virtualmachinetemplates'),
    on('template.kubevirt.io', [...READ, 'delete'], 'virtualmachinetemplaterequests'),
    on('template.kubevirt.io', ['patch'], 'virtualmachinetemplates/status', 'virtualmachinetemplaterequests/status'),
    on(
      'template.kubevirt.io',
      ['update'],
      'virtualmachinetemplates/finalizers',
      'virtualmachinetemplaterequests/finalizers',
    ),
    on('clone.kubevirt.io', [...READ, 'patch'], 'virtualmachineclones'),
    on('clone.kubevirt.io', ['patch'], 'virtualmachineclones/status'),
    on('clone.kubevirt.io', ['update'], 'virtualmachineclones/finalizers'),
    on('subresources.kubevirt.io', ['update'], 'virtualmachineinstances/freeze', 'virtualmachineinstances/unfreeze'),
    on('subresources.kubevirt.io', ['update'], 'virtualmachines/stop'),
    on('export.kubevirt.io', [...READ, 'delete'], 'virtualmachineexports'),
    on('export.kubevirt.io', ['patch'], 'virtualmachineexports/status'),
    on('export.kubevirt.io', ['update'], 'virtualmachineexports/finalizers'),
    on('snapshot.kubevirt.io', READ, 'virtualmachinesnapshots', 'virtualmachinesnapshotcontents'),
    // What a restored VM names is made anew if it is missing, goes with the VM, and goes again if the restore fails.
    on('', ['get', 'create', 'patch', 'delete'], 'secrets', 'configmaps'),
    on('harvesterhci.io', ['create', 'patch', 'delete'], 'keypairs'),
    // Its networks are looked for.
    on('k8s.cni.cncf.io', ['get'], 'network-attachment-definitions'),
    on('', [...READ, 'patch', 'delete'], 'persistentvolumes'),
    on('', [...READ, 'patch'], 'nodes'),
    // Whether an address that a node asks a certificate for is that of a Service.
    on('', ['list'], 'services'),
    on('', ['create', 'patch'], 'events'),
    on('apps', [...READ, 'create', 'patch', 'delete'], 'controllerrevisions'),
    on('apps', [...READ, 'create'], 'deployments', 'daemonsets'),
    on('apps', ['patch'], 'deployments/status', 'daemonsets/status'),
    // Who may read their metrics.
    on('authentication.k8s.io', ['create'], 'tokenreviews'),
    on('authorization.k8s.io', ['create'], 'subjectaccessreviews'),
    // Where Prometheus finds them.
    on('discovery.k8s.io', ['get', 'create', 'patch', 'delete'], 'endpointslices'),
    on('coordination.k8s.io', [...READ, 'create', 'update', 'patch'], 'leases'),
    on('certificates.k8s.io', READ, 'certificatesigningrequests'),
    on('certificates.k8s.io', ['patch', 'update'], 'certificatesigningrequests/approval'),
    {
      ...on('certificates.k8s.io', ['approve'], 'signers'),
      resourceNames: [CLIENT_SIGNER, KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER],
    },
    on('apiregistration.k8s.io', READ, 'apiservices'),
  ],
  ownRules: [
    // Of instances of the extension that have died.
    on('coordination.k8s.io', ['delete'], 'leases'),
    on('discovery.k8s.io', [...READ, 'delete'], 'endpointslices'),
  ],
} satisfies Identity;

const RBAC = 'rbac.authorization.k8s.io';
const labels = { 'kubevirt.io': '' };

/** The objects that make an identity known to the server. */
export function identityObjects(identity: Identity): KubeObject[] {
  const { rules, ownRules = [] } = identity;
  if ('group' in identity) {
    const { group } = identity;
    return [
      clusterRole(group, rules),
      clusterRoleBinding(group, group, [{ apiGroup: RBAC, kind: 'Group', name: group }]),
    ];
  }
  const { account } = identity;
  const at = { name: account, namespace: KUBEVIRT_NAMESPACE };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...at, labels } },
    clusterRole(account, rules),
    clusterRoleBinding(account, account, [{ kind: 'ServiceAccount', ...at }]),
    ...(ownRules.length > 0 ? ownRole(at, ownRules) : []),
  ];
}

const ownRole = (at: { readonly name: string; readonly namespace: string }, rules: readonly PolicyRule[]) => [
  { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { ...at, labels }, rules },
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { ...at, labels },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: at.name },
    subjects: [{ kind: 'ServiceAccount', ...at }],
  },
];

const clusterRole = (name: string, rules: readonly PolicyRule[]): ClusterRole => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRole',
  metadata: { name, labels },
  rules: [...rules],
});

const clusterRoleBinding = (
  name: string,
  role: string,
  subjects: NonNullable<ClusterRoleBinding['subjects']>,
): ClusterRoleBinding => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name, labels },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
  subjects: [...subjects],
});

/** Kubelets may read the settings: beside one, the device plug-in acts as it does. */
export const kubeletRole = (): [ClusterRole, ClusterRoleBinding] => {
  const name = 'kubevirt.io:kubelets';
  return [
    clusterRole(name, [on('kubevirt.io', READ, 'kubevirts')]),
    clusterRoleBinding(name, name, [{ apiGroup: RBAC, kind: 'Group', name: KUBELET_GROUP }]),
  ];
};

/** Everybody may look at what VMs can be made from. */
export const clusterInstancetypeRole = (): [ClusterRole, ClusterRoleBinding] => {
  const name = 'instancetype.kubevirt.io:view';
  return [
    clusterRole(name, [on('instancetype.kubevirt.io', READ, ...CLUSTER_INSTANCETYPE_KINDS)]),
    clusterRoleBinding(name, name, [{ apiGroup: RBAC, kind: 'Group', name: 'system:authenticated' }]),
  ];
};
