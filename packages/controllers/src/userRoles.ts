import type { ClusterRole, ClusterRoleBinding, PolicyRule } from '@vireo/api';
import { clusterRole, clusterRoleBinding } from './rbac.ts';

const SUBRESOURCES = 'subresources.kubevirt.io';

/** The resources that users work with, by API group. */
const RESOURCES: Readonly<Record<string, readonly string[]>> = {
  'kubevirt.io': [
    'virtualmachines',
    'virtualmachineinstances',
    'virtualmachineinstancepresets',
    'virtualmachineinstancereplicasets',
  ],
  'snapshot.kubevirt.io': ['virtualmachinesnapshots', 'virtualmachinesnapshotcontents', 'virtualmachinerestores'],
  'backup.kubevirt.io': ['virtualmachinebackups', 'virtualmachinebackuptrackers'],
  'export.kubevirt.io': ['virtualmachineexports'],
  'clone.kubevirt.io': ['virtualmachineclones'],
  'instancetype.kubevirt.io': [
    'virtualmachineinstancetypes',
    'virtualmachineclusterinstancetypes',
    'virtualmachinepreferences',
    'virtualmachineclusterpreferences',
  ],
  'pool.kubevirt.io': ['virtualmachinepools'],
};
const PLUGINS: Readonly<Record<string, readonly string[]>> = { 'plugin.kubevirt.io': ['plugins'] };
const MIGRATIONS: Readonly<Record<string, readonly string[]>> = {
  'kubevirt.io': ['virtualmachineinstancemigrations'],
  'migrations.kubevirt.io': ['migrationpolicies'],
};

const READ = ['get', 'list', 'watch'];
const EDIT = [...READ, 'create', 'delete', 'patch', 'update'];

const each = (resources: Readonly<Record<string, readonly string[]>>, verbs: readonly string[]): PolicyRule[] =>
  Object.entries(resources).map(([group, names]) => ({
    apiGroups: [group],
    resources: [...names],
    verbs: [...verbs],
  }));

const sub = (verb: string, ...resources: string[]): PolicyRule => ({
  apiGroups: [SUBRESOURCES],
  resources,
  verbs: [verb],
});
const under = (resource: string, ...names: string[]): string[] => names.map((name) => `${resource}/${name}`);

/** What shows a machine and changes nothing. */
const VIEWS = under(
  'virtualmachineinstances',
  'guestosinfo',
  'filesystemlist',
  'userlist',
  'sev/fetchcertchain',
  'sev/querylaunchmeasurement',
  'objectgraph',
);
const VM_VIEWS = under('virtualmachines', 'objectgraph', 'expand-spec');
/** What reaches into a guest. */
const SESSIONS = [
  ...under('virtualmachineinstances', 'console', 'vnc', 'portforward', 'usbredir'),
  ...under('virtualmachines', 'portforward'),
];
const ACTIONS = [
  ...under(
    'virtualmachineinstances',
    'pause',
    'unpause',
    'addvolume',
    'removevolume',
    'freeze',
    'unfreeze',
    'softreboot',
    'reset',
    'sev/setupsession',
    'sev/injectlaunchsecret',
    'evacuate/cancel',
  ),
  ...under('virtualmachines', 'start', 'stop', 'restart', 'addvolume', 'removevolume', 'memorydump', 'evacuate/cancel'),
  'expand-vm-spec',
];

const readKubevirts: PolicyRule = { apiGroups: ['kubevirt.io'], resources: ['kubevirts'], verbs: ['get', 'list'] };
const aggregatesTo = (role: string) => ({ [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true' });

/** What KubeVirt gives to users: roles that add to the server's own admin, edit and view, and a few for everybody. */
export function userRoles(): (ClusterRole | ClusterRoleBinding)[] {
  const everybody = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }];
  return [
    clusterRole('kubevirt.io:default', [
      readKubevirts,
      { apiGroups: [SUBRESOURCES], resources: ['version', 'guestfs'], verbs: ['get', 'list'] },
    ]),
    clusterRoleBinding('kubevirt.io:default', 'kubevirt.io:default', everybody),
    clusterRole(
      'kubevirt.io:admin',
      [
        sub('get', ...VIEWS, ...VM_VIEWS, ...SESSIONS, 'virtualmachineinstances/vnc/screenshot'),
        sub('update', ...ACTIONS),
        ...each({ ...RESOURCES, ...PLUGINS }, [...EDIT, 'deletecollection']),
        ...each(MIGRATIONS, READ),
      ],
      aggregatesTo('admin'),
    ),
    clusterRole(
      'kubevirt.io:edit',
      [
        sub('get', ...VIEWS, ...VM_VIEWS, ...SESSIONS),
        sub('update', ...ACTIONS),
        ...each(RESOURCES, EDIT),
        ...each(MIGRATIONS, READ),
        readKubevirts,
      ],
      aggregatesTo('edit'),
    ),
    clusterRole(
      'kubevirt.io:view',
      [
        readKubevirts,
        sub('get', ...VIEWS, ...VM_VIEWS),
        sub('update', 'expand-vm-spec'),
        ...each({ ...RESOURCES, ...PLUGINS }, READ),
        ...each(MIGRATIONS, READ),
      ],
      aggregatesTo('view'),
    ),
    clusterRole('kubevirt.io:migrate', [
      sub('update', 'virtualmachines/migrate'),
      {
        apiGroups: ['kubevirt.io'],
        resources: ['virtualmachineinstancemigrations'],
        verbs: [...EDIT, 'deletecollection'],
      },
    ]),
    clusterRole('instancetype.kubevirt.io:view', [
      {
        apiGroups: ['instancetype.kubevirt.io'],
        resources: ['virtualmachineclusterinstancetypes', 'virtualmachineclusterpreferences'],
        verbs: READ,
      },
    ]),
    clusterRoleBinding('instancetype.kubevirt.io:view', 'instancetype.kubevirt.io:view', everybody),
  ];
}
