import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, struct } from '../../schema.ts';
import { required } from '../customResource.ts';
import { VirtualMachinePreferenceSpec } from './preferenceSpec.ts';

export const VirtualMachinePreferenceSchema = struct(
  'io.kubevirt.instancetype.v1beta1.VirtualMachinePreference',
  'Defaults that VMs of the same namespace can refer to.',
  {
    ...objectFields,
    spec: required(VirtualMachinePreferenceSpec, 'Defaults for fields that a VM does not set.'),
  },
);
export interface VirtualMachinePreference extends Infer<typeof VirtualMachinePreferenceSchema> {}

export const VirtualMachineClusterPreferenceSchema = struct(
  'io.kubevirt.instancetype.v1beta1.VirtualMachineClusterPreference',
  'Defaults that VMs of all namespaces can refer to.',
  {
    ...objectFields,
    spec: required(VirtualMachinePreferenceSpec, 'Defaults for fields that a VM does not set.'),
  },
);
export interface VirtualMachineClusterPreference extends Infer<typeof VirtualMachineClusterPreferenceSchema> {}

export const VirtualMachinePreference = defineKind<VirtualMachinePreference>({
  group: 'instancetype.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachinePreference',
  plural: 'virtualmachinepreferences',
  namespaced: true,
  shortNames: ['vmpref', 'vmprefs', 'vmp', 'vmps'],
  categories: ['all'],
  schema: VirtualMachinePreferenceSchema,
});

export const VirtualMachineClusterPreference = defineKind<VirtualMachineClusterPreference>({
  group: 'instancetype.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineClusterPreference',
  plural: 'virtualmachineclusterpreferences',
  namespaced: false,
  shortNames: ['vmcp', 'vmcps'],
  schema: VirtualMachineClusterPreferenceSchema,
});
