/**
 * libvirt's flags, by call. Combine them with `|`; names are libvirt's without prefix. What a driver does not know it
 * refuses with `INVALID_ARG`.
 */

/** What a change applies to: the running domain, its definition, or whichever there is. */
export const AffectFlags = { CURRENT: 0, LIVE: 1, CONFIG: 2 } as const;

/** For `attachDevice`, `detachDevice` and `updateDevice`, beside {@link AffectFlags}. */
export const DeviceFlags = { ...AffectFlags, FORCE: 4 } as const;

/** For `setMemory`, beside {@link AffectFlags}. */
export const MemoryFlags = { ...AffectFlags, MAXIMUM: 4 } as const;

/** For `setVcpus` and `vcpus`, beside {@link AffectFlags}. */
export const VcpuFlags = { ...AffectFlags, MAXIMUM: 4, GUEST: 8, HOTPLUGGABLE: 16 } as const;

/** For `createDomain` and `startDomain`. */
export const StartFlags = {
  PAUSED: 1,
  AUTODESTROY: 2,
  BYPASS_CACHE: 4,
  FORCE_BOOT: 8,
  VALIDATE: 16,
  RESET_NVRAM: 32,
} as const;

/** For `defineDomain`. */
export const DefineFlags = { VALIDATE: 1 } as const;

/** For `undefineDomain`. */
export const UndefineFlags = {
  MANAGED_SAVE: 1,
  SNAPSHOTS_METADATA: 2,
  NVRAM: 4,
  KEEP_NVRAM: 8,
  CHECKPOINTS_METADATA: 16,
  TPM: 32,
  KEEP_TPM: 64,
} as const;

/** For `destroyDomain`. */
export const DestroyFlags = { GRACEFUL: 1, REMOVE_LOGS: 2 } as const;

/** For `shutdownDomain` and `rebootDomain`: which ways may be tried. */
export const ShutdownFlags = { ACPI_POWER_BUTTON: 1, GUEST_AGENT: 2, INITCTL: 4, SIGNAL: 8, PARAVIRT: 16 } as const;

/** For `domainXml`. */
export const XmlFlags = { SECURE: 1, INACTIVE: 2, UPDATE_CPU: 4, MIGRATABLE: 8 } as const;

/** For `listDomains`: those that match one flag of every group given. */
export const ListFlags = {
  ACTIVE: 1,
  INACTIVE: 2,
  PERSISTENT: 4,
  TRANSIENT: 8,
  RUNNING: 16,
  PAUSED: 32,
  SHUTOFF: 64,
  OTHER: 128,
  MANAGED_SAVE: 256,
  NO_MANAGED_SAVE: 512,
  AUTOSTART: 1024,
  NO_AUTOSTART: 2048,
  HAS_SNAPSHOT: 4096,
  NO_SNAPSHOT: 8192,
} as const;

/** Groups of statistics, for `domainStats`. */
export const StatsGroups = {
  STATE: 1,
  CPU_TOTAL: 2,
  BALLOON: 4,
  VCPU: 8,
  INTERFACE: 16,
  BLOCK: 32,
  PERF: 64,
  IOTHREAD: 128,
  MEMORY: 256,
  DIRTY_RATE: 512,
  VM: 1024,
} as const;

/** For `domainStats`, beside {@link ListFlags}. */
export const StatsFlags = { NOWAIT: 0x2000_0000, BACKING: 0x4000_0000, ENFORCE_STATS: 0x8000_0000 } as const;

/** Groups of facts that the guest agent knows, for `guestInfo`. */
export const GuestInfoTypes = {
  USERS: 1,
  OS: 2,
  TIMEZONE: 4,
  HOSTNAME: 8,
  FILESYSTEM: 16,
  DISKS: 32,
  INTERFACES: 64,
} as const;

/** For `saveDomain`, `managedSave` and `restoreDomain`. */
export const SaveFlags = { BYPASS_CACHE: 1, RUNNING: 2, PAUSED: 4, RESET_NVRAM: 8 } as const;

/** For `coreDump`. */
export const DumpFlags = { CRASH: 1, LIVE: 2, BYPASS_CACHE: 4, RESET: 8, MEMORY_ONLY: 16 } as const;

/** For `createSnapshot`. */
export const SnapshotFlags = {
  REDEFINE: 1,
  CURRENT: 2,
  NO_METADATA: 4,
  HALT: 8,
  DISK_ONLY: 16,
  REUSE_EXTERNAL: 32,
  QUIESCE: 64,
  ATOMIC: 128,
  LIVE: 256,
  VALIDATE: 512,
} as const;

/** For `deleteSnapshot`. */
export const SnapshotDeleteFlags = { CHILDREN: 1, METADATA_ONLY: 2, CHILDREN_ONLY: 4 } as const;

/** For `revertToSnapshot`. */
export const SnapshotRevertFlags = { RUNNING: 1, PAUSED: 2, FORCE: 4, RESET_NVRAM: 8 } as const;

/** For the calls of a migration. */
export const MigrateFlags = {
  LIVE: 1,
  PEER2PEER: 2,
  TUNNELLED: 4,
  PERSIST_DEST: 8,
  UNDEFINE_SOURCE: 16,
  PAUSED: 32,
  NON_SHARED_DISK: 64,
  NON_SHARED_INC: 128,
  CHANGE_PROTECTION: 256,
  UNSAFE: 512,
  OFFLINE: 1024,
  COMPRESSED: 2048,
  ABORT_ON_ERROR: 4096,
  AUTO_CONVERGE: 8192,
  RDMA_PIN_ALL: 16_384,
  POSTCOPY: 32_768,
  TLS: 65_536,
  PARALLEL: 131_072,
  NON_SHARED_SYNCHRONOUS_WRITES: 262_144,
  POSTCOPY_RESUME: 524_288,
  ZEROCOPY: 1_048_576,
} as const;

/** For `jobStats`. */
export const JobStatsFlags = { COMPLETED: 1, KEEP_COMPLETED: 2 } as const;

/** For `openConsole`: take it from whoever has it, or only where that is safe. */
export const ConsoleFlags = { FORCE: 1, SAFE: 2 } as const;

/** For `blockCommit`. */
export const BlockCommitFlags = { SHALLOW: 1, DELETE: 2, ACTIVE: 4, RELATIVE: 8, BANDWIDTH_BYTES: 16 } as const;

/** For `blockCopy`. */
export const BlockCopyFlags = { SHALLOW: 1, REUSE_EXTERNAL: 2, TRANSIENT_JOB: 4, SYNCHRONOUS_WRITES: 8 } as const;

/** For `abortBlockJob`. */
export const BlockJobAbortFlags = { ASYNC: 1, PIVOT: 2 } as const;

/** For `setUserPassword`. */
export const PasswordFlags = { ENCRYPTED: 1 } as const;

/** For `setAuthorizedSshKeys`; without either, the keys replace what is there. */
export const SshKeyFlags = { APPEND: 1, REMOVE: 2 } as const;
