import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, struct } from '../../schema.ts';
import { ageDate, conditionColumn, phaseColumn } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { VirtualMachineInstanceSpec } from './virtualMachineInstanceSpec.ts';
import { VirtualMachineInstanceStatus } from './virtualMachineInstanceStatus.ts';

export const VirtualMachineInstanceSchema = struct(
  'io.kubevirt.v1.VirtualMachineInstance',
  'A machine that runs. It is made from a VirtualMachine, or by itself; it is not started again when it ends.',
  {
    ...objectFields,
    spec: required(VirtualMachineInstanceSpec, 'What is wanted.'),
    status: optional(VirtualMachineInstanceStatus, 'What was last observed. Written by the system.'),
  },
);
export interface VirtualMachineInstance extends Infer<typeof VirtualMachineInstanceSchema> {}

/** Its status is written with the object: KubeVirt has no `/status` here, and its clients know. */
export const VirtualMachineInstance = defineKind<VirtualMachineInstance>({
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstance',
  plural: 'virtualmachineinstances',
  namespaced: true,
  shortNames: ['vmi', 'vmis'],
  categories: ['all'],
  schema: VirtualMachineInstanceSchema,
  status: false,
  columns: [
    ageDate,
    phaseColumn,
    {
      name: 'IP',
      type: 'string',
      jsonPath: '.status.interfaces[0].ipAddress',
      description: 'First address of the guest.',
    },
    { name: 'NodeName', type: 'string', jsonPath: '.status.nodeName', description: 'The node that it runs on.' },
    conditionColumn('Ready', 'Ready', 'Whether the guest runs and is well.'),
    conditionColumn('Live-Migratable', 'LiveMigratable', 'Whether it can be migrated.', 1),
    conditionColumn('Paused', 'Paused', 'Whether it is paused.', 1),
  ],
});
