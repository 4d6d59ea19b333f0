import { SUBRESOURCE_GROUP } from '@vireo/api/kinds/kubevirt/names.ts';
import { NAMED_KINDS } from '../objectgraph/dependents.ts';
import type { Action, ActionGroup } from './action.ts';
import { DIALECTS } from './dialects.ts';
import { verbsOf } from './methods.ts';
import { isPathNamespaced, RESOURCES } from './resources.ts';

/** What of a group-version there is. */
export function resourceList(actions: readonly Action[], group: ActionGroup, version: string) {
  const own = actions.filter((action) => action.group === group);
  const alike = Map.groupBy(own, ({ resource, name }) => `${resource}/${name}`);
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${group}/${version}`,
    resources: [...[...alike.values()].map(entry), ...(group === SUBRESOURCE_GROUP ? OWN_OF_KUBEVIRT : [])].sort(
      (a, b) => (a.name < b.name ? -1 : 1),
    ),
  };
}

/** Of all actions that have one name: `file` is read and written. */
function entry(alike: readonly Action[]) {
  const { resource, name } = alike[0]!;
  const { group, version, kind } = RESOURCES[resource];
  return {
    name: `${resource}/${name}`,
    singularName: '',
    namespaced: isPathNamespaced(resource),
    kind,
    group,
    version,
    verbs: alike.flatMap(verbsOf) as string[],
  };
}

/** What is no action on a VM or a VMI. */
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
