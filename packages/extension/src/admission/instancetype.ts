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
import type { ValidatingRule, Verdict } from './rule.ts';

const ruleOf = <T extends KubeObject>(kind: Kind, judge: (object: T) => Verdict): ValidatingRule<T> => ({
  type: 'validating',
  webhook: `${kind.kind.toLowerCase()}-validator.instancetype.kubevirt.io`,
  path: `/${kind.plural}-validate`,
  kinds: [kind],
  operations: ['CREATE', 'UPDATE'],
  validate: async ({ object }) => judge(object),
});

const judgeInstancetype = ({ spec }: VirtualMachineInstancetype | VirtualMachineClusterInstancetype): Verdict => ({
  errors: instancetypeRules(spec),
  warnings: instancetypeWarnings(spec),
});

const judgePreference = ({ spec }: VirtualMachinePreference | VirtualMachineClusterPreference): Verdict => ({
  errors: preferenceRules(spec),
  warnings: preferenceWarnings(spec),
});

/** What VMs can take settings from is itself checked, once a kind. */
export const instancetypeValidation: readonly ValidatingRule<VirtualMachineInstancetype>[] = [
  ruleOf(VirtualMachineInstancetype, judgeInstancetype),
  ruleOf(VirtualMachineClusterInstancetype, judgeInstancetype),
];

export const preferenceValidation: readonly ValidatingRule<VirtualMachinePreference>[] = [
  ruleOf(VirtualMachinePreference, judgePreference),
  ruleOf(VirtualMachineClusterPreference, judgePreference),
];
