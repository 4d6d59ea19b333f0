import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, map, string, struct, time } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { phaseColumn } from '../customColumns.ts';
import { conditionFields, optional, required } from '../customResource.ts';

export const CloneCondition = struct(
  'io.kubevirt.clone.v1beta1.Condition',
  'A condition of a VirtualMachineClone, such as Ready or Progressing.',
  conditionFields,
);
export interface CloneCondition extends Infer<typeof CloneCondition> {}

export const VirtualMachineCloneTemplateFilters = struct(
  'io.kubevirt.clone.v1beta1.VirtualMachineCloneTemplateFilters',
  'Filters for the labels and annotations of spec.template that the copy keeps.',
  {
    annotationFilters: optional(
      list(string, 'atomic'),
      'Filters for annotations, such as key* to keep or !key to drop. If empty, all are kept.',
    ),
    labelFilters: optional(list(string, 'atomic'), 'Filters for labels, in the same syntax as annotationFilters.'),
  },
);
export interface VirtualMachineCloneTemplateFilters extends Infer<typeof VirtualMachineCloneTemplateFilters> {}

export const VirtualMachineCloneSpec = struct(
  'io.kubevirt.clone.v1beta1.VirtualMachineCloneSpec',
  'Source and target of the copy, and the settings that differ between them.',
  {
    annotationFilters: optional(
      list(string, 'atomic'),
      'Filters for annotations of the VM, such as key* to keep or !key to drop. If empty, all are kept.',
    ),
    labelFilters: optional(
      list(string, 'atomic'),
      'Filters for labels of the VM, in the same syntax as annotationFilters.',
    ),
    newMacAddresses: optional(map(string), 'MAC addresses by interface; new ones for all others.'),
    newSMBiosSerial: optional(
      string,
      "SMBIOS serial number of the copy. If empty, the source's serial number is not copied.",
    ),
    patches: optional(
      list(string, 'atomic'),
      "JSON patches, each written as a string, that are applied to the copy's spec.",
    ),
    source: required(TypedLocalObjectReference, 'The VirtualMachine or VirtualMachineSnapshot to copy.'),
    target: optional(
      TypedLocalObjectReference,
      'The VirtualMachine to create. If missing, the system chooses the name.',
    ),
    template: optional(VirtualMachineCloneTemplateFilters, 'Labels and annotations of the VMI that are copied.'),
    volumeNamePolicy: optional(
      string,
      'How the claims of the copy are named: RandomizeNames or PrefixTargetName. Defaults to RandomizeNames.',
    ),
  },
);
export interface VirtualMachineCloneSpec extends Infer<typeof VirtualMachineCloneSpec> {}

export const VirtualMachineCloneStatus = struct(
  'io.kubevirt.clone.v1beta1.VirtualMachineCloneStatus',
  'Progress of a VirtualMachineClone and the objects it works with.',
  {
    conditions: optional(list(CloneCondition, 'atomic'), 'Conditions of the clone.'),
    creationTime: optional(time, 'Time at which the copy was created.'),
    phase: optional(string, 'SnapshotInProgress, CreatingTargetVM, RestoreInProgress, Succeeded, Failed or Unknown.'),
    restoreName: optional(string, 'Name of the VirtualMachineRestore that creates the copy.'),
    snapshotName: optional(string, 'Name of the VirtualMachineSnapshot that the copy is created from.'),
    targetName: optional(string, 'Name of the VirtualMachine that is created.'),
  },
);
export interface VirtualMachineCloneStatus extends Infer<typeof VirtualMachineCloneStatus> {}

export const VirtualMachineCloneSchema = struct(
  'io.kubevirt.clone.v1beta1.VirtualMachineClone',
  'Copies a VirtualMachine together with its disks.',
  {
    ...objectFields,
    spec: required(VirtualMachineCloneSpec, 'Desired state of the VirtualMachineClone.'),
    status: optional(VirtualMachineCloneStatus, 'Observed state of the VirtualMachineClone. The system writes it.'),
  },
);
export interface VirtualMachineClone extends Infer<typeof VirtualMachineCloneSchema> {}

export const VirtualMachineClone = defineKind<VirtualMachineClone>({
  group: 'clone.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineClone',
  plural: 'virtualmachineclones',
  namespaced: true,
  shortNames: ['vmclone', 'vmclones'],
  categories: ['all'],
  schema: VirtualMachineCloneSchema,
  columns: [
    phaseColumn,
    {
      name: 'SourceVirtualMachine',
      type: 'string',
      jsonPath: '.spec.source.name',
      description: 'Name of the VirtualMachine that is copied.',
    },
    {
      name: 'TargetVirtualMachine',
      type: 'string',
      jsonPath: '.spec.target.name',
      description: 'Name of the VirtualMachine that is created.',
    },
  ],
});
