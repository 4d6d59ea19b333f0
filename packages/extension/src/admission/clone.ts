import { type FieldError, fieldError } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { clonePatches } from '@vireo/api/kinds/clone/patches.ts';
import { VirtualMachineClone } from '@vireo/api/kinds/clone/virtualMachineClone.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import {
  type SnapshotVirtualMachine,
  VirtualMachineSnapshotContent,
} from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { generateName } from '@vireo/api/names.ts';
import type { Client } from '@vireo/kube';
import { patchedVmErrors } from './patchedVm.ts';
import { choiceErrors, referenceErrors } from './references.ts';
import { ALLOWED, type MutatingRule, type ValidatingRule } from './rule.ts';
import { immutable } from './snapshot.ts';
import { patchErrors } from './vmPatches.ts';

type Clone = VirtualMachineClone;

/** Gives the copy a name where the clone has none for it. */
export const cloneDefaults: MutatingRule<Clone> = {
  type: 'mutating',
  webhook: 'virtualmachineclones-mutator.kubevirt.io',
  path: '/vm-clone-mutate-create',
  kinds: [VirtualMachineClone],
  operations: ['CREATE'],
  async mutate({ object }) {
    const { source, target } = object.spec;
    if (!source?.name) return object;
    const given = { apiGroup: VirtualMachine.group, kind: VirtualMachine.kind, ...target };
    const name = target?.name || generateName(`clone-${source.name}-`);
    return { ...object, spec: { ...object.spec, target: { ...given, name } } };
  },
};

export const cloneValidation: ValidatingRule<Clone> = {
  type: 'validating',
  webhook: 'vm-clone-validator.kubevirt.io',
  path: '/vm-clone-validate-create',
  kinds: [VirtualMachineClone],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object, oldObject }, context) {
    const { client } = context;
    if (oldObject) return deepEqual(object.spec, oldObject.spec) ? ALLOWED : { errors: [immutable] };
    const errors = specErrors(object.spec);
    if (errors.length > 0) return { errors };
    const name = object.spec.target?.name ?? '';
    const { namespace } = object.metadata;
    const existing = await client.of(VirtualMachine).find(name, { namespace });
    const text = `VirtualMachine ${JSON.stringify(name)} already exists; choose another target name`;
    if (existing) return { errors: [fieldError('spec.target.name', text, 'FieldValueDuplicate')] };
    const kept = await sourceOf(object, client);
    if (!kept) return ALLOWED;
    const { patches = [], ...spec } = object.spec;
    const before = clonePatches({ spec }, kept);
    return { errors: await patchedVmErrors({ name, namespace, kept, before, patches }, context) };
  },
};

/** What is copied; undefined as long as it is not there: a clone may wait for it. */
async function sourceOf({ metadata, spec }: Clone, client: Client): Promise<SnapshotVirtualMachine | undefined> {
  const { kind, name } = spec.source;
  const { namespace } = metadata;
  if (kind === VirtualMachine.kind) return client.of(VirtualMachine).find(name, { namespace });
  const snapshot = await client.of(VirtualMachineSnapshot).find(name, { namespace });
  const content = snapshot?.status?.virtualMachineSnapshotContentName;
  if (!content) return undefined;
  const found = await client.of(VirtualMachineSnapshotContent).find(content, { namespace });
  return found?.spec.source.virtualMachine;
}

/** What is wrong whatever there is. */
export function specErrors(spec: Clone['spec']): FieldError[] {
  const { source, target, volumeNamePolicy, newMacAddresses = {} } = spec;
  return [
    ...referenceErrors('spec.source', source, [VirtualMachine, VirtualMachineSnapshot]),
    ...referenceErrors('spec.target', target, [VirtualMachine]),
    ...(source.kind === VirtualMachine.kind && source.name === target?.name
      ? [fieldError('spec.target.name', 'Target name cannot be equal to source name')]
      : []),
    ...choiceErrors('spec.volumeNamePolicy', volumeNamePolicy, ['RandomizeNames', 'PrefixTargetName']),
    ...Object.entries(newMacAddresses).flatMap(([name, mac]) => macErrors(name, mac)),
    ...filterErrors(spec),
    ...patchErrors('spec.patches', spec.patches),
  ];
}

const MAC = /^[\da-f]{2}([:-][\da-f]{2}){5}$/i;

function macErrors(card: string, mac: string): FieldError[] {
  const field = `spec.newMacAddresses[${card}]`;
  const text = `${field} is ${JSON.stringify(mac)}: it must be a MAC address such as 02:00:00:00:00:01`;
  return MAC.test(mac) ? [] : [fieldError(field, text)];
}

/** Filters are keys with `*` in them; what could be in no key is a mistake. */
function filterErrors({ annotationFilters, labelFilters, template }: Clone['spec']): FieldError[] {
  const lists = {
    'spec.annotationFilters': annotationFilters,
    'spec.labelFilters': labelFilters,
    'spec.template.annotationFilters': template?.annotationFilters,
    'spec.template.labelFilters': template?.labelFilters,
  };
  return Object.entries(lists).flatMap(([path, filters = []]) =>
    filters.flatMap((filter, index) => {
      const field = `${path}[${index}]`;
      const text = `${field} is ${JSON.stringify(filter)}: it may contain letters, digits and -_./*, and may start with !`;
      return /^!?[\w./*-]*$/.test(filter) ? [] : [fieldError(field, text)];
    }),
  );
}
