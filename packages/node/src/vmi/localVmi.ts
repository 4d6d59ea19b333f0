import type { Pod } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { SyncedCredentials } from './credentials.ts';
import type { Domain } from './domainInformer.ts';
import type { DriveCache } from './drives.ts';
import type { VmiFiles } from './files.ts';
import type { GuestInfo } from './guestInfo.ts';
import type { MemoryDump } from './memoryDump.ts';
import type { Closing, UnpluggedDisk } from './unpluggedDisks.ts';

/** One VMI at one moment, and all that the node has of it. */
export interface LocalVmi {
  /** `namespace/name` of the VMI. */
  readonly key: string;
  readonly uid: string;
  readonly vmi: VirtualMachineInstance | undefined;
  readonly pod: Pod | undefined;
  /** The attachment pods of that launcher. */
  readonly attachments: readonly Pod[];
  readonly domain: Domain | undefined;
  readonly files: VmiFiles;
  readonly cache: VmiCache;
}

/** One whose guest runs. */
export type RunningVmi = LocalVmi & {
  readonly vmi: VirtualMachineInstance;
  readonly pod: Pod;
  readonly domain: Domain;
};

/** What a node remembers of a VMI. All of it may be lost: it then asks again. */
export interface VmiCache {
  hasFiles: boolean;
  shutdownAskedAtMs: number;
  /** Whether an event tells that its guest takes its time to shut down. */
  isWaitTold?: boolean;
  /** How often libvirt did not get to switching it off. */
  destroyTimeouts: number;
  isFrozen: boolean;
  /** Whether it was looked for what an earlier run has frozen. */
  isFreezeRestored?: boolean;
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
  guestInfo?: GuestInfo;
  guestInfoReadAtMs: number;
  credentials?: SyncedCredentials | undefined;
  /** Since when a start waits for the attachment pods of discs. */
  discsAwaitedSinceMs?: number | undefined;
  /** Since when volumes wait for their attachment pods, by name. */
  readonly awaited: Map<string, number>;
  /** Disks that were asked to go, by file or the directory above it, until that is closed. */
  readonly unplugged: Map<string, UnpluggedDisk>;
  closing?: Closing | undefined;
  /** What was found out about the CD-ROM drives, by name. */
  readonly drives: Map<string, DriveCache>;
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

export const emptyCache = (): VmiCache => ({
  hasFiles: false,
  shutdownAskedAtMs: 0,
  destroyTimeouts: 0,
  isFrozen: false,
  failedPulls: 0,
  retryAtMs: 0,
  guestInfoReadAtMs: 0,
  awaited: new Map(),
  unplugged: new Map(),
  drives: new Map(),
});
