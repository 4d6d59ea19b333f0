import { type FieldError, fieldError } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { Admission } from './rule.ts';

type Vm = VirtualMachine;

/** What may not change in a VM while a snapshot of it is taken, or while it is restored. */
export function snapshotInProgressErrors({ object: { spec, status }, oldObject }: Admission<Vm>): FieldError[] {
  if (!oldObject) return [];
  const { snapshotInProgress: snapshot, restoreInProgress: restore } = oldObject.status ?? status ?? {};
  const field = spec.runStrategy === undefined ? 'spec.running' : 'spec.runStrategy';
  const isSwitched = spec.running !== oldObject.spec.running || spec.runStrategy !== oldObject.spec.runStrategy;
  if (restore && isSwitched)
    return [
      fieldError(field, `Cannot update VM ${field} until restore "${restore}" completes`, 'FieldValueNotSupported'),
    ];
  if (!snapshot) return [];
  if (isSwitched)
    return [
      fieldError(
        field,
        `Cannot update VM running state until snapshot "${snapshot}" completes`,
        'FieldValueNotSupported',
      ),
    ];
  const text = `Cannot update VM disks or volumes until snapshot "${snapshot}" completes`;
  return deepEqual(disksOf(spec), disksOf(oldObject.spec))
    ? []
    : [fieldError('spec.template.spec.volumes', text, 'FieldValueNotSupported')];
}

const disksOf = ({ template, dataVolumeTemplates }: Vm['spec']): unknown[] => [
  template.spec?.volumes ?? [],
  template.spec?.domain.devices.disks ?? [],
  dataVolumeTemplates ?? [],
];
