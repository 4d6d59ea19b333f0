import type { MigrationState } from './role.ts';

type Configuration = NonNullable<MigrationState['migrationConfiguration']>;

/** How far a migration is when it is looked at. */
export interface Progress {
  readonly elapsedMs: number;
  /** Since when less remains than ever before. */
  readonly sinceProgressMs: number;
  readonly mode: MigrationMode;
  /** What is to be moved: memory, and disks that are copied. */
  readonly bytes: number;
}

export type MigrationMode = 'PreCopy' | 'PostCopy' | 'Paused';

export type MonitorDecision =
  | { readonly action: 'wait' | 'startPostCopy' | 'pauseGuest' }
  | { readonly action: 'abort'; readonly reason: string };

export const DEFAULT_COMPLETION_SECONDS_PER_GIB = 150;
export const DEFAULT_PROGRESS_SECONDS = 150;

const WAIT: MonitorDecision = { action: 'wait' };
const GB = 1e9;

/** What QEMU goes by where nobody says anything. */
const USUAL_DOWNTIME_MS = 300;
/** KubeVirt's default, which stands in every migration, and counts there only with a feature gate. */
const UNNAMED_DOWNTIME_MS = 900;
const FIRST_DOWNTIME_MS = 50;

/**
 * How long the guest may stand still at the end, after so many passes over its memory. QEMU stops the guest as soon as it
 * expects to send the rest in that time, so the first chance is seldom the best: a guest that writes little has less to
 * send after each pass. One that writes much gets more time with each.
 */
export function downtimeLimitMs(passes: number, { maxDowntimeMs }: Configuration = {}): number {
  const named =
    maxDowntimeMs === undefined || Number(maxDowntimeMs) === UNNAMED_DOWNTIME_MS ? undefined : maxDowntimeMs;
  const longest = Number(named ?? USUAL_DOWNTIME_MS);
  // The first is counted when it begins, the second when that has ended.
  return Math.min(longest, FIRST_DOWNTIME_MS * 2 ** Math.max(0, passes - 2));
}

const LEAST_PREPARATION_MS = 10 * 60 * 1000;

/** How long everything may take that comes before the copy: images are read on both nodes, and a QEMU is started. */
export const preparationLimitMs = (bytes: number, configuration: Configuration = {}): number =>
  Math.max(LEAST_PREPARATION_MS, 1000 * completionSeconds(bytes, configuration));

/** How long a migration may take; 0 for as long as it takes. */
const completionSeconds = (bytes: number, { completionTimeoutPerGiB }: Configuration): number =>
  Number(completionTimeoutPerGiB ?? DEFAULT_COMPLETION_SECONDS_PER_GIB) * Math.ceil(bytes / GB);

/** What to do about a migration that goes on, as KubeVirt decides. */
export function decideMonitor(progress: Progress, configuration: Configuration = {}): MonitorDecision {
  const { elapsedMs, sinceProgressMs, mode, bytes } = progress;
  if (mode === 'PostCopy') return WAIT;
  const progressSeconds = Number(configuration.progressTimeout ?? DEFAULT_PROGRESS_SECONDS);
  const { allowPostCopy = false, allowWorkloadDisruption = allowPostCopy } = configuration;
  const acceptableSeconds = completionSeconds(bytes, configuration) * (mode === 'Paused' ? 2 : 1);
  const isLate = acceptableSeconds > 0 && elapsedMs > acceptableSeconds * 1000;
  if (isLate && allowWorkloadDisruption && mode === 'PreCopy')
    return { action: allowPostCopy ? 'startPostCopy' : 'pauseGuest' };
  if (progressSeconds > 0 && sinceProgressMs > progressSeconds * 1000)
    return {
      action: 'abort',
      reason: `Live migration stuck for ${Math.floor(sinceProgressMs / 1000)} sec and has been aborted`,
    };
  if (isLate)
    return {
      action: 'abort',
      reason: `Live migration is not completed after ${Math.floor(elapsedMs / 1000)} sec and has been aborted`,
    };
  return WAIT;
}
