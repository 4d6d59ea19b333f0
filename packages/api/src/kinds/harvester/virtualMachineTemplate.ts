import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, string, struct } from '../../schema.ts';
import { ageDate } from '../customColumns.ts';
import { int, optional } from '../customResource.ts';
import { HARVESTER_GROUP } from './names.ts';

export const HarvesterTemplateSpec = struct(
  'io.harvesterhci.v1beta1.VirtualMachineTemplateSpec',
  'Which version of a VirtualMachineTemplate VMs are created from.',
  {
    defaultVersionId: optional(
      string,
      'The VirtualMachineTemplateVersion to use unless another is chosen, as namespace/name. The first version becomes it.',
    ),
    description: optional(string, 'Description of the template for users.'),
  },
);
export interface HarvesterTemplateSpec extends Infer<typeof HarvesterTemplateSpec> {}

export const HarvesterTemplateStatus = struct(
  'io.harvesterhci.v1beta1.VirtualMachineTemplateStatus',
  'Numbers of the versions of a VirtualMachineTemplate.',
  {
    defaultVersion: optional(int, 'Number of the default version.'),
    latestVersion: optional(int, 'Highest number that was given to a version. No number is given twice.'),
  },
);
export interface HarvesterTemplateStatus extends Infer<typeof HarvesterTemplateStatus> {}

export const HarvesterTemplateSchema = struct(
  'io.harvesterhci.v1beta1.VirtualMachineTemplate',
  'A named set of VirtualMachineTemplateVersions, from which VMs are created.',
  {
    ...objectFields,
    spec: optional(HarvesterTemplateSpec, 'Desired state of the VirtualMachineTemplate.'),
    status: optional(HarvesterTemplateStatus, 'Observed state of the VirtualMachineTemplate. The system writes it.'),
  },
);
export interface HarvesterTemplate extends Infer<typeof HarvesterTemplateSchema> {}

/** Harvester's VirtualMachineTemplate. KubeVirt has a kind of that name, too, which is another thing. */
export const HarvesterTemplate = defineKind<HarvesterTemplate>({
  group: HARVESTER_GROUP,
  version: 'v1beta1',
  kind: 'VirtualMachineTemplate',
  plural: 'virtualmachinetemplates',
  namespaced: true,
  shortNames: ['vmtemplate', 'vmtemplates'],
  schema: HarvesterTemplateSchema,
  columns: [
    {
      name: 'Version_ID',
      type: 'string',
      jsonPath: '.spec.defaultVersionId',
      description: 'The default version, as namespace/name.',
    },
    {
      name: 'Description',
      type: 'string',
      priority: 10,
      jsonPath: '.spec.description',
      description: 'Description of the template for users.',
    },
    {
      name: 'Version_Default',
      type: 'integer',
      priority: 8,
      jsonPath: '.status.defaultVersion',
      description: 'Number of the default version.',
    },
    {
      name: 'Version_Latest',
      type: 'integer',
      priority: 8,
      jsonPath: '.status.latestVersion',
      description: 'Highest number of a version.',
    },
    ageDate,
  ],
});
