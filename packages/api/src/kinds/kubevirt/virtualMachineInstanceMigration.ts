import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, map, string, struct, time } from '../../schema.ts';
import { phaseColumn } from '../customColumns.ts';
import { conditionFields, optional, required } from '../customResource.ts';
import { VirtualMachineInstanceMigrationState } from './migrationState.ts';

export const VirtualMachineInstanceMigrationCondition = struct(
  'io.kubevirt.v1.VirtualMachineInstanceMigrationCondition',
  'A condition of a VirtualMachineInstanceMigration.',
  conditionFields,
);
export interface VirtualMachineInstanceMigrationCondition
  extends Infer<typeof VirtualMachineInstanceMigrationCondition> {}

export const VirtualMachineInstanceMigrationPhaseTransitionTimestamp = struct(
  'io.kubevirt.v1.VirtualMachineInstanceMigrationPhaseTransitionTimestamp',
  'Time at which the migration entered a phase.',
  {
    phase: optional(string, 'Name of the phase.'),
    phaseTransitionTimestamp: optional(time, 'Time at which the phase was entered.'),
  },
);
export interface VirtualMachineInstanceMigrationPhaseTransitionTimestamp
  extends Infer<typeof VirtualMachineInstanceMigrationPhaseTransitionTimestamp> {}

export const VirtualMachineInstanceMigrationSource = struct(
  'io.kubevirt.v1.VirtualMachineInstanceMigrationSource',
  'Sending side of a migration between clusters.',
  {
    connectURL: required(string, "URL of the receiving cluster's synchronization endpoint."),
    migrationID: required(string, 'Word that both sides know the migration by.'),
  },
);
export interface VirtualMachineInstanceMigrationSource extends Infer<typeof VirtualMachineInstanceMigrationSource> {}

export const VirtualMachineInstanceMigrationTarget = struct(
  'io.kubevirt.v1.VirtualMachineInstanceMigrationTarget',
  'Receiving side of a migration between clusters.',
  {
    migrationID: required(string, 'Word that both sides know the migration by.'),
  },
);
export interface VirtualMachineInstanceMigrationTarget extends Infer<typeof VirtualMachineInstanceMigrationTarget> {}

export const VirtualMachineInstanceMigrationSpec = struct(
  'io.kubevirt.v1.VirtualMachineInstanceMigrationSpec',
  'The VMI to migrate, and constraints on the target node.',
  {
    addedNodeSelector: optional(map(string), "Labels that the target node must have beside the VMI's own."),
    priority: optional(string, 'Priority of the migration: system-critical, user-triggered or system-maintenance.'),
    receive: optional(VirtualMachineInstanceMigrationTarget, 'The VMI comes from another cluster or namespace.'),
    sendTo: optional(VirtualMachineInstanceMigrationSource, 'Migrate the VMI to another cluster or namespace.'),
    vmiName: optional(string, 'Name of the VirtualMachineInstance to migrate, in the same namespace.'),
  },
);
export interface VirtualMachineInstanceMigrationSpec extends Infer<typeof VirtualMachineInstanceMigrationSpec> {}

export const VirtualMachineInstanceMigrationStatus = struct(
  'io.kubevirt.v1.VirtualMachineInstanceMigrationStatus',
  'Progress of a live migration.',
  {
    conditions: optional(list(VirtualMachineInstanceMigrationCondition), 'Conditions of the migration.'),
    migrationState: optional(VirtualMachineInstanceMigrationState, 'State of the migration as the VMI reports it.'),
    phase: optional(
      string,
      'Pending, Scheduling, Scheduled, PreparingTarget, TargetReady, Running, Succeeded or Failed, and others between clusters.',
    ),
    phaseTransitionTimestamps: optional(
      list(VirtualMachineInstanceMigrationPhaseTransitionTimestamp, 'atomic'),
      'Times at which the migration entered each phase.',
    ),
    synchronizationAddresses: optional(list(string, 'atomic'), 'Where the other cluster reaches this one.'),
  },
);
export interface VirtualMachineInstanceMigrationStatus extends Infer<typeof VirtualMachineInstanceMigrationStatus> {}

export const VirtualMachineInstanceMigrationSchema = struct(
  'io.kubevirt.v1.VirtualMachineInstanceMigration',
  'Moves a running VirtualMachineInstance to another node.',
  {
    ...objectFields,
    spec: required(VirtualMachineInstanceMigrationSpec, 'Desired state of the VirtualMachineInstanceMigration.'),
    status: optional(
      VirtualMachineInstanceMigrationStatus,
      'Observed state of the VirtualMachineInstanceMigration. The system writes it.',
    ),
  },
);
export interface VirtualMachineInstanceMigration extends Infer<typeof VirtualMachineInstanceMigrationSchema> {}

export const VirtualMachineInstanceMigration = defineKind<VirtualMachineInstanceMigration>({
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'VirtualMachineInstanceMigration',
  plural: 'virtualmachineinstancemigrations',
  namespaced: true,
  shortNames: ['vmim', 'vmims'],
  categories: ['all'],
  schema: VirtualMachineInstanceMigrationSchema,
  columns: [
    phaseColumn,
    {
      name: 'VMI',
      type: 'string',
      jsonPath: '.spec.vmiName',
      description: 'Name of the VirtualMachineInstance that migrates.',
    },
  ],
});
