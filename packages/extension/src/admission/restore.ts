import { type FieldError, fieldError, isConditionTrue } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { needsBackendStorage } from '@vireo/api/kinds/kubevirt/backendStorage.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { validateAnnotations, validateLabels } from '@vireo/api/validateMeta.ts';
import type { Client } from '@vireo/kube';
import { patchedVmErrors } from './patchedVm.ts';
import { choiceErrors, nameErrors, referenceErrors } from './references.ts';
import { type AdmissionContext, ALLOWED, type ValidatingRule } from './rule.ts';
import { immutable } from './snapshot.ts';
import { patchErrors } from './vmPatches.ts';

type Restore = VirtualMachineRestore;

export const restoreValidation: ValidatingRule<Restore> = {
  type: 'validating',
  webhook: 'virtualmachinerestore-validator.snapshot.kubevirt.io',
  path: '/virtualmachinerestores-validate',
  kinds: [VirtualMachineRestore],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object, oldObject }, context) {
    const { client } = context;
    if (oldObject) return deepEqual(object.spec, oldObject.spec) ? ALLOWED : { errors: [immutable] };
    const errors = specErrors(object.spec);
    if (errors.length > 0) return { errors };
    const { target, virtualMachineSnapshotName: name } = object.spec;
    const { namespace } = object.metadata;
    const snapshot = await client.of(VirtualMachineSnapshot).find(name, { namespace });
    const wrong = snapshotErrors(name, snapshot);
    if (wrong.length > 0 || !snapshot) return { errors: wrong };
    const vm = await client.of(VirtualMachine).find(target.name, { namespace });
    return {
      errors: [
        ...(await targetErrors(object, snapshot, vm, context)),
        ...(await concurrentRestoreErrors(object, client)),
      ],
    };
  },
};

/** What is wrong whatever there is. */
export function specErrors(spec: Restore['spec']): FieldError[] {
  const { target, virtualMachineSnapshotName, volumeRestorePolicy, volumeOwnershipPolicy } = spec;
  return [
    ...referenceErrors('spec.target', target, [VirtualMachine]),
    ...nameErrors('spec.virtualMachineSnapshotName', virtualMachineSnapshotName),
    ...choiceErrors('spec.volumeRestorePolicy', volumeRestorePolicy, ['RandomizeNames', 'InPlace', 'PrefixTargetName']),
    ...choiceErrors('spec.volumeOwnershipPolicy', volumeOwnershipPolicy, ['Vm', 'None']),
    ...overrideErrors(spec),
    ...patchErrors('spec.patches', spec.patches),
  ];
}

function overrideErrors({ volumeRestoreOverrides = [] }: Restore['spec']): FieldError[] {
  return volumeRestoreOverrides.flatMap(({ volumeName, restoreName, labels, annotations }, index) => {
    const path = `spec.volumeRestoreOverrides[${index}]`;
    if (!volumeName) return [fieldError(`${path}.volumeName`, `missing ${path}.volumeName`, 'FieldValueRequired')];
    if (!restoreName && !labels && !annotations)
      return [fieldError(path, `${path} has no effect: set restoreName, labels or annotations`, 'FieldValueRequired')];
    return [
      ...(restoreName ? nameErrors(`${path}.restoreName`, restoreName) : []),
      ...[
        ...validateLabels(labels ?? {}, `${path}.labels`),
        ...validateAnnotations(annotations ?? {}, `${path}.annotations`),
      ].map(({ type, field, text }) => fieldError(field, `${field}: ${text}`, type)),
    ];
  });
}

/** Volumes that are to be restored otherwise, and that the snapshot does not have. */
function unknownVolumes(
  { volumeRestoreOverrides = [], virtualMachineSnapshotName }: Restore['spec'],
  content: VirtualMachineSnapshotContent | undefined,
): FieldError[] {
  if (!content) return [];
  const known = (content.spec.volumeBackups ?? []).map(({ volumeName }) => volumeName);
  return volumeRestoreOverrides.flatMap(({ volumeName }, index) => {
    const path = `spec.volumeRestoreOverrides[${index}].volumeName`;
    const text = `${path}: VirtualMachineSnapshot ${JSON.stringify(virtualMachineSnapshotName)} has no volume ${JSON.stringify(volumeName)}; it has ${known.join(', ') || 'none'}`;
    return known.some((each) => each === volumeName) ? [] : [fieldError(path, text, 'FieldValueNotFound')];
  });
}

/** What speaks against a snapshot. */
function snapshotErrors(name: string, snapshot: VirtualMachineSnapshot | undefined): FieldError[] {
  const wrong = (what: string) => [
    fieldError('spec.virtualMachineSnapshotName', `VirtualMachineSnapshot ${JSON.stringify(name)} ${what}`),
  ];
  if (!snapshot) return wrong('does not exist');
  if (snapshot.status?.phase === 'Failed') return wrong('has failed and is invalid to use');
  return snapshot.status?.readyToUse ? [] : wrong('is not ready to use; wait until its status.readyToUse is true');
}

/** A VM that is there has to be the one that the snapshot is of; another cannot have what its firmware remembers. */
async function targetErrors(
  { metadata, spec }: Restore,
  { status }: VirtualMachineSnapshot,
  vm: VirtualMachine | undefined,
  context: AdmissionContext,
): Promise<FieldError[]> {
  const { client } = context;
  const { name } = spec.target;
  if (vm && vm.metadata.uid !== status?.sourceUID) {
    const text = `VirtualMachine ${JSON.stringify(name)} exists and is not the source of snapshot ${JSON.stringify(spec.virtualMachineSnapshotName)}; choose the name of a new VM`;
    return [fieldError('spec.target.name', text)];
  }
  const content = await client
    .of(VirtualMachineSnapshotContent)
    .find(status?.virtualMachineSnapshotContentName ?? '', { namespace: metadata.namespace });
  const unknown = unknownVolumes(spec, content);
  if (vm || unknown.length > 0) return unknown;
  const kept = content?.spec.source.virtualMachine;
  if (needsBackendStorage(kept?.spec?.template.spec) && kept?.metadata?.name !== name) {
    const text =
      'the VM has persistent firmware state (TPM or EFI variables), so it can only be restored under its own name';
    return [fieldError('spec.target.name', text)];
  }
  const { namespace } = metadata;
  return kept ? patchedVmErrors({ name, namespace, kept, patches: spec.patches ?? [] }, context) : [];
}

/** One restore of a VM at a time. */
async function concurrentRestoreErrors({ metadata, spec }: Restore, client: Client): Promise<FieldError[]> {
  const { items } = await client.of(VirtualMachineRestore).list({ namespace: metadata.namespace });
  const rival = items.find((other) => other.spec.target.name === spec.target.name && isInProgress(other));
  if (!rival) return [];
  const text = `VirtualMachineRestore ${JSON.stringify(rival.metadata.name)} of ${spec.target.name} is in progress; wait for it or delete it`;
  return [fieldError('spec.target', text)];
}

const isInProgress = (restore: Restore): boolean => !restore.status?.complete && !isConditionTrue(restore, 'Failure');
