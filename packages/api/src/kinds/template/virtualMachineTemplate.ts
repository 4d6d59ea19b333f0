import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { anyObject, boolean, type Infer, list, oneOf, string, struct } from '../../schema.ts';
import { ageDate, conditionColumn } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { Condition } from '../meta/condition.ts';

export const TemplateParameter = struct('io.kubevirt.template.v1beta1.Parameter', 'A parameter of the template.', {
  description: optional(string, 'Description of the parameter for users.'),
  displayName: optional(string, 'Name of the parameter for users.'),
  from: optional(
    { ...string, pattern: '\\[([a-zA-Z0-9\\-\\\\]+)\\](\\{(\\w+)\\})' },
    'Pattern to generate the value from, such as [a-z]{8}.',
  ),
  generate: optional(oneOf('expression'), 'How to generate a value if none is given. Only expression is supported.'),
  name: required(string, 'Name of the parameter. The VM refers to it in braces after a dollar sign.'),
  required: optional(boolean, 'Whether the parameter must have a value.'),
  value: optional(string, 'Value of the parameter, unless the user gives another.'),
});
export interface TemplateParameter extends Infer<typeof TemplateParameter> {}

export const VirtualMachineTemplateSpec = struct(
  'io.kubevirt.template.v1beta1.VirtualMachineTemplateSpec',
  'A VirtualMachine with parameters.',
  {
    message: optional(string, 'Message for the user once the VM is created.'),
    parameters: optional(list(TemplateParameter), 'Parameters whose values replace their names in the VM.'),
    virtualMachine: required(anyObject, 'The VirtualMachine, with references to parameters.'),
  },
);
export interface VirtualMachineTemplateSpec extends Infer<typeof VirtualMachineTemplateSpec> {}

export const VirtualMachineTemplateStatus = struct(
  'io.kubevirt.template.v1beta1.VirtualMachineTemplateStatus',
  'Observed state of a VirtualMachineTemplate.',
  {
    conditions: optional(list(Condition, ['type']), 'Observations about it; Ready says whether it can be used.'),
  },
);
export interface VirtualMachineTemplateStatus extends Infer<typeof VirtualMachineTemplateStatus> {}

export const VirtualMachineTemplateSchema = struct(
  'io.kubevirt.template.v1beta1.VirtualMachineTemplate',
  'A VirtualMachine with parameters, from which VMs are created.',
  {
    ...objectFields,
    spec: required(VirtualMachineTemplateSpec, 'Desired state of the VirtualMachineTemplate.'),
    status: optional(
      VirtualMachineTemplateStatus,
      'Observed state of the VirtualMachineTemplate. The system writes it.',
    ),
  },
);
export interface VirtualMachineTemplate extends Infer<typeof VirtualMachineTemplateSchema> {}

export const VirtualMachineTemplate = defineKind<VirtualMachineTemplate>({
  group: 'template.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineTemplate',
  plural: 'virtualmachinetemplates',
  namespaced: true,
  shortNames: ['vmt', 'vmts'],
  schema: VirtualMachineTemplateSchema,
  columns: [ageDate, conditionColumn('Ready', 'Ready', 'Whether it can be used.')],
});
