import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { DomainSpec } from './domain.ts';

export const VirtualMachineInstancePresetSpec = struct(
  'io.kubevirt.v1.VirtualMachineInstancePresetSpec',
  'Domain settings and the selector for the VMIs that receive them.',
  {
    domain: optional(DomainSpec, 'Domain settings that are merged into matching VMIs.'),
    selector: required(LabelSelector, 'Labels of the VMIs that get them.'),
  },
);
export interface VirtualMachineInstancePresetSpec extends Infer<typeof VirtualMachineInstancePresetSpec> {}

export const VirtualMachineInstancePresetSchema = struct(
  'io.kubevirt.v1.VirtualMachineInstancePreset',
  'Domain settings for VirtualMachineInstances with matching labels. Deprecated in favour of instance types.',
  {
    ...objectFields,
    spec: optional(VirtualMachineInstancePresetSpec, 'Desired state of the VirtualMachineInstancePreset.'),
  },
);
export interface VirtualMachineInstancePreset extends Infer<typeof VirtualMachineInstancePresetSchema> {}

export const VirtualMachineInstancePreset = defineKind<VirtualMachineInstancePreset>({
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstancePreset',
  plural: 'virtualmachineinstancepresets',
  namespaced: true,
  shortNames: ['vmipreset', 'vmipresets'],
  // KubeVirt puts it among `all`, and so warns of its deprecation at every `kubectl get all`.
  schema: VirtualMachineInstancePresetSchema,
});
