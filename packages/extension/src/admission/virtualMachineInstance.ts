import { randomUUID } from 'node:crypto';
import { type FieldError, fieldError, timestamp } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { applyPresets, applyVmiDefaults, missingHypervisorText, presetConflicts, validateVmi } from '@vireo/hypervisor';
import { isComponent } from '../identity.ts';
import { reservedLabelErrors } from './reservedLabels.ts';
import type { Admission, MutatingRule, ValidatingRule } from './rule.ts';

type Vmi = VirtualMachineInstance;

/** Fills in what the user left open. The status is the system's: what others write into it is dropped. */
export const vmiDefaults: MutatingRule<Vmi> = {
  type: 'mutating',
  webhook: 'virtualmachineinstances-mutator.kubevirt.io',
  path: '/virtualmachineinstances-mutate',
  kinds: [VirtualMachineInstance],
  operations: ['CREATE', 'UPDATE'],
  async mutate({ operation, object, oldObject, user }, { config, presets }) {
    const own = isComponent(user) ? object : { ...object, status: oldObject?.status };
    if (operation !== 'CREATE') return own;
    const preset = applyPresets(own, (await presets?.(object.metadata.namespace ?? '')) ?? []);
    return applyVmiDefaults(preset, await config(), { randomUuid: randomUUID, now: timestamp() });
  },
};

export const vmiCreation: ValidatingRule<Vmi> = {
  type: 'validating',
  webhook: 'virtualmachineinstances-create-validator.kubevirt.io',
  path: '/virtualmachineinstances-validate-create',
  kinds: [VirtualMachineInstance],
  operations: ['CREATE'],
  async validate({ object, user }, { config, presets }) {
    const settings = await config();
    // Defaults and rules of another hypervisor are not those of the one that was asked for.
    const noHypervisor = missingHypervisorText(settings);
    if (noHypervisor !== undefined) return { errors: [fieldError('spec', noHypervisor, 'FieldValueNotSupported')] };
    const conflicts = presetConflicts(object, (await presets?.(object.metadata.namespace ?? '')) ?? []);
    return { errors: [...conflicts, ...validateVmi(object, settings, { isSystem: isComponent(user) })] };
  },
};

export const vmiUpdate: ValidatingRule<Vmi> = {
  type: 'validating',
  webhook: 'virtualmachineinstances-update-validator.kubevirt.io',
  path: '/virtualmachineinstances-validate-update',
  kinds: [VirtualMachineInstance],
  operations: ['UPDATE'],
  validate: async (admission) => ({ errors: vmiUpdateErrors(admission) }),
};

/** A VMI is what was started: only the system changes it, and its limits not even the system. */
function vmiUpdateErrors({ object, oldObject, user }: Admission<Vmi>): FieldError[] {
  if (!oldObject) return [];
  if (!isComponent(user)) {
    if (!deepEqual(object.spec, oldObject.spec))
      return [fieldError('spec', 'update of VMI object is restricted', 'FieldValueNotSupported')];
    return reservedLabelErrors(object.metadata, oldObject.metadata);
  }
  return [
    ...pluggedErrors(object.spec, oldObject.spec),
    ...immutableErrors(
      'spec.domain.cpu.maxSockets',
      object.spec.domain.cpu?.maxSockets,
      oldObject.spec.domain.cpu?.maxSockets,
      'CPU topology maxSockets changed',
    ),
    ...immutableErrors(
      'spec.domain.memory.maxGuest',
      object.spec.domain.memory?.maxGuest,
      oldObject.spec.domain.memory?.maxGuest,
      'Memory maxGuest changed',
    ),
  ];
}

/** What comes while the VM runs has to be something that can. */
function pluggedErrors(spec: Vmi['spec'], before: Vmi['spec']): FieldError[] {
  const old = new Set((before.domain.devices?.disks ?? []).map(({ name }) => name));
  return (spec.domain.devices?.disks ?? []).flatMap((disk, index) => {
    if (old.has(disk.name)) return [];
    const field = `spec.domain.devices.disks[${index}]`;
    const bus = disk.disk?.bus ?? disk.lun?.bus;
    if (!disk.disk && !disk.lun)
      return [fieldError(field, `Disk [${disk.name}] requires diskDevice of type 'disk' or 'lun' to be used.`)];
    if (bus === 'scsi' || (disk.disk && bus === 'virtio')) return [];
    return [fieldError(field, `hotplugged Disk ${disk.name} does not use a scsi or virtio bus`)];
  });
}

const immutableErrors = (path: string, value: unknown, before: unknown, text: string): FieldError[] =>
  value === before ? [] : [fieldError(path, text)];
