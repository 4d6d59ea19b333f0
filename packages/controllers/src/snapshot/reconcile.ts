import { ApiError, isDeleting, timestamp } from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { SNAPSHOT_PROTECTION } from '@vireo/api/kinds/snapshot/names.ts';
import { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import { type Client, ignoreNotFoundOrConflict, parseKey, type Recorder, type Result } from '@vireo/kube';
import type { SubresourceCalls } from '../subresources.ts';
import type { SnapshotActions } from './act.ts';
import { contentFor, revisionNames, volumeSnapshotFor } from './content.ts';
import { deadlineMs, decide, isMoving, liveVmi, MIGRATING, type SnapshotState } from './decide.ts';
import {
  canFreeze,
  type Indication,
  indicationStatus,
  indicationsOf,
  type Share,
  withoutFreeze,
} from './indications.ts';
import { type Content, contentNameOf, Snapshot } from './kinds.ts';
import { contentStatus, deletionStatus, failedStatus, inProgressStatus, succeededStatus } from './status.ts';

/** When a snapshot that waits is looked at again. */
const RETRY_MS = 5000;
/** How long a guest that cannot freeze its file systems is asked again. */
const FREEZE_TIMEOUT_MS = 20_000;
/** How long a guest stays frozen at most whose snapshot may take for ever. */
const LONGEST_FREEZE_MS = 5 * 60_000;

export interface SnapshotParts {
  readonly act: SnapshotActions;
  readonly subresources: SubresourceCalls;
  readonly recorder: Recorder;
}

export interface SnapshotCase extends SnapshotState {
  /** What the VMI was started from, as far as it is known. */
  readonly started: Vm['spec'] | undefined;
}

/** Somebody took our finalizer off a snapshot: nobody else will let go of the VMs that it holds. */
export async function releaseVms(
  key: string,
  held: readonly Vm[],
  client: Client,
  act: SnapshotActions,
): Promise<undefined> {
  const { namespace, name } = parseKey(key);
  for (const vm of held) if (!(await client.of(Snapshot).find(name, { namespace }))) await act.unlock(vm, name);
}

/** Takes a snapshot one step further. */
export async function reconcileSnapshot(state: SnapshotCase, parts: SnapshotParts): Promise<Result | undefined> {
  const { snapshot, vm, content, nowMs } = state;
  const { act, recorder } = parts;
  const now = new Date(nowMs);
  const next = decide(state);
  const { finalizers = [] } = snapshot.metadata;
  if (next.step !== 'end' && !finalizers.includes(SNAPSHOT_PROTECTION)) {
    await act.setFinalizers(snapshot, [...finalizers, SNAPSHOT_PROTECTION]);
    return undefined;
  }
  switch (next.step) {
    case 'end':
      return end(state, parts);
    case 'clear':
      await releaseVm(state, parts);
      if (content && !isDeleting(content)) await act.deleteContent(content);
      return undefined;
    case 'fail':
      await act.writeStatus(snapshot, failedStatus(snapshot, next.message, now));
      recorder.event(snapshot, 'Warning', 'VirtualMachineSnapshotFailed', next.message);
      return undefined;
    case 'wait':
      await act.writeStatus(snapshot, inProgressStatus(snapshot, now, next.reason));
      return soon(state);
    case 'lock':
      if (!vm) return undefined;
      await act.writeStatus(snapshot, { ...inProgressStatus(snapshot, now), sourceUID: vm.metadata.uid });
      await act.lock(vm, snapshot);
      return undefined;
    case 'createContent':
      if (!vm) return undefined;
      // Whatever came between may have left half of it.
      await act.lock(vm, snapshot);
      if (!(await holdsStill(state, parts))) {
        await act.writeStatus(snapshot, inProgressStatus(snapshot, now, MIGRATING));
        return soon(state);
      }
      await act.writeStatus(snapshot, {
        ...inProgressStatus(snapshot, now),
        sourceUID: vm.metadata.uid,
        virtualMachineSnapshotContentName: contentNameOf(snapshot),
      });
      await act.createContent(snapshot, contentFor(snapshot, vm, state.volumes, startedSpec(state)));
      return undefined;
    case 'take':
      return content && take(state, content, parts);
    case 'watch':
      await act.writeStatus(snapshot, withContentError(inProgressStatus(snapshot, now), content));
      return soon(state);
    case 'finish':
      if (content) await finish(state, content, parts);
      return undefined;
    case 'settle':
      await releaseVm(state, parts);
      await act.writeStatus(snapshot, succeededStatus(snapshot, content, { status: content?.status }, now));
      return undefined;
  }
}

/**
 * Whether the guest of a VM that is held stays where it is. A migration may have begun before anybody saw that the VM is
 * held; after this none can.
 */
async function holdsStill({ snapshot, vmi }: SnapshotCase, { act }: SnapshotParts): Promise<boolean> {
  const live = liveVmi(vmi);
  if (!live) return true;
  const held = await act.holdVmi(live, snapshot);
  return held !== undefined && !isMoving({ vmi: held });
}

/** Only a guest that runs differs from what its VM says. */
const startedSpec = ({ vmi, started }: SnapshotCase): Vm['spec'] | undefined => (liveVmi(vmi) ? started : undefined);

/** Freezes the guest if it can be, and asks the storage for the states of all disks. */
async function take(state: SnapshotCase, content: Content, parts: SnapshotParts): Promise<Result | undefined> {
  const { snapshot, nowMs, taken, volumes } = state;
  const { act } = parts;
  const now = new Date(nowMs);
  const frozen = await freeze(state, content, parts);
  if ('problem' in frozen) {
    const error = { message: frozen.problem, time: timestamp(now) };
    await act.writeStatus(snapshot, { ...inProgressStatus(snapshot, now), error });
    return { requeueAfterMs: RETRY_MS };
  }
  // Before anything is taken: what is said of the snapshot has to be true of every state in it.
  const indications = taken.length > 0 ? {} : indicationStatus(frozen.indications);
  const { status } = await act.writeStatus(snapshot, { ...inProgressStatus(snapshot, now), ...indications });
  const isOnline = status?.indications?.includes('Online') ?? false;
  const backups = content.spec.volumeBackups ?? [];
  const classes = new Map(volumes.map(({ volume, snapshotClass }) => [volume, snapshotClass]));
  for (const backup of backups) {
    if (taken.some(({ metadata }) => metadata.name === backup.volumeSnapshotName)) continue;
    const { driver, metadata } = classes.get(backup.volumeName) ?? {};
    if (!metadata?.name)
      throw new ApiError(
        'NotFound',
        `the ${VolumeSnapshotClass.kind} for volume ${backup.volumeName} no longer exists`,
      );
    const together = backups.filter(({ volumeName }) => classes.get(volumeName)?.driver === driver).length;
    const how = { snapshotClass: metadata.name, together: isOnline ? together : 1 };
    await act.createVolumeSnapshot(content, volumeSnapshotFor(content, backup, how));
  }
  return soon(state);
}

type Frozen = { readonly indications: readonly Indication[] } | { readonly problem: string };

async function freeze(
  { snapshot, vmi, volumes, nowMs }: SnapshotCase,
  content: Content,
  { subresources, recorder }: SnapshotParts,
): Promise<Frozen> {
  const live = liveVmi(vmi);
  const indications = indicationsOf(live, shareOf(volumes));
  if (!live || !canFreeze(live)) return { indications };
  const untilMs = deadlineMs(snapshot) ?? nowMs + LONGEST_FREEZE_MS;
  try {
    await subresources.freeze(live, untilMs - nowMs);
    return { indications };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const problem = `cannot freeze the file systems of the guest: ${error.message}`;
    if (nowMs - Date.parse(content.metadata.creationTimestamp) < FREEZE_TIMEOUT_MS) return { problem };
    recorder.event(snapshot, 'Warning', 'QuiesceFailed', `${problem}; the snapshot is taken without freezing them`);
    return { indications: withoutFreeze(indications, error.message) };
  }
}

/** The disks have their states: the guest may go on, and the snapshot is there. */
async function finish(state: SnapshotCase, content: Content, parts: SnapshotParts): Promise<void> {
  const { snapshot, vm, vmi, taken, nowMs } = state;
  const { act, recorder } = parts;
  const now = new Date(nowMs);
  await thaw(vmi, parts);
  if (vm) await act.copyRevisions(snapshot, content, revisionNames(vm, startedSpec(state)));
  const status = contentStatus(content, taken, now);
  await act.writeContentStatus(content, status);
  const share = shareOf(state.volumes);
  // If the guest runs, they were written when its disks were taken, unless none was.
  const isUnrecorded = (liveVmi(vmi) === undefined || share === 'none') && !snapshot.status?.indications;
  await act.writeStatus(snapshot, {
    ...succeededStatus(snapshot, content, { status }, now),
    ...(isUnrecorded && indicationStatus(indicationsOf(undefined, share))),
  });
  recorder.event(snapshot, 'Normal', 'VirtualMachineSnapshotSucceeded', `Took a snapshot of ${vm?.metadata.name}`);
}

/** How much of the disks can be kept. */
const shareOf = (volumes: SnapshotCase['volumes']): Share => {
  const kept = volumes.filter(({ snapshotClass }) => snapshotClass).length;
  return kept === 0 ? 'none' : kept < volumes.length ? 'some' : 'all';
};

async function end(state: SnapshotCase, parts: SnapshotParts): Promise<undefined> {
  const { snapshot, content, nowMs } = state;
  const { act } = parts;
  const { finalizers = [] } = snapshot.metadata;
  if (!finalizers.includes(SNAPSHOT_PROTECTION)) return;
  await releaseVm(state, parts);
  if (content && !isDeleting(content) && snapshot.spec.deletionPolicy !== 'Retain') await act.deleteContent(content);
  const updated = await act.writeStatus(snapshot, deletionStatus(snapshot, new Date(nowMs)));
  await act.setFinalizers(
    updated,
    finalizers.filter((each) => each !== SNAPSHOT_PROTECTION),
  );
}

/** The VM is no longer held for this snapshot; what was frozen for it is thawed. */
async function releaseVm({ snapshot, vm, vmi }: SnapshotCase, parts: SnapshotParts): Promise<void> {
  const { name } = snapshot.metadata;
  if (vm?.status?.snapshotInProgress !== name) return;
  try {
    await thaw(vmi, parts);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // A guest that does not answer must not hold its VM for ever: it thaws by itself when its time is up.
    parts.recorder.event(snapshot, 'Warning', 'UnfreezeFailed', `cannot thaw the guest: ${error.message}`);
  }
  await parts.act.unlock(vm, name);
}

/** Lets a guest write again. One that is not frozen stays as it is. */
async function thaw(vmi: Vmi | undefined, { subresources }: SnapshotParts): Promise<void> {
  const live = liveVmi(vmi);
  if (!live || !canFreeze(live)) return;
  // Gone or in conflict, it has ended meanwhile: there is nothing left to thaw.
  await subresources.thaw(live).catch(ignoreNotFoundOrConflict);
}

function withContentError(status: NonNullable<Snapshot['status']>, content: Content | undefined) {
  const { error: _, ...rest } = status;
  return content?.status?.error ? { ...rest, error: content.status.error } : rest;
}

/** Again after a while, and no later than the deadline. */
function soon({ snapshot, nowMs }: SnapshotState): Result {
  const untilMs = deadlineMs(snapshot);
  const leftMs = untilMs === undefined ? RETRY_MS : Math.max(0, untilMs - nowMs);
  return { requeueAfterMs: Math.min(RETRY_MS, leftMs) };
}
