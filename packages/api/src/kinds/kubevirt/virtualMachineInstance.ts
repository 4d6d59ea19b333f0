import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, struct } from '../../schema.ts';
import { ageDate, conditionColumn, phaseColumn } from '../customColumns.ts';
import { optional, required } from '../customResource.ts';
import { VirtualMachineInstanceSpec } from './virtualMachineInstanceSpec.ts';
import { VirtualMachineInstanceStatus } from './virtualMachineInstanceStatus.ts';

export const VirtualMachineInstanceSchema = struct(
  'io.kubevirt.v1.VirtualMachineInstance',
  'A running virtual machine. A VirtualMachine or a replica set creates it, or a user directly; it is not restarted once it has ended.',
  {
    ...objectFields,
    spec: required(VirtualMachineInstanceSpec, 'Desired state of the VirtualMachineInstance.'),
    status: optional(
      VirtualMachineInstanceStatus,
      'Observed state of the VirtualMachineInstance. The system writes it.',
    ),
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
      description: 'First IP address of the guest.',
    },
    { name: 'NodeName', type: 'string', jsonPath: '.status.nodeName', description: 'Node that the guest runs on.' },
    conditionColumn('Ready', 'Ready', 'Whether the guest runs and is well.'),
    conditionColumn('Live-Migratable', 'LiveMigratable', 'Whether it can be migrated.', 1),
    conditionColumn('Paused', 'Paused', 'Whether it is paused.', 1),
  ],
});
