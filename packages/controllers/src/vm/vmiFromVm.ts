import { controllerReference } from '@vireo/api';
import { VM_FINALIZER, VM_GENERATION_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Draft } from '@vireo/kube';
import { firmwareUuid } from './firmware.ts';
import { withoutDumps } from './memoryDump.ts';
import { startRevisionName } from './revision.ts';

/** The VMI that a VM is run as. */
export function vmiFromVm(vm: Vm, { paused }: { readonly paused: boolean }): Draft<Vmi> {
  const { metadata = {}, spec } = vm.spec.template;
  const { name, namespace, generation } = vm.metadata;
  if (!spec) throw new Error(`VirtualMachine ${namespace}/${name}: spec.template.spec is missing`);
  const { domain } = spec;
  return {
    apiVersion: `${Vmi.group}/${Vmi.version}`,
    kind: Vmi.kind,
    metadata: {
      name,
      namespace,
      labels: { ...metadata?.labels },
      annotations: { ...metadata?.annotations, [VM_GENERATION_ANNOTATION]: String(generation ?? 0) },
      ownerReferences: [controllerReference(vm, Vm)],
      finalizers: [...new Set([...(metadata?.finalizers ?? []), VM_FINALIZER])],
    },
    spec: {
      ...spec,
      ...(spec.volumes && { volumes: withoutDumps(spec.volumes) }),
      ...(paused && { startStrategy: 'Paused' }),
      domain: { ...domain, firmware: { ...domain.firmware, uuid: domain.firmware?.uuid ?? firmwareUuid(vm) } },
    },
    status: { virtualMachineRevisionName: startRevisionName(vm) },
  };
}
