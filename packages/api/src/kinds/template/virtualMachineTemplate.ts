import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { anyObject, boolean, type Infer, list, oneOf, string, struct } from '../../schema.ts';
import { ageDate, conditionColumn } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { Condition } from '../meta/condition.ts';

export const TemplateParameter = struct('io.kubevirt.template.v1alpha1.Parameter', 'A value to fill in.', {
  description: optional(string, 'What it is for.'),
  displayName: optional(string, 'Name for people.'),
  from: optional(
    { ...string, pattern: '\\[([a-zA-Z0-9\\-\\\\]+)\\](\\{(\\w+)\\})' },
    'What to make it up from, such as [a-z]{8}.',
  ),
  generate: optional(oneOf('expression'), 'How to make it up; expression.'),
  name: required(string, 'Its name. The machine has it in braces after a dollar sign.'),
  required: optional(boolean, 'Whether it must have a value.'),
  value: optional(string, 'Its value.'),
});
export interface TemplateParameter extends Infer<typeof TemplateParameter> {}

export const VirtualMachineTemplateSpec = struct(
  'io.kubevirt.template.v1alpha1.VirtualMachineTemplateSpec',
  'A machine with values to fill in.',
  {
    message: optional(string, 'What to tell whoever uses it.'),
    parameters: optional(list(TemplateParameter), 'The values.'),
    virtualMachine: required(anyObject, 'The machine, with names of values in place of some of its text.'),
  },
);
export interface VirtualMachineTemplateSpec extends Infer<typeof VirtualMachineTemplateSpec> {}

export const VirtualMachineTemplateStatus = struct(
  'io.kubevirt.template.v1alpha1.VirtualMachineTemplateStatus',
  'How a template is doing.',
  {
    conditions: optional(list(Condition, ['type']), 'Observations about it; Ready says whether it can be used.'),
  },
);
export interface VirtualMachineTemplateStatus extends Infer<typeof VirtualMachineTemplateStatus> {}

export const VirtualMachineTemplateSchema = struct(
  'io.kubevirt.template.v1alpha1.VirtualMachineTemplate',
  'What machines can be made from, once some values are filled in.',
  {
    ...objectFields,
    spec: required(VirtualMachineTemplateSpec, 'What is wanted.'),
    status: optional(VirtualMachineTemplateStatus, 'What was last observed. Written by the system.'),
  },
);
export interface VirtualMachineTemplate extends Infer<typeof VirtualMachineTemplateSchema> {}

export const VirtualMachineTemplate = defineKind<VirtualMachineTemplate>({
  group: 'template.kubevirt.io',
  version: 'v1alpha1',
  kind: 'VirtualMachineTemplate',
  plural: 'virtualmachinetemplates',
  namespaced: true,
  shortNames: ['vmt', 'vmts'],
  schema: VirtualMachineTemplateSchema,
  columns: [ageDate, conditionColumn('Ready', 'Ready', 'Whether it can be used.')],
});
