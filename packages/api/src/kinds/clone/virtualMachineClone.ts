import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, map, string, struct, time } from '../../schema.ts';
import { TypedLocalObjectReference } from '../core/references.ts';
import { phaseColumn } from '../customColumns.ts';
import { conditionFields, optional, required } from '../customResource.ts';

export const CloneCondition = struct(
  'io.kubevirt.clone.v1beta1.Condition',
  'One observation about a clone.',
  conditionFields,
);
export interface CloneCondition extends Infer<typeof CloneCondition> {}

export const VirtualMachineCloneTemplateFilters = struct(
  'io.kubevirt.clone.v1beta1.VirtualMachineCloneTemplateFilters',
  'Labels and annotations of the instance that are copied.',
  {
    annotationFilters: optional(
      list(string, 'atomic'),
      'Annotations to keep, such as key*; with ! in front to leave out. All when missing.',
    ),
    labelFilters: optional(list(string, 'atomic'), 'Labels to keep, written alike.'),
  },
);
export interface VirtualMachineCloneTemplateFilters extends Infer<typeof VirtualMachineCloneTemplateFilters> {}

export const VirtualMachineCloneSpec = struct(
  'io.kubevirt.clone.v1beta1.VirtualMachineCloneSpec',
  'What is to be copied, and what changes.',
  {
    annotationFilters: optional(
      list(string, 'atomic'),
      'Annotations of the machine to keep, such as key*; with ! in front to leave out. All when missing.',
    ),
    labelFilters: optional(list(string, 'atomic'), 'Labels of the machine to keep, written alike.'),
    newMacAddresses: optional(map(string), 'MAC addresses by interface; new ones for all others.'),
    newSMBiosSerial: optional(string, 'Serial number of the copy.'),
    patches: optional(list(string, 'atomic'), 'JSON patches for the copy.'),
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
  'How a clone is going.',
  {
    conditions: optional(list(CloneCondition, 'atomic'), 'Observations about the clone, one a type.'),
    creationTime: optional(time, 'When the copy was made.'),
    phase: optional(string, 'SnapshotInProgress, CreatingTargetVM, RestoreInProgress, Succeeded, Failed or Unknown.'),
    restoreName: optional(string, 'The restore that makes the copy.'),
    snapshotName: optional(string, 'The snapshot that it is made from.'),
    targetName: optional(string, 'Name of the copy.'),
  },
);
export interface VirtualMachineCloneStatus extends Infer<typeof VirtualMachineCloneStatus> {}

export const VirtualMachineCloneSchema = struct(
  'io.kubevirt.clone.v1beta1.VirtualMachineClone',
  'Copies a machine with its disks.',
  {
    ...objectFields,
    spec: required(VirtualMachineCloneSpec, 'What is wanted.'),
    status: optional(VirtualMachineCloneStatus, 'What was last observed. Written by the system.'),
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
    { name: 'SourceVirtualMachine', type: 'string', jsonPath: '.spec.source.name', description: 'What is copied.' },
    { name: 'TargetVirtualMachine', type: 'string', jsonPath: '.spec.target.name', description: 'Name of the copy.' },
  ],
});
