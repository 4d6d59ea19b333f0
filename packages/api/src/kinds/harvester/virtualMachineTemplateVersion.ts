import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, string, struct } from '../../schema.ts';
import { ageDate } from '../customColumns.ts';
import { int, optional, required, templateMetadata } from '../customResource.ts';
import { VirtualMachineSpec } from '../kubevirt/virtualMachineSpec.ts';
import { HarvesterCondition } from './harvesterParts.ts';
import { HARVESTER_GROUP } from './names.ts';

export const TemplateVersionVm = struct(
  'io.harvesterhci.v1beta1.VirtualMachineSourceSpec',
  'The VirtualMachine that a VirtualMachineTemplateVersion keeps.',
  {
    metadata: optional(templateMetadata, 'Name, labels and annotations of VMs that are created from the version.'),
    spec: required(VirtualMachineSpec, 'Spec of VMs that are created from the version.'),
  },
);
export interface TemplateVersionVm extends Infer<typeof TemplateVersionVm> {}

export const TemplateVersionSpec = struct(
  'io.harvesterhci.v1beta1.VirtualMachineTemplateVersionSpec',
  'What a VirtualMachineTemplateVersion keeps. It never changes.',
  {
    description: optional(string, 'Description of the version for users.'),
    imageId: optional(string, 'VirtualMachineImage of the first disk, as namespace/name. For display only.'),
    keyPairIds: optional(list(string, 'atomic'), 'KeyPairs of VMs that are created from it, as namespace/name.'),
    templateId: required(string, 'VirtualMachineTemplate that it is a version of, as namespace/name.'),
    vm: optional(TemplateVersionVm, 'The VirtualMachine that the version keeps.'),
  },
);
export interface TemplateVersionSpec extends Infer<typeof TemplateVersionSpec> {}

export const TemplateVersionStatus = struct(
  'io.harvesterhci.v1beta1.VirtualMachineTemplateVersionStatus',
  'Number and conditions of a VirtualMachineTemplateVersion.',
  {
    conditions: optional(
      list(HarvesterCondition, 'atomic'),
      'Conditions: assigned once it has a number, ready once its images are imported.',
    ),
    version: optional(int, 'Number of the version, from 1.'),
  },
);
export interface TemplateVersionStatus extends Infer<typeof TemplateVersionStatus> {}

export const VirtualMachineTemplateVersionSchema = struct(
  'io.harvesterhci.v1beta1.VirtualMachineTemplateVersion',
  'A version of a VirtualMachineTemplate: a VirtualMachine as it was.',
  {
    ...objectFields,
    spec: required(TemplateVersionSpec, 'Desired state of the VirtualMachineTemplateVersion.'),
    status: optional(
      TemplateVersionStatus,
      'Observed state of the VirtualMachineTemplateVersion. The system writes it.',
    ),
  },
);
export interface VirtualMachineTemplateVersion extends Infer<typeof VirtualMachineTemplateVersionSchema> {}

export const VirtualMachineTemplateVersion = defineKind<VirtualMachineTemplateVersion>({
  group: HARVESTER_GROUP,
  version: 'v1beta1',
  kind: 'VirtualMachineTemplateVersion',
  plural: 'virtualmachinetemplateversions',
  namespaced: true,
  shortNames: ['vmtemplateversion', 'vmtemplateversions'],
  schema: VirtualMachineTemplateVersionSchema,
  columns: [
    {
      name: 'Template_ID',
      type: 'string',
      jsonPath: '.spec.templateId',
      description: 'The template that it is a version of, as namespace/name.',
    },
    {
      name: 'Description',
      type: 'string',
      priority: 10,
      jsonPath: '.spec.description',
      description: 'Description of the version for users.',
    },
    { name: 'Version', type: 'integer', jsonPath: '.status.version', description: 'Number of the version.' },
    ageDate,
  ],
});
