import { boolean, type Infer, int64, oneOf, quantity, string, struct } from '../../schema.ts';
import { optional, within } from '../customResource.ts';

export const StallDetectorOptions = struct(
  'io.kubevirt.v1.StallDetectorOptions',
  'When a migration counts as stalled, and what is tried then.',
  {
    completionTimeoutFactor: optional(
      string,
      'How much longer than the completion timeout a forced switch-over may take; 2 when empty.',
    ),
    ewmaAlpha: optional(
      string,
      'Weight of the newest sample in the estimated bandwidth, above 0 and at most 1; 0.4 when empty.',
    ),
    patienceWindowDecayFactor: optional(string, 'How fast patience ends after each setback; 0.5 when empty.'),
    precopyPossibleFactor: optional(string, 'How far the estimated downtime may exceed the limit; 1.5 when empty.'),
    searchLocalMinima: optional(boolean, 'Whether to act at a good moment only; true when missing.'),
    stallMargin: optional(
      within(0, 100, int64),
      'Percent by which the rest must fall to count as progress; 4 when missing.',
    ),
    stallProgressTimeout: optional(
      within(0, undefined, int64),
      'Seconds without progress that count as stuck; 40 when missing.',
    ),
    switchoverTimeout: optional(within(0, undefined, int64), 'Seconds that a switch-over may take; 60 when missing.'),
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
    'Whether the guest may go on at the target before all of its memory is there. A lost connection then ends the guest.',
  ),
  allowWorkloadDisruption: optional(
    boolean,
    'Whether a migration that takes too long pauses the guest, or goes on with post-copy, instead of being given up.',
  ),
  bandwidthPerMigration: optional(quantity, 'The most bytes a second that a migration may send; 0 for no limit.'),
  completionTimeoutPerGiB: optional(int64, 'Seconds for each GiB that a migration may take; 150 when missing.'),
  disableTLS: optional(boolean, 'Whether migration data is sent in the clear.'),
  matchSELinuxLevelOnMigration: optional(boolean, 'Whether the target gets an SELinux level of its own.'),
  maxDowntimeMs: optional(within(1, 2000000, int64), 'Milliseconds that the guest may stand still at the end.'),
  network: optional(string, 'Network that migrations use; the pod network when missing.'),
  nodeDrainTaintKey: optional(string, 'Taint that marks a node to be drained; kubevirt.io/drain when missing.'),
  parallelMigrationsPerCluster: optional(int64, 'How many migrations may run at once; 5 when missing.'),
  parallelOutboundMigrationsPerNode: optional(int64, 'How many migrations may leave one node at once; 2 when missing.'),
  progressTimeout: optional(int64, 'Seconds without progress after which a migration is given up; 150 when missing.'),
  unsafeMigrationOverride: optional(boolean, 'Whether to migrate even when that is not safe for the guest.'),
  utilityVolumesTimeout: optional(int64, 'Seconds to wait for utility volumes to go; 150 when missing.'),
});
export interface MigrationConfiguration extends Infer<typeof MigrationConfiguration> {}

export const VMIMConfigurationOptions = struct(
  'io.kubevirt.v1.VMIMConfigurationOptions',
  'Live migration settings that were in effect for a migration.',
  {
    allowAutoConverge: optional(boolean, 'Whether a busy guest is slowed down, so that the migration ends.'),
    allowPostCopy: optional(boolean, 'Whether the guest may go on at the target before all of its memory is there.'),
    allowWorkloadDisruption: optional(
      boolean,
      'Whether a migration that takes too long pauses the guest, or goes on with post-copy, instead of being given up.',
    ),
    bandwidthPerMigration: optional(quantity, 'The most bytes a second that it may send; 0 for no limit.'),
    completionTimeoutPerGiB: optional(int64, 'Seconds for each GiB that it may take.'),
    disableTLS: optional(boolean, 'Whether migration data is sent in the clear.'),
    experimental: optional(ExperimentalMigrationOptions, 'Settings that may change or go.'),
    matchSELinuxLevelOnMigration: optional(boolean, 'Whether the target gets an SELinux level of its own.'),
    maxDowntimeMs: optional(within(1, 2000000, int64), 'Milliseconds that the guest may stand still at the end.'),
    network: optional(string, 'Network that the migration uses.'),
    nodeDrainTaintKey: optional(string, 'Taint that marks a node to be drained.'),
    parallelMigrationsPerCluster: optional(int64, 'How many migrations may run at once.'),
    parallelOutboundMigrationsPerNode: optional(int64, 'How many migrations may leave one node at once.'),
    progressTimeout: optional(int64, 'Seconds without progress after which it is given up.'),
    unsafeMigrationOverride: optional(boolean, 'Whether to migrate even when that is not safe for the guest.'),
    utilityVolumesTimeout: optional(int64, 'Seconds to wait for utility volumes to go.'),
  },
);
export interface VMIMConfigurationOptions extends Infer<typeof VMIMConfigurationOptions> {}
