import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, struct } from '../../schema.ts';
import { required } from '../customResource.ts';
import { VirtualMachineInstancetypeSpec } from './instancetypeSpec.ts';

export const VirtualMachineInstancetypeSchema = struct(
  'io.kubevirt.instancetype.v1beta1.VirtualMachineInstancetype',
  'CPUs, memory and devices that VMs of the same namespace can refer to as one instance type.',
  {
    ...objectFields,
    spec: required(VirtualMachineInstancetypeSpec, 'CPUs, memory and devices that the instance type sets.'),
  },
);
export interface VirtualMachineInstancetype extends Infer<typeof VirtualMachineInstancetypeSchema> {}

export const VirtualMachineClusterInstancetypeSchema = struct(
  'io.kubevirt.instancetype.v1beta1.VirtualMachineClusterInstancetype',
  'CPUs, memory and devices that VMs of all namespaces can refer to as one instance type.',
  {
    ...objectFields,
    spec: required(VirtualMachineInstancetypeSpec, 'CPUs, memory and devices that the instance type sets.'),
  },
);
export interface VirtualMachineClusterInstancetype extends Infer<typeof VirtualMachineClusterInstancetypeSchema> {}

export const VirtualMachineInstancetype = defineKind<VirtualMachineInstancetype>({
  group: 'instancetype.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineInstancetype',
  plural: 'virtualmachineinstancetypes',
  namespaced: true,
  shortNames: ['vminstancetype', 'vminstancetypes', 'vmf', 'vmfs'],
  categories: ['all'],
  schema: VirtualMachineInstancetypeSchema,
});

export const VirtualMachineClusterInstancetype = defineKind<VirtualMachineClusterInstancetype>({
  group: 'instancetype.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineClusterInstancetype',
  plural: 'virtualmachineclusterinstancetypes',
  namespaced: false,
  shortNames: ['vmclusterinstancetype', 'vmclusterinstancetypes', 'vmcf', 'vmcfs'],
  schema: VirtualMachineClusterInstancetypeSchema,
});
