import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import {
  applyInstancetypeToVm,
  type ClusterConfig,
  type InstancetypeAndPreference,
  type InstancetypeOrPreference,
  MATCHER_FIELDS,
} from '@vireo/hypervisor';
import { type FindType, namedType } from './labels.ts';

/** Writes out what VMs take from instance types; once for every version of a VM and of what it names. */
export function expander(find: FindType, config: () => ClusterConfig): (vm: Vm) => Vm {
  const known = new WeakMap<Vm, { of: readonly (InstancetypeOrPreference | undefined)[]; vm: Vm }>();
  return (vm) => {
    if (!vm.spec.instancetype && !vm.spec.preference) return vm;
    const of = MATCHER_FIELDS.map((field) => namedType(vm, field, find)?.type);
    const before = known.get(vm);
    if (before?.of.every((type, index) => type === of[index])) return before.vm;
    const [instancetype, preference] = of.map((type) => type?.spec);
    const expanded = applyInstancetypeToVm(vm, { instancetype, preference } as InstancetypeAndPreference, config()).vm;
    known.set(vm, { of, vm: expanded });
    return expanded;
  };
}
