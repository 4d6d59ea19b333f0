import { NAMED_KINDS } from '../objectgraph/dependents.ts';
import { SUBRESOURCE_GROUP, SUBRESOURCE_VERSIONS } from '../wellKnown.ts';
import type { Action, ActionResource } from './action.ts';

const KIND: Readonly<Record<ActionResource, string>> = {
  virtualmachines: 'VirtualMachine',
  virtualmachineinstances: 'VirtualMachineInstance',
};

/** The verb that RBAC knows a method by. */
export const verbOf = (method: Action['method']): string => (method === 'PUT' ? 'update' : 'get');

/** What of a group-version there is. */
export const resourceList = (actions: readonly Action[], version: string) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${SUBRESOURCE_GROUP}/${version}`,
  resources: [
    ...actions.map(({ resource, name, method }) => ({
      name: `${resource}/${name}`,
      singularName: '',
      namespaced: true,
      kind: KIND[resource],
      group: 'kubevirt.io',
      version: 'v1',
      verbs: [verbOf(method)],
    })),
    ...NAMED_KINDS.map(({ group, version: kindVersion, kind, plural }) => ({
      name: `${plural}/dependents`,
      singularName: '',
      namespaced: true,
      kind,
      group,
      version: kindVersion,
      verbs: ['get'],
    })),
    { name: 'expand-vm-spec', singularName: '', namespaced: true, kind: 'VirtualMachine', verbs: ['update'] },
  ].sort((a, b) => (a.name < b.name ? -1 : 1)),
});

/** The group itself. */
export function apiGroup() {
  const versions = SUBRESOURCE_VERSIONS.map((version) => ({
    groupVersion: `${SUBRESOURCE_GROUP}/${version}`,
    version,
  }));
  return { kind: 'APIGroup', apiVersion: 'v1', name: SUBRESOURCE_GROUP, versions, preferredVersion: versions[0] };
}
