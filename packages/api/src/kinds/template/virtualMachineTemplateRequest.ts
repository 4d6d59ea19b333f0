import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, string, struct } from '../../schema.ts';
import { LocalObjectReference } from '../core/references.ts';
import { ageDate, conditionColumn } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { Condition } from '../meta/condition.ts';

export const VirtualMachineReference = struct(
  'io.kubevirt.template.v1alpha1.VirtualMachineReference',
  'Names a machine.',
  {
    name: required(string, 'Name of the machine.'),
    namespace: required(string, 'Namespace of the machine.'),
  },
);
export interface VirtualMachineReference extends Infer<typeof VirtualMachineReference> {}

export const VirtualMachineTemplateRequestSpec = struct(
  'io.kubevirt.template.v1alpha1.VirtualMachineTemplateRequestSpec',
  'Which machine to make a template of.',
  {
    templateName: optional(string, "Name of the template; the request's own when empty."),
    virtualMachineRef: required(VirtualMachineReference, 'The machine.'),
  },
);
export interface VirtualMachineTemplateRequestSpec extends Infer<typeof VirtualMachineTemplateRequestSpec> {}

export const VirtualMachineTemplateRequestStatus = struct(
  'io.kubevirt.template.v1alpha1.VirtualMachineTemplateRequestStatus',
  'How a request is doing.',
  {
    conditions: optional(list(Condition, ['type']), 'Observations about it: Ready and Progressing.'),
    templateRef: optional(LocalObjectReference, 'The template.'),
  },
);
export interface VirtualMachineTemplateRequestStatus extends Infer<typeof VirtualMachineTemplateRequestStatus> {}

export const VirtualMachineTemplateRequestSchema = struct(
  'io.kubevirt.template.v1alpha1.VirtualMachineTemplateRequest',
  'Makes a template of a machine.',
  {
    ...objectFields,
    spec: required(VirtualMachineTemplateRequestSpec, 'What is wanted.'),
    status: optional(VirtualMachineTemplateRequestStatus, 'What was last observed. Written by the system.'),
  },
);
export interface VirtualMachineTemplateRequest extends Infer<typeof VirtualMachineTemplateRequestSchema> {}

export const VirtualMachineTemplateRequest = defineKind<VirtualMachineTemplateRequest>({
  group: 'template.kubevirt.io',
  version: 'v1alpha1',
  kind: 'VirtualMachineTemplateRequest',
  plural: 'virtualmachinetemplaterequests',
  namespaced: true,
  shortNames: ['vmtr', 'vmtrs'],
  schema: VirtualMachineTemplateRequestSchema,
  columns: [
    { name: 'Template', type: 'string', jsonPath: '.status.templateRef.name', description: 'The template.' },
    ageDate,
    conditionColumn('Ready', 'Ready', 'Whether the template was made.'),
    conditionColumn('Progressing', 'Progressing', 'Whether it is being made.'),
  ],
});
