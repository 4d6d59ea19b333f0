import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int64, map, quantity, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';
import { ExperimentalMigrationOptions } from '../kubevirt/migrationConfiguration.ts';

export const MigrationPolicySelectors = struct(
  'io.kubevirt.migrations.v1alpha1.Selectors',
  'Selects the VirtualMachineInstances that the policy applies to. Both selectors must match.',
  {
    namespaceSelector: optional(map(string), 'Labels of the namespaces that the policy applies to.'),
    virtualMachineInstanceSelector: optional(
      map(string),
      'Labels of the VirtualMachineInstances that the policy applies to.',
    ),
  },
);
export interface MigrationPolicySelectors extends Infer<typeof MigrationPolicySelectors> {}

export const MigrationPolicySpec = struct(
  'io.kubevirt.migrations.v1alpha1.MigrationPolicySpec',
  "Migration settings for the selected VMIs. The cluster's configuration supplies what is not set.",
  {
    allowAutoConverge: optional(boolean, 'Whether a busy guest is slowed down, so that the migration ends.'),
    allowPostCopy: optional(boolean, 'Whether the guest may continue on the target before all its memory is copied.'),
    allowWorkloadDisruption: optional(
      boolean,
      'Whether a migration that exceeds its timeout pauses the guest or switches to post-copy instead of being aborted.',
    ),
    bandwidthPerMigration: optional(quantity, 'Maximum bandwidth of a migration in bytes per second.'),
    completionTimeoutPerGiB: optional(int64, 'Seconds for each GiB that a migration may take.'),
    experimental: optional(ExperimentalMigrationOptions, 'Experimental settings, which may change or disappear.'),
    maxDowntimeMs: optional(int64, 'Milliseconds that the guest may stand still at the end.'),
    selectors: required(MigrationPolicySelectors, 'Selects the VirtualMachineInstances that the policy applies to.'),
  },
);
export interface MigrationPolicySpec extends Infer<typeof MigrationPolicySpec> {}

export const MigrationPolicyStatus = struct(
  'io.kubevirt.migrations.v1alpha1.MigrationPolicyStatus',
  'Always empty. A policy has no state.',
  {},
);
export interface MigrationPolicyStatus extends Infer<typeof MigrationPolicyStatus> {}

export const MigrationPolicySchema = struct(
  'io.kubevirt.migrations.v1alpha1.MigrationPolicy',
  'Live migration settings for a selection of VirtualMachineInstances.',
  {
    ...objectFields,
    spec: required(MigrationPolicySpec, 'Desired state of the MigrationPolicy.'),
    status: optional(MigrationPolicyStatus, 'Always empty. A policy has no state.'),
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
