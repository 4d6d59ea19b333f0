import { controllerOf, type FieldError, fieldError } from '@vireo/api';
import { parseDuration } from '@vireo/api/duration.ts';
import { deepEqual } from '@vireo/api/json.ts';
import { HarvesterBackup, isOnTarget } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import type { Client } from '@vireo/kube';
import { isComponent, isControllers } from '../identity.ts';
import { choiceErrors, referenceErrors } from './references.ts';
import { ALLOWED, type ValidatingRule } from './rule.ts';
import { expectSnapshotQuota } from './snapshotQuota.ts';

export const snapshotValidation: ValidatingRule<VirtualMachineSnapshot> = {
  type: 'validating',
  webhook: 'virtualmachinesnapshot-validator.snapshot.kubevirt.io',
  path: '/virtualmachinesnapshots-validate',
  kinds: [VirtualMachineSnapshot],
  operations: ['CREATE', 'UPDATE'],
  async validate(admission, { client }) {
    const { object, oldObject, user } = admission;
    if (oldObject) return deepEqual(object.spec, oldObject.spec) ? ALLOWED : { errors: [immutable] };
    const { source, deletionPolicy, failureDeadline } = object.spec;
    const errors = [
      ...referenceErrors('spec.source', source, [VirtualMachine]),
      ...choiceErrors('spec.deletionPolicy', deletionPolicy, ['Delete', 'Retain']),
      ...deadlineErrors('spec.failureDeadline', failureDeadline),
    ];
    if (errors.length > 0) return { errors };
    // Those of the controllers are for a moment: a clone or a backup is made of them. A backup may also be one.
    if (isControllers(user) && !(await isBackup(object, client))) return { errors };
    const vm = await client.of(VirtualMachine).find(source.name, { namespace: object.metadata.namespace });
    if (!vm) return { errors };
    await expectSnapshotQuota(vm, admission, client);
    return { errors, ...(!isComponent(user) && { warnings: diskWarnings(vm) }) };
  },
};

/** Whether a snapshot stays as a backup of Harvester's. */
async function isBackup(snapshot: VirtualMachineSnapshot, client: Client): Promise<boolean> {
  const owner = controllerOf(snapshot);
  if (owner?.kind !== HarvesterBackup.kind || !owner.apiVersion.startsWith(`${HarvesterBackup.group}/`)) return false;
  const backup = await client.of(HarvesterBackup).find(owner.name, { namespace: snapshot.metadata.namespace });
  return backup !== undefined && !isOnTarget(backup);
}

/** A snapshot without a disk brings no data back; whoever asks for one should not find out when it is restored. */
function diskWarnings(vm: VirtualMachine): string[] {
  const { namespace, name } = vm.metadata;
  const volumes = vm.spec.template.spec?.volumes ?? [];
  const isOnClaim = volumes.some((volume) => volume.persistentVolumeClaim ?? volume.dataVolume);
  const statuses = vm.status?.volumeSnapshotStatuses;
  // Nobody has looked at the claims yet.
  if (isOnClaim && !statuses) return [];
  if (isOnClaim && statuses?.some(({ enabled }) => enabled)) return [];
  const why = isOnClaim ? 'the storage of its claims does not support snapshots' : 'none of its disks is on a claim';
  return [`VirtualMachine ${namespace}/${name}: ${why}, so the snapshot contains its configuration only, and no data.`];
}

/** VMs are made from contents with the system's rights: nobody else may say what is in them. */
export const contentValidation: ValidatingRule<VirtualMachineSnapshotContent> = {
  type: 'validating',
  webhook: 'virtualmachinesnapshotcontent-validator.snapshot.kubevirt.io',
  path: '/virtualmachinesnapshotcontents-validate',
  kinds: [VirtualMachineSnapshotContent],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object, oldObject, user }) {
    if (oldObject) return deepEqual(object.spec, oldObject.spec) ? ALLOWED : { errors: [immutable] };
    const text = 'Vireo creates VirtualMachineSnapshotContents; create a VirtualMachineSnapshot instead';
    return isComponent(user) ? ALLOWED : { errors: [fieldError('spec', text, 'FieldValueForbidden')] };
  },
};

/** Of objects that ask for something to be done once. */
export const immutable = fieldError('spec', 'spec is immutable after creation', 'FieldValueNotSupported');

/** What is wrong with the time that a snapshot may take. */
export function deadlineErrors(path: string, deadline: string | undefined): FieldError[] {
  if (deadline === undefined) return [];
  const ms = parseDuration(deadline);
  if (ms !== undefined && ms >= 0) return [];
  const text = `${path} is ${JSON.stringify(deadline)}: it must be a duration such as 30s or 5m, or 0 for no deadline`;
  return [fieldError(path, text)];
}
