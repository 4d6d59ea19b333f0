import type { Pod } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { SyncedCredentials } from './credentials.ts';
import type { KnownDomain } from './domains.ts';
import type { DriveMemory } from './drives.ts';
import type { MachineFiles } from './files.ts';
import type { GuestFacts } from './guestFacts.ts';
import type { Closing, UnpluggedDisk } from './leftNodes.ts';
import type { MemoryDump } from './memoryDump.ts';

/** One instance at one moment, and all that the node has of it. */
export interface Machine {
  /** `namespace/name` of the instance. */
  readonly key: string;
  readonly uid: string;
  readonly vmi: VirtualMachineInstance | undefined;
  readonly pod: Pod | undefined;
  /** The attachment pods of that launcher. */
  readonly attachments: readonly Pod[];
  readonly domain: KnownDomain | undefined;
  readonly files: MachineFiles;
  readonly memory: MachineMemory;
}

/** One whose guest runs. */
export type RunningMachine = Machine & {
  readonly vmi: VirtualMachineInstance;
  readonly pod: Pod;
  readonly domain: KnownDomain;
};

/** What a node remembers of a machine. All of it may be lost: it then asks again. */
export interface MachineMemory {
  hasFiles: boolean;
  shutdownAskedAtMs: number;
  /** Whether an event tells that its guest takes its time to shut down. */
  isWaitTold?: boolean;
  /** How often libvirt did not get to switching it off. */
  destroyTimeouts: number;
  isFrozen: boolean;
  /** Whether it was looked for what an earlier run has frozen. */
  isFreezeRecalled?: boolean;
  cancelThaw?: (() => void) | undefined;
  dump?: MemoryDump | undefined;
  /** Tries of its images that failed, since one went well. */
  failedPulls: number;
  /** Before that its disks are not tried again. */
  retryAtMs: number;
  /** Disks that are being made. */
  preparation?: Preparation | undefined;
  /** Of the disks that came out of images, by volume. */
  checksums?: Readonly<Record<string, number>>;
  facts?: GuestFacts;
  factsReadAtMs: number;
  credentials?: SyncedCredentials | undefined;
  /** Since when a start waits for the attachment pods of discs. */
  discsAwaitedSinceMs?: number | undefined;
  /** Since when volumes wait for their attachment pods, by name. */
  readonly awaited: Map<string, number>;
  /** Disks that were asked to go, by file or the directory above it, until that is closed. */
  readonly unplugged: Map<string, UnpluggedDisk>;
  closing?: Closing | undefined;
  /** What was found out about the CD-ROM drives, by name. */
  readonly drives: Map<string, DriveMemory>;
}

/** Disks on their way. */
export interface Preparation {
  readonly startedAtMs: number;
  /** Never rejects; what went wrong is in `error`. */
  readonly settled: Promise<void>;
  isSettled: boolean;
  error?: unknown;
  /** Whether the launcher says that it takes time. */
  isTold: boolean;
  /** Images of whose pull events tell. */
  readonly reported: Set<string>;
  /** How far it is, until the launcher says so. */
  progress?: string | undefined;
}

export const newMemory = (): MachineMemory => ({
  hasFiles: false,
  shutdownAskedAtMs: 0,
  destroyTimeouts: 0,
  isFrozen: false,
  failedPulls: 0,
  retryAtMs: 0,
  factsReadAtMs: 0,
  awaited: new Map(),
  unplugged: new Map(),
  drives: new Map(),
});
