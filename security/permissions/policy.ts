import type { PolicyRule } from '@vireo/api';

/*
 * Who should be able to do what, written down by itself: not read from the roles that are tested. What does not stand
 * here is refused to everybody but the administrators of the cluster, so a new kind that is open to others shows up.
 */

const READ = ['get', 'list', 'watch'];
const CHANGE = ['create', 'update', 'patch', 'delete'];
const CHANGE_MANY = [...CHANGE, 'deletecollection'];

const on = (group: string, verbs: readonly string[], resources: string): PolicyRule => ({
  apiGroups: [group],
  resources: resources.trim().split(/\s+/),
  verbs: [...verbs],
});

const ACTIONS = 'subresources.kubevirt.io';
export const HARVESTER_ACTIONS = 'subresources.harvesterhci.io';

/** By group: what users make of VMs and disks in their own namespace. */
const VM_KINDS: Readonly<Record<string, string>> = {
  'kubevirt.io':
    'virtualmachines virtualmachineinstances virtualmachineinstancereplicasets virtualmachineinstancepresets',
  'snapshot.kubevirt.io': 'virtualmachinesnapshots virtualmachinesnapshotcontents virtualmachinerestores',
  'clone.kubevirt.io': 'virtualmachineclones',
  'export.kubevirt.io': 'virtualmachineexports',
  'pool.kubevirt.io': 'virtualmachinepools',
  'instancetype.kubevirt.io': 'virtualmachineinstancetypes virtualmachinepreferences',
  'backup.kubevirt.io': 'virtualmachinebackups virtualmachinebackuptrackers',
  'template.kubevirt.io': 'virtualmachinetemplates virtualmachinetemplaterequests',
  'cdi.kubevirt.io':
    'datavolumes datasources dataimportcrons volumeimportsources volumeuploadsources volumeclonesources',
  'harvesterhci.io': `virtualmachineimages upgradelogs virtualmachinetemplates virtualmachinetemplateversions keypairs
     virtualmachinebackups virtualmachinerestores schedulevmbackups`,
};
const SETS: Readonly<Record<string, string>> = {
  'kubevirt.io': 'virtualmachineinstancereplicasets/scale',
  'pool.kubevirt.io': 'virtualmachinepools/scale',
};

const rules = (kinds: Readonly<Record<string, string>>, verbs: readonly string[]): PolicyRule[] =>
  Object.entries(kinds).map(([group, resources]) => on(group, verbs, resources));

/** Whoever has shown who he is, in every namespace. */
export const EVERYONE: readonly PolicyRule[] = [
  on('authorization.k8s.io', ['create'], 'selfsubjectaccessreviews selfsubjectrulesreviews'),
  on('authentication.k8s.io', ['create'], 'selfsubjectreviews'),
  on('instancetype.kubevirt.io', READ, 'virtualmachineclusterinstancetypes virtualmachineclusterpreferences'),
  on('kubevirt.io', ['get', 'list'], 'kubevirts'),
  on('cdi.kubevirt.io', READ, 'cdiconfigs'),
  on(ACTIONS, ['get', 'list'], 'version guestfs'),
];

export const VIEW: readonly PolicyRule[] = [
  ...rules(VM_KINDS, READ),
  ...rules(SETS, ['get']),
  on('kubevirt.io', READ, 'virtualmachineinstancemigrations'),
  on('harvesterhci.io', READ, 'resourcequotas'),
  on(
    '',
    READ,
    `configmaps endpoints events limitranges namespaces namespaces/status persistentvolumeclaims
     persistentvolumeclaims/status pods pods/log pods/status replicationcontrollers replicationcontrollers/scale
     replicationcontrollers/status resourcequotas resourcequotas/status serviceaccounts services services/status`,
  ),
  on('discovery.k8s.io', READ, 'endpointslices'),
  on(
    'apps',
    READ,
    `controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets
     replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status`,
  ),
  on('autoscaling', READ, 'horizontalpodautoscalers horizontalpodautoscalers/status'),
  on('batch', READ, 'cronjobs cronjobs/status jobs jobs/status'),
  on('networking.k8s.io', READ, 'ingresses ingresses/status networkpolicies'),
  on('resource.k8s.io', READ, 'resourceclaims resourceclaims/status resourceclaimtemplates'),
  on('policy', READ, 'poddisruptionbudgets poddisruptionbudgets/status'),
  on('events.k8s.io', READ, 'events'),
  on('metrics.k8s.io', READ, 'nodes pods'),
  on(
    ACTIONS,
    ['get'],
    `virtualmachines/expand-spec virtualmachines/objectgraph virtualmachineinstances/guestosinfo
     virtualmachineinstances/userlist virtualmachineinstances/filesystemlist virtualmachineinstances/objectgraph
     virtualmachineinstancereplicasets/objectgraph virtualmachinepools/objectgraph
     virtualmachineinstances/sev/fetchcertchain virtualmachineinstances/sev/querylaunchmeasurement`,
  ),
  // Which VMs use something: only those that the one who asks may see.
  on(
    ACTIONS,
    ['get'],
    `configmaps/dependents controllerrevisions/dependents datavolumes/dependents
     network-attachment-definitions/dependents persistentvolumeclaims/dependents secrets/dependents
     serviceaccounts/dependents virtualmachineinstancetypes/dependents virtualmachinepreferences/dependents`,
  ),
  on(ACTIONS, ['update'], 'expand-vm-spec'),
  on(HARVESTER_ACTIONS, ['get'], 'virtualmachinetemplates/versions'),
  on('subresources.template.kubevirt.io', ['create'], 'virtualmachinetemplates/process'),
];

