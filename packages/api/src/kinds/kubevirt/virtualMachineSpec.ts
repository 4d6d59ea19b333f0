import { boolean, type Infer, list, string, struct } from '../../schema.ts';
import { DataVolumeSpec } from '../cdi/dataVolumeSpec.ts';
import { optional, required, templateMetadata } from '../customResource.ts';
import { VirtualMachineInstanceTemplateSpec } from './virtualMachineInstanceSpec.ts';

export const DataVolumeTemplateDummyStatus = struct(
  'io.kubevirt.v1.DataVolumeTemplateDummyStatus',
  'Always empty. Older clients send it.',
  {},
);
export interface DataVolumeTemplateDummyStatus extends Infer<typeof DataVolumeTemplateDummyStatus> {}

export const DataVolumeTemplateSpec = struct(
  'io.kubevirt.v1.DataVolumeTemplateSpec',
  'Template of a DataVolume that is created for the VM and deleted with it.',
  {
    apiVersion: optional(string, 'Group and version of the DataVolume.'),
    kind: optional(string, 'Kind of the object: DataVolume.'),
    metadata: optional(templateMetadata, 'Name, labels and annotations of the DataVolume.'),
    spec: required(DataVolumeSpec, 'Source and storage of the DataVolume.'),
    status: optional(DataVolumeTemplateDummyStatus, 'Always empty. Older clients send it.'),
  },
);
export interface DataVolumeTemplateSpec extends Infer<typeof DataVolumeTemplateSpec> {}

export const InstancetypeMatcher = struct(
  'io.kubevirt.v1.InstancetypeMatcher',
  "Refers to the instance type that sets the VM's CPUs, memory and devices.",
  {
    inferFromVolume: optional(string, 'Volume whose claim names the instance type by a label, instead of name.'),
    inferFromVolumeFailurePolicy: optional(
      string,
      'What happens if the volume names none: Reject rejects the VM, Ignore creates it without one.',
    ),
    kind: optional(
      string,
      'Kind of the instance type: VirtualMachineInstancetype or VirtualMachineClusterInstancetype. Defaults to the latter.',
    ),
    name: optional(string, 'Name of the instance type.'),
    revisionName: optional(
      string,
      'Name of the ControllerRevision with the instance type as it was when the VM first used it. The system sets it.',
    ),
  },
);
export interface InstancetypeMatcher extends Infer<typeof InstancetypeMatcher> {}

export const PreferenceMatcher = struct(
  'io.kubevirt.v1.PreferenceMatcher',
  "Refers to the preference that sets the VM's defaults.",
  {
    inferFromVolume: optional(string, 'Volume whose claim names the preference by a label, instead of name.'),
    inferFromVolumeFailurePolicy: optional(
      string,
      'What happens if the volume names none: Reject rejects the VM, Ignore creates it without one.',
    ),
    kind: optional(
      string,
      'Kind of the preference: VirtualMachinePreference or VirtualMachineClusterPreference. Defaults to the latter.',
    ),
    name: optional(string, 'Name of the preference.'),
    revisionName: optional(
      string,
      'Name of the ControllerRevision with the preference as it was when the VM first used it. The system sets it.',
    ),
  },
);
export interface PreferenceMatcher extends Infer<typeof PreferenceMatcher> {}

export const VirtualMachineSpec = struct(
  'io.kubevirt.v1.VirtualMachineSpec',
  'Run strategy of the VM, template of its VMI, and DataVolumes to create for it.',
  {
    dataVolumeTemplates: optional(
      list(DataVolumeTemplateSpec),
      'DataVolumes that are created for the VM and deleted with it.',
    ),
    instancetype: optional(InstancetypeMatcher, "Instance type that sets the VM's CPUs, memory and devices."),
    preference: optional(PreferenceMatcher, 'Preference that supplies defaults for fields that the VM does not set.'),
    runStrategy: optional(
      string,
      'When the VM runs: Always, Halted, Manual, RerunOnFailure, Once or WaitAsReceiver. Set this or running.',
    ),
    running: optional(boolean, 'Old form of runStrategy: true for Always, false for Halted.'),
    template: required(VirtualMachineInstanceTemplateSpec, 'Template of the VirtualMachineInstance that runs the VM.'),
    updateVolumesStrategy: optional(
      string,
      'How changed volumes reach a running VM: Replacement at the next start, or Migration of their data.',
    ),
  },
);
export interface VirtualMachineSpec extends Infer<typeof VirtualMachineSpec> {}
