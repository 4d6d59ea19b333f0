import type { Persisted } from '@vireo/api';
/** The kinds around snapshots under short names. */
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';

export type Snapshot = Persisted<VirtualMachineSnapshot>;
export const Snapshot = VirtualMachineSnapshot;
export type SnapshotStatus = NonNullable<Snapshot['status']>;

export type Content = Persisted<VirtualMachineSnapshotContent>;
export const Content = VirtualMachineSnapshotContent;
export type ContentStatus = NonNullable<Content['status']>;
export type VolumeBackup = NonNullable<Content['spec']['volumeBackups']>[number];

/** A snapshot has become what it was meant to be, or never will. */
export const hasSucceeded = ({ status }: Snapshot): boolean => status?.phase === 'Succeeded';
export const hasFailed = ({ status }: Snapshot): boolean => status?.phase === 'Failed';

export const contentNameOf = ({ metadata }: Snapshot): string => `vmsnapshot-content-${metadata.uid}`;