export const EDIT: readonly PolicyRule[] = [
  ...VIEW,
  ...rules(VM_KINDS, CHANGE),
  ...rules(SETS, ['update', 'patch']),
  on('snapshot.storage.k8s.io', [...READ, ...CHANGE], 'volumesnapshots'),
  on('cdi.kubevirt.io', ['create'], 'datavolumes/source'),
  on('subresources.template.kubevirt.io', ['create'], 'virtualmachinetemplates/create'),
  on('upload.cdi.kubevirt.io', ['create'], 'uploadtokenrequests'),
  on('', READ, 'secrets pods/attach pods/exec pods/portforward pods/proxy services/proxy'),
  on(
    '',
    CHANGE_MANY,
    `configmaps events persistentvolumeclaims pods replicationcontrollers replicationcontrollers/scale secrets
     serviceaccounts services services/proxy pods/attach pods/exec pods/portforward pods/proxy`,
  ),
  on('', ['create'], 'pods/eviction serviceaccounts/token'),
  on(
    'apps',
    CHANGE_MANY,
    'daemonsets deployments deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
  ),
  on('autoscaling', CHANGE_MANY, 'horizontalpodautoscalers'),
  on('batch', CHANGE_MANY, 'cronjobs jobs'),
  on('networking.k8s.io', CHANGE_MANY, 'ingresses networkpolicies'),
  on('resource.k8s.io', CHANGE_MANY, 'resourceclaims resourceclaimtemplates'),
  on('policy', CHANGE_MANY, 'poddisruptionbudgets'),
  on('coordination.k8s.io', [...READ, ...CHANGE_MANY], 'leases'),
  on(
    ACTIONS,
    ['update'],
    `virtualmachines/start virtualmachines/stop virtualmachines/restart virtualmachines/memorydump
     virtualmachines/addvolume virtualmachines/removevolume virtualmachines/evacuate/cancel
     virtualmachineinstances/pause virtualmachineinstances/unpause virtualmachineinstances/softreboot
     virtualmachineinstances/reset virtualmachineinstances/freeze virtualmachineinstances/unfreeze
     virtualmachineinstances/exec virtualmachineinstances/file
     virtualmachineinstances/addvolume virtualmachineinstances/removevolume virtualmachineinstances/evacuate/cancel
     virtualmachineinstances/sev/setupsession virtualmachineinstances/sev/injectlaunchsecret`,
  ),
  on(
    ACTIONS,
    ['get'],
    `virtualmachines/portforward virtualmachineinstances/console virtualmachineinstances/vnc
     virtualmachineinstances/portforward virtualmachineinstances/usbredir virtualmachineinstances/exec
     virtualmachineinstances/file`,
  ),
  on(
    HARVESTER_ACTIONS,
    ['create', 'update'],
    `virtualmachines/start virtualmachines/stop virtualmachines/restart virtualmachines/softreboot
     virtualmachines/pause virtualmachines/unpause virtualmachines/forceStop virtualmachines/addVolume
     virtualmachines/removeVolume virtualmachines/snapshot virtualmachines/restore virtualmachines/clone
     virtualmachines/insertCdRomVolume virtualmachines/ejectCdRomVolume virtualmachines/ejectCdRom
     persistentvolumeclaims/export persistentvolumeclaims/clone persistentvolumeclaims/snapshot
     persistentvolumeclaims/cancelExpand persistentvolumeclaims/dataMigration volumesnapshots/restore
     virtualmachineimages/upload virtualmachines/backup
     virtualmachines/createTemplate virtualmachines/addNic virtualmachines/removeNic
     virtualmachines/cpuAndMemoryHotplug virtualmachines/storageMigration virtualmachines/cancelStorageMigration
     virtualmachines/dismissInsufficientResourceQuota keypairs/keygen`,
  ),
  on(
    HARVESTER_ACTIONS,
    ['get'],
    `virtualmachineimages/download virtualmachineimages/downloadcancel
     virtualmachines/findHotunpluggableNics`,
  ),
];

