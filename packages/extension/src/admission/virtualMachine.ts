import { randomUUID } from 'node:crypto';
import { type FieldError, timestamp } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { applyVmDefaults, validateVm } from '@vireo/hypervisor';
import { isActedOn } from './notRun.ts';
import { ALLOWED, type MutatingRule, problem, type ValidatingRule } from './rule.ts';

type Vm = VirtualMachine;

export const vmDefaults: MutatingRule<Vm> = {
  type: 'mutating',
  webhook: 'virtualmachines-mutator.kubevirt.io',
  path: '/virtualmachines-mutate',
  kinds: [VirtualMachine],
  operations: ['CREATE', 'UPDATE'],
  async mutate({ operation, object }, { config }) {
    if (isDeleting(object) || operation === 'DELETE') return object;
    return applyVmDefaults(object, await config(), { randomUuid: randomUUID, now: timestamp() }, operation);
  },
};

export const vmValidation: ValidatingRule<Vm> = {
  type: 'validating',
  webhook: 'virtualmachine-validator.kubevirt.io',
  path: '/virtualmachines-validate',
  kinds: [VirtualMachine],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object }, { config }) {
    // A machine that goes may carry rules that came later than it; its finalizers have to come off all the same.
    if (isDeleting(object)) return ALLOWED;
    const warnings =
      object.spec.running === undefined ? [] : ['spec.running is deprecated, please use spec.runStrategy instead.'];
    return { errors: [...validateVm(object, await config()), ...notRunErrors(object)], warnings };
  },
};

const isDeleting = ({ metadata }: Vm): boolean => metadata.deletionTimestamp !== undefined;

/** Parts of a machine that nothing here carries out yet: it would wait for them for ever. */
function notRunErrors({ spec }: Vm): FieldError[] {
  const said: FieldError[] = [];
  if (spec.instancetype)
    said.push(
      problem(
        'FieldValueNotSupported',
        'spec.instancetype',
        'spec.instancetype: Vireo does not apply instance types yet',
      ),
    );
  if (spec.preference)
    said.push(
      problem('FieldValueNotSupported', 'spec.preference', 'spec.preference: Vireo does not apply preferences yet'),
    );
  if (spec.dataVolumeTemplates?.length && !isActedOn(DataVolume))
    said.push(
      problem(
        'FieldValueNotSupported',
        'spec.dataVolumeTemplates',
        'spec.dataVolumeTemplates: Vireo does not run DataVolume yet',
      ),
    );
  return said;
}
