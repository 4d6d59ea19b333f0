/** The word for one of libvirt's numbers, which count from 0; `unknown` for what newer versions may add. */
export function nameOf<const N extends string>(names: readonly N[], number: number): N | 'unknown' {
  return names[number] ?? 'unknown';
}

export const domainStates = [
  'nostate',
  'running',
  'blocked',
  'paused',
  'shutdown',
  'shutoff',
  'crashed',
  'pmsuspended',
] as const;

export type DomainStateName = (typeof domainStates)[number] | 'unknown';

/** Why a domain is in its state, by state. */
export const stateReasons: Readonly<Record<DomainStateName, readonly string[]>> = {
  nostate: ['unknown'],
  running: [
    'unknown',
    'booted',
    'migrated',
    'restored',
    'from-snapshot',
    'unpaused',
    'migration-canceled',
    'save-canceled',
    'wakeup',
    'crashed',
    'postcopy',
    'postcopy-failed',
  ],
  blocked: ['unknown'],
  paused: [
    'unknown',
    'user',
    'migration',
    'save',
    'dump',
    'io-error',
    'watchdog',
    'from-snapshot',
    'shutting-down',
    'snapshot',
    'crashed',
    'starting-up',
    'postcopy',
    'postcopy-failed',
    'api-error',
  ],
  shutdown: ['unknown', 'user'],
  shutoff: ['unknown', 'shutdown', 'destroyed', 'crashed', 'migrated', 'saved', 'failed', 'from-snapshot', 'daemon'],
  crashed: ['unknown', 'panicked'],
  pmsuspended: ['unknown'],
  unknown: [],
};

export const lifecycleEvents = [
  'defined',
  'undefined',
  'started',
  'suspended',
  'resumed',
  'stopped',
  'shutdown',
  'pmsuspended',
  'crashed',
] as const;

export type LifecycleEventName = (typeof lifecycleEvents)[number] | 'unknown';

/** What a lifecycle event was caused by, by event. */
export const lifecycleDetails: Readonly<Record<LifecycleEventName, readonly string[]>> = {
  defined: ['added', 'updated', 'renamed', 'from-snapshot'],
  undefined: ['removed', 'renamed'],
  started: ['booted', 'migrated', 'restored', 'from-snapshot', 'wakeup'],
  suspended: [
    'paused',
    'migrated',
    'io-error',
    'watchdog',
    'restored',
    'from-snapshot',
    'api-error',
    'postcopy',
    'postcopy-failed',
  ],
  resumed: ['unpaused', 'migrated', 'from-snapshot', 'postcopy', 'postcopy-failed'],
  stopped: ['shutdown', 'destroyed', 'crashed', 'migrated', 'saved', 'failed', 'from-snapshot'],
  shutdown: ['finished', 'guest', 'host'],
  pmsuspended: ['memory', 'disk'],
  crashed: ['panicked', 'crashloaded'],
  unknown: [],
};

export const watchdogActions = ['none', 'pause', 'reset', 'poweroff', 'shutdown', 'debug', 'inject-nmi'] as const;
export const ioErrorActions = ['none', 'pause', 'report'] as const;
export const blockJobTypes = ['unknown', 'pull', 'copy', 'commit', 'active-commit', 'backup'] as const;
export const blockJobStatuses = ['completed', 'failed', 'canceled', 'ready'] as const;
export const diskChangeReasons = ['missing-on-start', 'dropped-on-start'] as const;
export const trayPositions = ['open', 'closed'] as const;
export const agentStates = ['unknown', 'connected', 'disconnected'] as const;
export const agentReasons = ['unknown', 'domain-started', 'channel'] as const;
export const graphicsPhases = ['connect', 'initialize', 'disconnect'] as const;
export const addressFamilies = ['ipv4', 'ipv6', 'unix'] as const;
export const metadataTypes = ['description', 'title', 'element'] as const;
export const jobTypes = ['none', 'bounded', 'unbounded', 'completed', 'failed', 'cancelled'] as const;
export const memoryFailureRecipients = ['hypervisor', 'guest'] as const;
export const memoryFailureActions = ['ignore', 'inject', 'fatal', 'reset'] as const;

/** Tags of memory statistics. All are in KiB but the faults and the two of hugetlb (counts) and `lastUpdate` (seconds). */
export const memoryStatTags = [
  'swapIn',
  'swapOut',
  'majorFault',
  'minorFault',
  'unused',
  'available',
  'actualBalloon',
  'rss',
  'usable',
  'lastUpdate',
  'diskCaches',
  'hugetlbAllocations',
  'hugetlbFailures',
] as const;