export const ADMIN: readonly PolicyRule[] = [
  ...EDIT,
  ...rules(VM_KINDS, ['deletecollection']),
  on('rbac.authorization.k8s.io', [...READ, ...CHANGE_MANY], 'roles rolebindings'),
  on('authorization.k8s.io', ['create'], 'localsubjectaccessreviews'),
  on(ACTIONS, ['get'], 'virtualmachineinstances/vnc/screenshot'),
];

export const CLUSTER_ADMIN: readonly PolicyRule[] = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];

/**
 * A node, as it is to VMIs, volumes and networks. Which of them it may write, admission says; Secrets, and what it says of
 * pods, are its kubelet's.
 */
export const NODE: readonly PolicyRule[] = [
  on('kubevirt.io', [...READ, 'patch'], 'virtualmachineinstances'),
  on('kubevirt.io', READ, 'kubevirts'),
  on('', ['patch'], 'persistentvolumeclaims/status persistentvolumes/status'),
  on('', [...READ, 'patch'], 'persistentvolumeclaims'),
  on('', [...READ, 'create', 'delete', 'patch'], 'persistentvolumes'),
  on('storage.k8s.io', READ, 'storageclasses'),
  on('cdi.kubevirt.io', ['get'], 'datavolumes datasources'),
  on('cdi.kubevirt.io', READ, 'cdiconfigs'),
  on('harvesterhci.io', ['get'], 'virtualmachineimages'),
  on('snapshot.storage.k8s.io', READ, 'volumesnapshots'),
  on('snapshot.storage.k8s.io', [...READ, 'patch'], 'volumesnapshotcontents'),
  on('snapshot.storage.k8s.io', ['patch'], 'volumesnapshotcontents/status'),
  on('k8s.cni.cncf.io', ['get'], 'network-attachment-definitions'),
  on('', READ, 'services namespaces pods nodes'),
  on('discovery.k8s.io', READ, 'endpointslices'),
  on('networking.k8s.io', READ, 'networkpolicies'),
  on('certificates.k8s.io', ['create', ...READ], 'certificatesigningrequests'),
  on('authentication.k8s.io', ['create'], 'tokenreviews'),
  on('authorization.k8s.io', ['create'], 'subjectaccessreviews'),
];

/** The account of simulated nodes, in every namespace. */
export const SIMULATED: readonly PolicyRule[] = [
  on('kubevirt.io', [...READ, 'patch'], 'virtualmachineinstances'),
  on('', [...READ, 'delete'], 'pods'),
  on('', ['patch'], 'pods/status nodes/status'),
  on('', [...READ, 'create', 'patch'], 'nodes'),
  on('', ['create', 'patch'], 'events'),
  on('coordination.k8s.io', ['get', 'create', 'update', 'patch'], 'leases'),
];

/** Whether rules allow a verb on a resource (`virtualmachines/start`). */
export const allows = (rules: readonly PolicyRule[], verb: string, group: string, resource: string): boolean =>
  rules.some(
    ({ verbs, apiGroups, resources }) =>
      includes(verbs, verb) && includes(apiGroups ?? [], group) && includes(resources ?? [], resource),
  );

const includes = (allowed: readonly string[], value: string): boolean =>
  allowed.includes('*') || allowed.includes(value);

/**
 * A kubelet, asked about objects that are not its own: these are let through, and then there is nothing of that name.
 * What admission keeps to its own (new nodes, pods and CSINodes), and the Secrets, ConfigMaps, claims, Leases and tokens
 * that no pod of it names, do not stand here.
 */
export const KUBELET: readonly PolicyRule[] = [
  on('authentication.k8s.io', ['create'], 'tokenreviews'),
  on('authorization.k8s.io', ['create'], 'localsubjectaccessreviews subjectaccessreviews'),
  on('', READ, 'services'),
  on('', ['get'], 'endpoints'),
  on('', ['create', 'update', 'patch'], 'events'),
  on('', ['update', 'patch'], 'nodes nodes/status pods/status'),
  on('', ['delete'], 'pods'),
  on('', ['create'], 'pods/eviction'),
  on('certificates.k8s.io', ['create', ...READ], 'certificatesigningrequests'),
  on('storage.k8s.io', READ, 'csidrivers'),
  on('node.k8s.io', READ, 'runtimeclasses'),
  // Beside a kubelet, the device plug-in goes by the settings.
  on('kubevirt.io', READ, 'kubevirts'),
];
