import type { Persisted, Pod } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { GuestLimits } from '@vireo/hypervisor';
import type { FilesystemsCache } from '../filesystems/sync.ts';

import type { GuestUser } from '../guests/range.ts';
import type { ConnectedNetworks } from './connectedNetworks.ts';
import type { SyncedCredentials } from './credentials.ts';
import type { Domain } from './domainInformer.ts';
import type { DriveCache } from './drives.ts';
import type { VmiFiles } from './files.ts';
import type { GuestInfo } from './guestInfo.ts';
import type { MemoryDump } from './memoryDump.ts';
import type { CloseRetry, UnpluggedDisk } from './unpluggedDisks.ts';

/** A VMI on this node: its objects, its domain, its files, and what the agent remembers of it. */
export interface LocalVmi {
  /** `namespace/name` of the VMI. */
  readonly key: string;
  readonly uid: string;
  /** With the volumes that its guest has here, or is to have. */
  readonly vmi: Vmi | undefined;
  /** The launcher. */
  readonly pod: Persisted<Pod> | undefined;
  /** The attachment pods of the launcher. */
  readonly attachments: readonly Persisted<Pod>[];
  readonly domain: Domain | undefined;
  readonly files: VmiFiles;
  /** Whom its processes run as; undefined where that is whom we run as. */
  readonly user: GuestUser | undefined;
  readonly cache: VmiCache;
}

/** A VMI whose guest runs. */
export type RunningVmi = LocalVmi & {
  readonly vmi: Vmi;
  readonly pod: Persisted<Pod>;
  readonly domain: Domain;
};

/** What the agent remembers of a VMI. All of it may be lost: it is then found out again. */
export interface VmiCache {
  hasFiles: boolean;
  shutdownAskedAtMs: number;
  /** Whether an event was recorded for a guest that takes long to shut down. */
  isWaitReported?: boolean;
  /** The process of a guest that libvirt has lost and that an event has told of. */
  reportedPid?: number;
  /** Whether its launcher was deleted by force while this node was listening. */
  isLauncherKilled?: boolean;
  /** The uid of the launcher that this node let go while its guest went on. */
  releasedLauncher?: string;
  /** How often libvirt timed out when it was to destroy the domain. */
  destroyTimeouts: number;
  /** When the guest was last resumed after the disk had been full. */
  resumedAtMs?: number;
  /** The limits of its processes that were set last, or refused for good. */
  limits?: GuestLimits;
  /** When limits that could not be set are tried again. */
  limitsRetryAtMs?: number;
  isFrozen: boolean;
  /** Whether a freeze by an earlier run of the agent was looked for. */
  isFreezeRestored?: boolean;
  cancelThaw?: (() => void) | undefined;
  dump?: MemoryDump | undefined;
  /** How often its images could not be pulled since the last success. */
  failedPulls: number;
  /** When its disks are tried again at the earliest. */
  retryAtMs: number;
  /** Disks that are being made. */
  preparation?: Preparation | undefined;
  /** Checksums of container disks, by volume. */
  checksums?: Readonly<Record<string, number>>;
  guestInfo?: GuestInfo;
  guestInfoReadAtMs: number;
  credentials?: SyncedCredentials | undefined;
  /** Since when a start waits for the attachment pods of discs. */
  discsAwaitedSinceMs?: number | undefined;
  /** Since when volumes wait for their attachment pods, by name. */
  readonly awaited: Map<string, number>;
  /** Disks that are being unplugged, by file or the directory above it, until QEMU has closed that. */
  readonly unplugged: Map<string, UnpluggedDisk>;
  closeRetry?: CloseRetry | undefined;
  /** When a card was last plugged in: the guest is about to give it an address. */
  cardPluggedAtMs?: number;
  /** Unknown until what an earlier run has kept is read. */
  networks?: ConnectedNetworks;
  /** Since when and when last the guest was asked to let go of cards, by interface. */
  readonly unpluggedCards: Map<string, { readonly sinceMs: number; readonly askedAtMs: number }>;
  filesystems?: FilesystemsCache;
  /** How large the guest knows its disks on claims to be, by volume. */
  readonly diskBytes: Map<string, number>;
  /** CD-ROM drives, by name. */
  readonly drives: Map<string, DriveCache>;
}

/** The making of a VMI's disks. */
export interface Preparation {
  readonly startedAtMs: number;
  /** Never rejects; what went wrong is in `error`. */
  readonly settled: Promise<void>;
  isSettled: boolean;
  error?: unknown;
  /** Whether the launcher pod was reported to wait for it. */
  isReported: boolean;
  /** Images whose pull has events. */
  readonly reported: Set<string>;
  /** The image that was built for it. */
  built?: string;
  /** How far it is, until that is written to the launcher pod. */
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
  unpluggedCards: new Map(),
  diskBytes: new Map(),
  drives: new Map(),
});
