import type { FieldError } from '@vireo/api';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { ClusterConfig } from '../clusterConfig.ts';
import { applyVmiSpecDefaults, fillUnset } from '../defaults/index.ts';
import { applyInstancetype, type InstancetypeAndPreference } from './apply.ts';

/** A VM whose template has its instance type and preference written out; the matchers stay. */
export function applyInstancetypeToVm<Vm extends VirtualMachine>(
  vm: Vm,
  types: InstancetypeAndPreference,
  config: ClusterConfig,
): { vm: Vm; conflicts: FieldError[] } {
  const { template } = vm.spec;
  if (!template?.spec || (!types.instancetype && !types.preference)) return { vm, conflicts: [] };
  const { annotations = {} } = template.metadata ?? {};
  const { vmi, conflicts } = applyInstancetype({ spec: template.spec, annotations }, types, { config });
  if (conflicts.length > 0) return { vm, conflicts };
  const metadata = Object.keys(vmi.annotations).length
    ? { ...template.metadata, annotations: { ...vmi.annotations } }
    : template.metadata;
  const expanded = { ...template, ...(metadata && { metadata }), spec: vmi.spec };
  return { vm: { ...vm, spec: { ...vm.spec, template: expanded } }, conflicts: [] };
}

/** A VM that needs no instance type and no preference any more: all is in its template, defaults too. */
export function expandVm<Vm extends VirtualMachine>(
  given: Vm,
  types: InstancetypeAndPreference,
  config: ClusterConfig,
): { vm: Vm; conflicts: FieldError[] } {
  const { vm, conflicts } = applyInstancetypeToVm(given, types, config);
  if (conflicts.length > 0 || (!given.spec.instancetype && !given.spec.preference)) return { vm: given, conflicts };
  const { instancetype: _, preference: __, ...spec } = vm.spec;
  const template = spec.template?.spec
    ? { ...spec.template, spec: applyVmiSpecDefaults(spec.template.spec, config) }
    : spec.template;
  return { vm: { ...vm, spec: { ...spec, template } }, conflicts: [] };
}

/** A new VM with what its preference decides before any other default: where it runs and what its volumes are kept on. */
export function preferForVm(vm: VirtualMachine, { preference }: InstancetypeAndPreference): VirtualMachine {
  const { template, dataVolumeTemplates } = vm.spec;
  if (!preference || !template?.spec) return vm;
  const machineType = preference.machine?.preferredMachineType;
  const storageClassName = preference.volumes?.preferredStorageClassName;
  const filled = fillUnset(vm, {
    spec: {
      template: {
        spec: {
          architecture: preference.preferredArchitecture || undefined,
          ...(machineType && { domain: { machine: { type: machineType } } }),
        },
      },
    },
  });
  if (!storageClassName || !dataVolumeTemplates?.length) return filled;
  const onClass = dataVolumeTemplates.map((each) => {
    const { pvc, storage } = each.spec;
    const spec = {
      ...each.spec,
      ...(pvc && { pvc: fillUnset(pvc, { storageClassName }) }),
      ...(storage && { storage: fillUnset(storage, { storageClassName }) }),
    };
    return { ...each, spec };
  });
  return { ...filled, spec: { ...filled.spec, dataVolumeTemplates: onClass } };
}
