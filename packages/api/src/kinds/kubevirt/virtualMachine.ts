import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, struct } from '../../schema.ts';
import { ageDate, conditionColumn } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { VirtualMachineSpec } from './virtualMachineSpec.ts';
import { VirtualMachineStatus } from './virtualMachineStatus.ts';

export const VirtualMachineSchema = struct(
  'io.kubevirt.v1.VirtualMachine',
  'A machine that can be started and stopped. It keeps its disks and its settings while it is off.',
  {
    ...objectFields,
    spec: required(VirtualMachineSpec, 'What is wanted.'),
    status: optional(VirtualMachineStatus, 'What was last observed. Written by the system.'),
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
    { name: 'Status', type: 'string', jsonPath: '.status.printableStatus', description: 'The state in a word.' },
    conditionColumn('Ready', 'Ready', 'Whether the guest runs and is well.'),
  ],
});
