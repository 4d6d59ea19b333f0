import { boolean, type Infer, int64, oneOf, quantity, string, struct } from '../../schema.ts';
import { optional, within } from '../customResource.ts';

export const StallDetectorOptions = struct(
  'io.kubevirt.v1.StallDetectorOptions',
  'When a migration counts as stalled, and what is tried then.',
  {
    completionTimeoutFactor: optional(
      string,
      'Factor by which a forced switch-over may exceed the completion timeout. Defaults to 2.',
    ),
    ewmaAlpha: optional(
      string,
      'Weight of the newest sample in the estimated bandwidth, above 0 and at most 1. Defaults to 0.4.',
    ),
    patienceWindowDecayFactor: optional(
      string,
      'Factor by which the patience shrinks after each setback. Defaults to 0.5.',
    ),
    precopyPossibleFactor: optional(string, 'How far the estimated downtime may exceed the limit. Defaults to 1.5.'),
    searchLocalMinima: optional(
      boolean,
      'Whether to switch over only at a local minimum of the remaining data. Defaults to true.',
    ),
    stallMargin: optional(
      within(0, 100, int64),
      'Percent by which the rest must fall to count as progress. Defaults to 4.',
    ),
    stallProgressTimeout: optional(
      within(0, undefined, int64),
      'Seconds without progress after which a migration counts as stalled. Defaults to 40.',
    ),
    switchoverTimeout: optional(within(0, undefined, int64), 'Seconds that a switch-over may take. Defaults to 60.'),
  },
);
export interface StallDetectorOptions extends Infer<typeof StallDetectorOptions> {}

export const ExperimentalMigrationOptions = struct(
  'io.kubevirt.v1.ExperimentalMigrationOptions',
  'Experimental settings, which may change or disappear.',
  {
    compression: optional(oneOf('none', 'zstd'), 'How migration data is compressed: none or zstd.'),
    stallDetector: optional(StallDetectorOptions, 'When a migration counts as stuck.'),
  },
);
export interface ExperimentalMigrationOptions extends Infer<typeof ExperimentalMigrationOptions> {}

export const MigrationConfiguration = struct('io.kubevirt.v1.MigrationConfiguration', 'Live migration settings.', {
  allowAutoConverge: optional(boolean, 'Whether a busy guest is slowed down, so that the migration ends.'),
  allowPostCopy: optional(
    boolean,
    'Whether the guest may continue on the target before all its memory is copied. If the connection is lost then, the guest crashes.',
  ),
  allowWorkloadDisruption: optional(
    boolean,
    'Whether a migration that exceeds its timeout pauses the guest or switches to post-copy instead of being aborted.',
  ),
  bandwidthPerMigration: optional(quantity, 'Maximum bandwidth of a migration in bytes per second. 0 means no limit.'),
  completionTimeoutPerGiB: optional(int64, 'Seconds per GiB of memory that a migration may take. Defaults to 150.'),
  disableTLS: optional(boolean, 'Whether migration data is sent in the clear.'),
  matchSELinuxLevelOnMigration: optional(
    boolean,
    "Whether the target pod gets an SELinux level of its own instead of the source's.",
  ),
  maxDowntimeMs: optional(within(1, 2000000, int64), 'Milliseconds that the guest may stand still at the end.'),
  network: optional(string, 'Network that migrations use. Defaults to the pod network.'),
  nodeDrainTaintKey: optional(
    string,
    'Key of the taint that marks a node to be drained. Defaults to kubevirt.io/drain.',
  ),
  parallelMigrationsPerCluster: optional(int64, 'Maximum number of migrations in the cluster at once. Defaults to 5.'),
  parallelOutboundMigrationsPerNode: optional(
    int64,
    'Maximum number of migrations from a node at once. Defaults to 2.',
  ),
  progressTimeout: optional(int64, 'Seconds without progress after which a migration is aborted. Defaults to 150.'),
  unsafeMigrationOverride: optional(boolean, 'Whether to migrate even when that is not safe for the guest.'),
  utilityVolumesTimeout: optional(int64, 'Seconds to wait until utility volumes are detached. Defaults to 150.'),
});
export interface MigrationConfiguration extends Infer<typeof MigrationConfiguration> {}

export const VMIMConfigurationOptions = struct(
  'io.kubevirt.v1.VMIMConfigurationOptions',
  'Live migration settings that were in effect for a migration.',
  {
    allowAutoConverge: optional(boolean, 'Whether a busy guest is slowed down, so that the migration ends.'),
    allowPostCopy: optional(boolean, 'Whether the guest may continue on the target before all its memory is copied.'),
    allowWorkloadDisruption: optional(
      boolean,
      'Whether a migration that exceeds its timeout pauses the guest or switches to post-copy instead of being aborted.',
    ),
    bandwidthPerMigration: optional(
      quantity,
      'Maximum bandwidth of the migration in bytes per second. 0 means no limit.',
    ),
    completionTimeoutPerGiB: optional(int64, 'Seconds per GiB of memory that the migration may take.'),
    disableTLS: optional(boolean, 'Whether migration data is sent in the clear.'),
    experimental: optional(ExperimentalMigrationOptions, 'Settings that may change or go.'),
    matchSELinuxLevelOnMigration: optional(
      boolean,
      "Whether the target pod gets an SELinux level of its own instead of the source's.",
    ),
    maxDowntimeMs: optional(within(1, 2000000, int64), 'Milliseconds that the guest may stand still at the end.'),
    network: optional(string, 'Network that the migration uses.'),
    nodeDrainTaintKey: optional(string, 'Taint that marks a node to be drained.'),
    parallelMigrationsPerCluster: optional(int64, 'Maximum number of migrations in the cluster at the same time.'),
    parallelOutboundMigrationsPerNode: optional(int64, 'Maximum number of migrations from one node at the same time.'),
    progressTimeout: optional(int64, 'Seconds without progress after which the migration is aborted.'),
    unsafeMigrationOverride: optional(boolean, 'Whether to migrate even when that is not safe for the guest.'),
    utilityVolumesTimeout: optional(int64, 'Seconds to wait for utility volumes to go.'),
  },
);
export interface VMIMConfigurationOptions extends Infer<typeof VMIMConfigurationOptions> {}
