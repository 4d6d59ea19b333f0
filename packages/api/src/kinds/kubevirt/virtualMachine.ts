import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, struct } from '../../schema.ts';
import { ageDate, conditionColumn } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { VirtualMachineSpec } from './virtualMachineSpec.ts';
import { VirtualMachineStatus } from './virtualMachineStatus.ts';

export const VirtualMachineSchema = struct(
  'io.kubevirt.v1.VirtualMachine',
  'A virtual machine that can be started and stopped. Its disks and settings persist while it is stopped.',
  {
    ...objectFields,
    spec: required(VirtualMachineSpec, 'Desired state of the VirtualMachine.'),
    status: optional(VirtualMachineStatus, 'Observed state of the VirtualMachine. The system writes it.'),
  },
);
export interface VirtualMachine extends Infer<typeof VirtualMachineSchema> {}

export const VirtualMachine = defineKind<VirtualMachine>({
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachine',
  plural: 'virtualmachines',
  namespaced: true,
  shortNames: ['vm', 'vms'],
  categories: ['all'],
  schema: VirtualMachineSchema,
  columns: [
    ageDate,
    {
      name: 'Status',
      type: 'string',
      jsonPath: '.status.printableStatus',
      description: "Summary of the VM's state, such as Running or Stopped.",
    },
    conditionColumn('Ready', 'Ready', 'Whether the guest runs and is well.'),
  ],
});
