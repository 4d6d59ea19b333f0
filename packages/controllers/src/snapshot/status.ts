import { type ConditionDraft, timestamp } from '@vireo/api';
import { setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import type { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { type Content, type ContentStatus, contentNameOf, type Snapshot, type SnapshotStatus } from './kinds.ts';
import { volumeLists } from './volumes.ts';

const progressing = (status: 'True' | 'False', reason: string): ConditionDraft => ({
  type: 'Progressing',
  status,
  reason,
});
const ready = (isReady: boolean): ConditionDraft => ({
  type: 'Ready',
  status: isReady ? 'True' : 'False',
  reason: isReady ? 'Ready' : 'Not ready',
});

const conditions = (snapshot: Snapshot, now: Date, ...drafts: ConditionDraft[]): SnapshotStatus['conditions'] =>
  setConditions(snapshot.status?.conditions, drafts, now);

/** On its way, or waiting for what `reason` says. */
export const inProgressStatus = (snapshot: Snapshot, now: Date, reason?: string): SnapshotStatus => ({
  ...snapshot.status,
  phase: 'InProgress',
  readyToUse: false,
  conditions: conditions(
    snapshot,
    now,
    reason ? progressing('False', reason) : progressing('True', 'Source locked and operation in progress'),
    ready(false),
  ),
});

/** Given up for good. */
export const failedStatus = (snapshot: Snapshot, message: string, now: Date): SnapshotStatus => ({
  ...snapshot.status,
  phase: 'Failed',
  readyToUse: false,
  error: snapshot.status?.error ?? { message, time: timestamp(now) },
  conditions: conditions(
    snapshot,
    now,
    { type: 'Failure', status: 'True', reason: message },
    progressing('False', 'Operation failed'),
    ready(false),
  ),
});

export const deletionStatus = (snapshot: Snapshot, now: Date): SnapshotStatus => ({
  ...snapshot.status,
  phase: 'Deleting',
  readyToUse: false,
  conditions: conditions(snapshot, now, progressing('False', 'VM snapshot is deleting'), ready(false)),
});

/** Taken; whether it can be restored depends on its content. */
export function succeededStatus(
  snapshot: Snapshot,
  content: Content | undefined,
  { status }: { readonly status: ContentStatus | undefined },
  now: Date,
): SnapshotStatus {
  const isReady = status?.readyToUse ?? false;
  const spec = content?.spec.source.virtualMachine?.spec;
  const included = (content?.spec.volumeBackups ?? []).map(({ volumeName }) => volumeName);
  const { error: _, ...before } = snapshot.status ?? {};
  const error = content
    ? status?.error
    : { message: `${contentNameOf(snapshot)} no longer exists`, time: timestamp(now) };
  return {
    ...before,
    phase: 'Succeeded',
    readyToUse: isReady,
    creationTime: snapshot.status?.creationTime ?? status?.creationTime,
    virtualMachineSnapshotContentName: contentNameOf(snapshot),
    ...(spec && { snapshotVolumes: volumeLists({ spec }, included) }),
    ...(error && { error: { ...error, ...timeOf(snapshot, error) } }),
    conditions: conditions(
      snapshot,
      now,
      progressing('False', isReady || !error ? 'Operation complete' : 'In error state'),
      ready(isReady),
    ),
  };
}

/** What has been said before was said then. */
const timeOf = ({ status }: Snapshot, { message }: { message?: string }): { time?: string } =>
  status?.error?.message === message && status?.error?.time ? { time: status.error.time } : {};

/** How the content of a snapshot is doing: as its VolumeSnapshots are. */
export function contentStatus(content: Content, taken: readonly VolumeSnapshot[], now: Date): ContentStatus {
  const wanted = (content.spec.volumeBackups ?? []).map(({ volumeSnapshotName = '' }) => volumeSnapshotName);
  const found = wanted.map((name) => taken.find(({ metadata }) => metadata.name === name));
  const missing = wanted.filter((_, index) => !found[index]);
  const isTaken = found.every((each) => each?.status?.creationTime);
  const { creationTime = isTaken ? latest(found, now) : undefined } = content.status ?? {};
  const troubled = found.find((each) => each?.status?.error && !each.status.readyToUse);
  // Before the moment is taken those that are not there yet are simply not there yet.
  const lost = content.status?.creationTime ? missing : [];
  const message =
    lost.length > 0
      ? `VolumeSnapshots (${lost.join(',')}) missing`
      : troubled && `VolumeSnapshot ${troubled.metadata.name}: ${troubled.status?.error?.message}`;
  const before = content.status?.error;
  return {
    ...(creationTime && { creationTime }),
    readyToUse: isTaken && found.every((each) => each?.status?.readyToUse),
    ...(message && { error: before?.message === message ? before : { message, time: timestamp(now) } }),
    volumeSnapshotStatus: found.flatMap((each, index) => {
      if (!each) return [];
      const { creationTime: at, readyToUse, error } = each.status ?? {};
      return [
        {
          volumeSnapshotName: wanted[index] ?? '',
          ...(at && { creationTime: at }),
          ...(readyToUse !== undefined && { readyToUse }),
          ...(error && { error }),
        },
      ];
    }),
  };
}

/** The moment that all disks are of, at the latest; a VM without disks is of now. */
const latest = (taken: readonly (VolumeSnapshot | undefined)[], now: Date): string =>
  taken
    .flatMap((each) => each?.status?.creationTime ?? [])
    .sort()
    .at(-1) ?? timestamp(now);
