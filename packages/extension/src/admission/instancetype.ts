import type { Kind, KubeObject } from '@vireo/api';
import {
  VirtualMachineClusterInstancetype,
  VirtualMachineInstancetype,
} from '@vireo/api/kinds/instancetype/virtualMachineInstancetype.ts';
import {
  VirtualMachineClusterPreference,
  VirtualMachinePreference,
} from '@vireo/api/kinds/instancetype/virtualMachinePreference.ts';
import { instancetypeRules, instancetypeWarnings, preferenceRules, preferenceWarnings } from '@vireo/hypervisor';
import type { ValidatingRule, ValidationResult } from './rule.ts';

const ruleOf = <T extends KubeObject>(kind: Kind, validate: (object: T) => ValidationResult): ValidatingRule<T> => ({
  type: 'validating',
  webhook: `${kind.kind.toLowerCase()}-validator.instancetype.kubevirt.io`,
  path: `/${kind.plural}-validate`,
  kinds: [kind],
  operations: ['CREATE', 'UPDATE'],
  validate: async ({ object }) => validate(object),
});

const validateInstancetype = ({
  spec,
}: VirtualMachineInstancetype | VirtualMachineClusterInstancetype): ValidationResult => ({
  errors: instancetypeRules(spec),
  warnings: instancetypeWarnings(spec),
});

const validatePreference = ({
  spec,
}: VirtualMachinePreference | VirtualMachineClusterPreference): ValidationResult => ({
  errors: preferenceRules(spec),
  warnings: preferenceWarnings(spec),
});

/** What VMs can take settings from is itself checked, once a kind. */
export const instancetypeValidation: readonly ValidatingRule<VirtualMachineInstancetype>[] = [
  ruleOf(VirtualMachineInstancetype, validateInstancetype),
  ruleOf(VirtualMachineClusterInstancetype, validateInstancetype),
];

export const preferenceValidation: readonly ValidatingRule<VirtualMachinePreference>[] = [
  ruleOf(VirtualMachinePreference, validatePreference),
  ruleOf(VirtualMachineClusterPreference, validatePreference),
];
