import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, int32, list, map, string, struct } from '../../schema.ts';
import { LocalObjectReference } from '../core/references.ts';
import { ageDate, conditionColumn } from '../customColumns.ts';
import { optional, required, within } from '../customResource.ts';
import { Condition } from '../meta/condition.ts';

export const VirtualMachineReference = struct(
  'io.kubevirt.template.v1beta1.VirtualMachineReference',
  'Refers to a VirtualMachine.',
  {
    name: required(string, 'Name of the VirtualMachine.'),
    namespace: required(string, 'Namespace of the VirtualMachine.'),
  },
);
export interface VirtualMachineReference extends Infer<typeof VirtualMachineReference> {}

export const VirtualMachineTemplateRequestSpec = struct(
  'io.kubevirt.template.v1beta1.VirtualMachineTemplateRequestSpec',
  'The VirtualMachine to make a template of.',
  {
    templateLabels: optional(map(string), 'Labels of the template. Those of template.kubevirt.io are reserved.'),
    templateName: optional(string, 'Name of the template. Defaults to that of the request.'),
    ttlSecondsAfterFinished: optional(
      within(0, undefined, int32),
      'How long the request is kept after the template was created. Failed requests are kept.',
    ),
    virtualMachineRef: required(VirtualMachineReference, 'The VirtualMachine to make a template of.'),
  },
  { validations: [{ rule: 'self == oldSelf', message: 'spec is immutable' }] },
);
export interface VirtualMachineTemplateRequestSpec extends Infer<typeof VirtualMachineTemplateRequestSpec> {}

export const VirtualMachineTemplateRequestStatus = struct(
  'io.kubevirt.template.v1beta1.VirtualMachineTemplateRequestStatus',
  'Progress of a VirtualMachineTemplateRequest.',
  {
    conditions: optional(list(Condition, ['type']), 'Conditions of the request: Ready and Progressing.'),
    templateRef: optional(LocalObjectReference, 'The VirtualMachineTemplate that was created.'),
  },
);
export interface VirtualMachineTemplateRequestStatus extends Infer<typeof VirtualMachineTemplateRequestStatus> {}

export const VirtualMachineTemplateRequestSchema = struct(
  'io.kubevirt.template.v1beta1.VirtualMachineTemplateRequest',
  'Creates a VirtualMachineTemplate from a VirtualMachine.',
  {
    ...objectFields,
    spec: required(VirtualMachineTemplateRequestSpec, 'Desired state of the VirtualMachineTemplateRequest.'),
    status: optional(
      VirtualMachineTemplateRequestStatus,
      'Observed state of the VirtualMachineTemplateRequest. The system writes it.',
    ),
  },
);
export interface VirtualMachineTemplateRequest extends Infer<typeof VirtualMachineTemplateRequestSchema> {}

export const VirtualMachineTemplateRequest = defineKind<VirtualMachineTemplateRequest>({
  group: 'template.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineTemplateRequest',
  plural: 'virtualmachinetemplaterequests',
  namespaced: true,
  shortNames: ['vmtr', 'vmtrs'],
  schema: VirtualMachineTemplateRequestSchema,
  columns: [
    {
      name: 'Template',
      type: 'string',
      jsonPath: '.status.templateRef.name',
      description: 'Name of the VirtualMachineTemplate that was created.',
    },
    ageDate,
    conditionColumn('Ready', 'Ready', 'Whether the template was made.'),
    conditionColumn('Progressing', 'Progressing', 'Whether it is being made.'),
  ],
});
