import { isDeleting, type Persisted, type PersistentVolumeClaim } from '@vireo/api';
import { BOUND_PROTECTION, SOURCE_PROTECTION } from '@vireo/api/kinds/volumesnapshot/names.ts';
import type { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { keyOf, type Result } from '@vireo/kube';
import type { VolumeSnapshotActions } from './act.ts';
import { contentFor, type SnapshotLookup, SnapshotProblem } from './content.ts';
import { failedStatus, snapshotStatus } from './status.ts';

const RETRY_MS = 15_000;

/** All that is known of one snapshot. */
export interface VolumeSnapshotState {
  readonly snapshot: Persisted<VolumeSnapshot>;
  /** The content of the name that the snapshot's content has. */
  readonly content: Persisted<VolumeSnapshotContent> | undefined;
  /** Claims of every namespace; asked for only when the snapshot goes. */
  readonly claims: () => readonly PersistentVolumeClaim[];
  readonly lookup: SnapshotLookup;
  readonly now: Date;
}

/** Joins a snapshot with the content that its driver keeps, and tells how far that is. */
export async function reconcileVolumeSnapshot(
  state: VolumeSnapshotState,
  act: VolumeSnapshotActions,
): Promise<Result | undefined> {
  const { snapshot, now } = state;
  if (isDeleting(snapshot)) return end(state, act);
  const { finalizers = [] } = snapshot.metadata;
  const missing = [SOURCE_PROTECTION, BOUND_PROTECTION].filter((each) => !finalizers.includes(each));
  if (missing.length > 0) {
    await act.patch(snapshot, { metadata: { finalizers: [...finalizers, ...missing] } });
    return undefined;
  }
  try {
    await syncStatus(snapshot, await provide(state, act), act);
    return undefined;
  } catch (error) {
    if (!(error instanceof SnapshotProblem)) throw error;
    const { message, reason } = error;
    if (snapshot.status?.error?.message !== message) {
      act.event(snapshot, 'Warning', reason, message);
      await act.writeStatus(snapshot, failedStatus(snapshot, message, now));
    }
    return { requeueAfterMs: RETRY_MS };
  }
}

/** A snapshot goes when nobody is made from it and its content has gone, or stays by itself. */
async function end(state: VolumeSnapshotState, act: VolumeSnapshotActions): Promise<Result | undefined> {
  const { snapshot, claims } = state;
  const { finalizers = [] } = snapshot.metadata;
  const ours = finalizers.filter((each) => each === BOUND_PROTECTION || each === SOURCE_PROTECTION);
  if (ours.length === 0) return undefined;
  const user = claims().find((claim) => isRestoringFrom(claim, snapshot));
  if (user) {
    const message = `PersistentVolumeClaim ${user.metadata.name} is being created from the snapshot`;
    act.event(snapshot, 'Warning', 'SnapshotDeletePending', message);
    return { requeueAfterMs: RETRY_MS };
  }
  const content = ownContent(state);
  if (content?.spec.deletionPolicy === 'Delete') {
    if (!isDeleting(content)) await act.deleteContent(content);
    return undefined;
  }
  await act.patch(snapshot, { metadata: { finalizers: finalizers.filter((each) => !ours.includes(each)) } });
  return undefined;
}

function isRestoringFrom(
  { metadata, spec, status }: PersistentVolumeClaim,
  snapshot: Persisted<VolumeSnapshot>,
): boolean {
  const source = spec?.dataSourceRef ?? spec?.dataSource;
  return (
    metadata.namespace === snapshot.metadata.namespace &&
    status?.phase === 'Pending' &&
    source?.kind === 'VolumeSnapshot' &&
    source.name === snapshot.metadata.name
  );
}

/** The content that belongs to the snapshot; one that names another is somebody else's. */
function ownContent({ snapshot, content }: VolumeSnapshotState): Persisted<VolumeSnapshotContent> | undefined {
  const of = content?.spec.volumeSnapshotRef;
  const isOurs = of?.name === snapshot.metadata.name && of?.namespace === snapshot.metadata.namespace;
  return isOurs && (!of?.uid || of.uid === snapshot.metadata.uid) ? content : undefined;
}

/** The content of the snapshot, made where there is none yet. Throws SnapshotProblem where there can be none. */
async function provide(
  state: VolumeSnapshotState,
  act: VolumeSnapshotActions,
): Promise<Persisted<VolumeSnapshotContent>> {
  const { snapshot, lookup } = state;
  const known = ownContent(state);
  if (known) return known;
  const missing = (message: string) =>
    new SnapshotProblem('SnapshotContentMissing', `VolumeSnapshotContent ${message}`);
  const given = snapshot.spec.source.volumeSnapshotContentName;
  if (given !== undefined) throw missing(`${given} does not exist or belongs to another snapshot`);
  const bound = snapshot.status?.boundVolumeSnapshotContentName;
  if (bound) throw missing(`${bound} no longer exists, and neither does its data`);
  return act.createContent(snapshot, contentFor(snapshot, lookup));
}

/** Brings the snapshot in line with its content. */
async function syncStatus(
  snapshot: Persisted<VolumeSnapshot>,
  content: Persisted<VolumeSnapshotContent>,
  act: VolumeSnapshotActions,
): Promise<void> {
  const { volumeSnapshotClassName } = content.spec;
  const { source, volumeSnapshotClassName: named } = snapshot.spec;
  // Which default it was made by stays to be seen when another is the default.
  if (source.persistentVolumeClaimName && volumeSnapshotClassName && !named)
    return act.patch(snapshot, { spec: { volumeSnapshotClassName } });
  const status = snapshotStatus(snapshot, content);
  const before = snapshot.status ?? {};
  if (!(await act.writeStatus(snapshot, status))) return;
  const key = keyOf(snapshot);
  if (status.creationTime && !before.creationTime)
    act.event(snapshot, 'Normal', 'SnapshotCreated', `Snapshot ${key} was successfully created by the CSI driver.`);
  if (status.readyToUse && !before.readyToUse)
    act.event(snapshot, 'Normal', 'SnapshotReady', `Snapshot ${key} is ready to use.`);
}
