import { SUBRESOURCE_GROUP } from '@vireo/api/kinds/kubevirt/names.ts';
import { NAMED_KINDS } from '../objectgraph/dependents.ts';
import type { Action, ActionGroup } from './action.ts';
import { DIALECTS } from './dialects.ts';
import { verbsOf } from './methods.ts';
import { isPathNamespaced, RESOURCES } from './resources.ts';

/** What of a group-version there is. */
export const resourceList = (actions: readonly Action[], group: ActionGroup, version: string) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${group}/${version}`,
  resources: [
    ...actions.filter((action) => action.group === group).map(entry),
    ...(group === SUBRESOURCE_GROUP ? OWN_OF_KUBEVIRT : []),
  ].sort((a, b) => (a.name < b.name ? -1 : 1)),
});

function entry(action: Action) {
  const { group, version, kind } = RESOURCES[action.resource];
  return {
    name: `${action.resource}/${action.name}`,
    singularName: '',
    namespaced: isPathNamespaced(action.resource),
    kind,
    group,
    version,
    verbs: verbsOf(action) as string[],
  };
}

/** What is no action on a VM or an instance. */
const OWN_OF_KUBEVIRT = [
  ...NAMED_KINDS.map(({ group, version, kind, plural }) => ({
    name: `${plural}/dependents`,
    singularName: '',
    namespaced: true,
    kind,
    group,
    version,
    verbs: ['get'],
  })),
  { name: 'expand-vm-spec', singularName: '', namespaced: true, kind: 'VirtualMachine', verbs: ['update'] },
  { name: 'guestfs', singularName: '', namespaced: false, kind: 'GuestfsInfo', verbs: ['get'] },
  { name: 'version', singularName: '', namespaced: false, kind: 'Info', verbs: ['get'] },
];

/** The group itself. */
export function apiGroup(name: ActionGroup) {
  const versions = DIALECTS[name].versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { kind: 'APIGroup', apiVersion: 'v1', name, versions, preferredVersion: versions[0] };
}
