import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int64, map, quantity, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';
import { ExperimentalMigrationOptions } from '../kubevirt/migrationConfiguration.ts';

export const MigrationPolicySelectors = struct(
  'io.kubevirt.migrations.v1alpha1.Selectors',
  'Machines that a policy is for; both must match.',
  {
    namespaceSelector: optional(map(string), 'Labels of their namespaces.'),
    virtualMachineInstanceSelector: optional(map(string), 'Labels of their instances.'),
  },
);
export interface MigrationPolicySelectors extends Infer<typeof MigrationPolicySelectors> {}

export const MigrationPolicySpec = struct(
  'io.kubevirt.migrations.v1alpha1.MigrationPolicySpec',
  "How some machines are migrated. What it leaves open, the cluster's settings say.",
  {
    allowAutoConverge: optional(boolean, 'Whether a busy guest is slowed down, so that the migration ends.'),
    allowPostCopy: optional(boolean, 'Whether the guest may go on at the target before all of its memory is there.'),
    allowWorkloadDisruption: optional(
      boolean,
      'Whether a migration that takes too long pauses the guest, or goes on with post-copy, instead of being given up.',
    ),
    bandwidthPerMigration: optional(quantity, 'The most bytes a second that a migration may send.'),
    completionTimeoutPerGiB: optional(int64, 'Seconds for each GiB that a migration may take.'),
    experimental: optional(ExperimentalMigrationOptions, 'Settings that may change or go.'),
    maxDowntimeMs: optional(int64, 'Milliseconds that the guest may stand still at the end.'),
    selectors: required(MigrationPolicySelectors, 'Machines that the policy is for.'),
  },
);
export interface MigrationPolicySpec extends Infer<typeof MigrationPolicySpec> {}

export const MigrationPolicyStatus = struct(
  'io.kubevirt.migrations.v1alpha1.MigrationPolicyStatus',
  'Always empty.',
  {},
);
export interface MigrationPolicyStatus extends Infer<typeof MigrationPolicyStatus> {}

export const MigrationPolicySchema = struct(
  'io.kubevirt.migrations.v1alpha1.MigrationPolicy',
  'Says how some machines are migrated.',
  {
    ...objectFields,
    spec: required(MigrationPolicySpec, 'What is wanted.'),
    status: optional(MigrationPolicyStatus, 'Always empty.'),
  },
);
export interface MigrationPolicy extends Infer<typeof MigrationPolicySchema> {}

export const MigrationPolicy = defineKind<MigrationPolicy>({
  group: 'migrations.kubevirt.io',
  version: 'v1alpha1',
  kind: 'MigrationPolicy',
  plural: 'migrationpolicies',
  namespaced: false,
  schema: MigrationPolicySchema,
});
