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
      'Annotations to keep, such as key*; with ! in front to leave out. All when missing.',
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
      'Annotations of the machine to keep, such as key*; with ! in front to leave out. All when missing.',
    ),
    labelFilters: optional(list(string, 'atomic'), 'Labels of the machine to keep, written alike.'),
    newMacAddresses: optional(map(string), 'MAC addresses by interface; new ones for all others.'),
    newSMBiosSerial: optional(
      string,
      "SMBIOS serial number of the copy. If empty, the source's serial number is not copied.",
    ),
    patches: optional(
      list(string, 'atomic'),
      "JSON patches, each written as a string, that are applied to the copy's spec.",
    ),
    source: required(TypedLocalObjectReference, 'The machine or the snapshot to copy.'),
    target: optional(TypedLocalObjectReference, 'The copy; named by the system when missing.'),
    template: optional(VirtualMachineCloneTemplateFilters, 'Labels and annotations of the instance that are copied.'),
    volumeNamePolicy: optional(
      string,
      'How claims are named: RandomizeNames or PrefixTargetName. RandomizeNames when missing.',
    ),
  },
);
export interface VirtualMachineCloneSpec extends Infer<typeof VirtualMachineCloneSpec> {}

export const VirtualMachineCloneStatus = struct(
  'io.kubevirt.clone.v1beta1.VirtualMachineCloneStatus',
  'Progress of a VirtualMachineClone and the objects it works with.',
  {
    conditions: optional(list(CloneCondition, 'atomic'), 'Observations about the clone, one a type.'),
    creationTime: optional(time, 'Time at which the copy was created.'),
    phase: optional(string, 'SnapshotInProgress, CreatingTargetVM, RestoreInProgress, Succeeded, Failed or Unknown.'),
    restoreName: optional(string, 'Name of the VirtualMachineRestore that creates the copy.'),
    snapshotName: optional(string, 'The snapshot that it is made from.'),
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
