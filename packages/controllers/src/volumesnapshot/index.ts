import { changes, isReason, PersistentVolume, PersistentVolumeClaim, timestamp } from '@vireo/api';
import { BOUND_PROTECTION, SOURCE_PROTECTION } from '@vireo/api/kinds/volumesnapshot/names.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { enqueueKey, keyOf, type Result, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { isDeleting } from '../kinds.ts';
import { contentFor, contentName, SnapshotProblem, snapshotStatus } from './content.ts';

const RETRY_MS = 15_000;

/** Joins snapshots of claims with the contents that drivers keep, and tells how far those are. */
export async function startVolumeSnapshotController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, log, metrics, clock = systemClock } = context;
  const snapshots = informers.for(VolumeSnapshot);
  const contents = informers.for(VolumeSnapshotContent);
  const classes = informers.for(VolumeSnapshotClass);
  const claims = informers.for(PersistentVolumeClaim);
  const volumes = informers.for(PersistentVolume);
  const queue = new WorkQueue({ clock });
  snapshots.on(enqueueKey(queue));
  const onContent = ({ spec: { volumeSnapshotRef: of } }: VolumeSnapshotContent) =>
    queue.add(`${of.namespace}/${of.name}`);
  contents.on({ added: onContent, updated: (_, content) => onContent(content), deleted: onContent });

  const writeStatus = async (snapshot: VolumeSnapshot, status: object): Promise<boolean> => {
    const difference = changes(snapshot.status ?? {}, status);
    const { name = '', namespace, resourceVersion } = snapshot.metadata;
    if (!difference) return false;
    const patch = { metadata: { resourceVersion }, status: difference };
    await client.of(VolumeSnapshot).patchStatus(name, patch, { namespace, type: 'merge' });
    return true;
  };

  const patch = async ({ metadata }: VolumeSnapshot, change: { metadata?: object; spec?: object }): Promise<void> => {
    const { name = '', namespace, resourceVersion } = metadata;
    const whole = { ...change, metadata: { ...change.metadata, resourceVersion } };
    await client.of(VolumeSnapshot).patch(name, whole, { namespace, type: 'merge' });
  };

  const setFinalizers = (snapshot: VolumeSnapshot, finalizers: string[]): Promise<void> =>
    patch(snapshot, { metadata: { finalizers } });

  /** The content that belongs to the snapshot; one that names another is somebody else's. */
  const contentOf = (snapshot: VolumeSnapshot): VolumeSnapshotContent | undefined => {
    const content = contents.get(contentName(snapshot));
    const of = content?.spec.volumeSnapshotRef;
    const isOurs = of?.name === snapshot.metadata.name && of?.namespace === snapshot.metadata.namespace;
    return isOurs && (!of?.uid || of.uid === snapshot.metadata.uid) ? content : undefined;
  };

  /** A snapshot goes when nobody is made from it and its content has gone, or stays by itself. */
  async function end(snapshot: VolumeSnapshot): Promise<Result | undefined> {
    const { name, namespace, finalizers = [] } = snapshot.metadata;
    const ours = finalizers.filter((each) => each === BOUND_PROTECTION || each === SOURCE_PROTECTION);
    if (ours.length === 0) return undefined;
    const user = claims.list().find(({ metadata, spec, status }) => {
      const source = spec?.dataSourceRef ?? spec?.dataSource;
      return (
        metadata.namespace === namespace &&
        status?.phase === 'Pending' &&
        source?.kind === 'VolumeSnapshot' &&
        source.name === name
      );
    });
    if (user) {
      const message = `PersistentVolumeClaim ${user.metadata.name} is being made from the snapshot`;
      recorder.event(snapshot, 'Warning', 'SnapshotDeletePending', message);
      return { requeueAfterMs: RETRY_MS };
    }
    const content = contentOf(snapshot);
    if (content?.spec.deletionPolicy === 'Delete') {
      if (!isDeleting(content))
        await client
          .of(VolumeSnapshotContent)
          .delete(content.metadata.name ?? '')
          .catch(unlessGone);
      return undefined;
    }
    await setFinalizers(
      snapshot,
      finalizers.filter((each) => !ours.includes(each)),
    );
    return undefined;
  }

  async function provide(snapshot: VolumeSnapshot): Promise<VolumeSnapshotContent> {
    const known = contentOf(snapshot);
    if (known) return known;
    const { namespace } = snapshot.metadata;
    const given = snapshot.spec.source.volumeSnapshotContentName;
    if (given !== undefined)
      throw new SnapshotProblem(
        'SnapshotContentMissing',
        `VolumeSnapshotContent ${given} does not exist, or is of another snapshot`,
      );
    const bound = snapshot.status?.boundVolumeSnapshotContentName;
    if (bound)
      throw new SnapshotProblem(
        'SnapshotContentMissing',
        `VolumeSnapshotContent ${bound} has gone, and the data with it`,
      );
    const draft = contentFor(snapshot, {
      claim: (name) => claims.get(`${namespace}/${name}`),
      volume: (name) => volumes.get(name),
      classes: classes.list(),
    });
    try {
      const content = await client.of(VolumeSnapshotContent).create(draft);
      recorder.event(
        snapshot,
        'Normal',
        'CreatingSnapshot',
        `Waiting for a snapshot ${keyOf(snapshot)} to be created by the CSI driver.`,
      );
      return content;
    } catch (error) {
      if (!isReason(error, 'AlreadyExists')) throw error;
      return client.of(VolumeSnapshotContent).get(draft.metadata.name ?? '');
    }
  }

  async function reconcile(key: string): Promise<Result | undefined> {
    const snapshot = snapshots.get(key);
    if (!snapshot) return undefined;
    if (isDeleting(snapshot)) return end(snapshot);
    const { finalizers = [] } = snapshot.metadata;
    const missing = [SOURCE_PROTECTION, BOUND_PROTECTION].filter((each) => !finalizers.includes(each));
    if (missing.length > 0) {
      await setFinalizers(snapshot, [...finalizers, ...missing]);
      return undefined;
    }
    try {
      const content = await provide(snapshot);
      const { volumeSnapshotClassName } = content.spec;
      const { source, volumeSnapshotClassName: named } = snapshot.spec;
      if (source.persistentVolumeClaimName && volumeSnapshotClassName && !named) {
        // Which default it was made by stays to be seen when another is the default.
        await patch(snapshot, { spec: { volumeSnapshotClassName } });
        return undefined;
      }
      const status = snapshotStatus(snapshot, content);
      const before = snapshot.status ?? {};
      if (!(await writeStatus(snapshot, status))) return undefined;
      if (status.creationTime && !before.creationTime)
        recorder.event(
          snapshot,
          'Normal',
          'SnapshotCreated',
          `Snapshot ${key} was successfully created by the CSI driver.`,
        );
      if (status.readyToUse && !before.readyToUse)
        recorder.event(snapshot, 'Normal', 'SnapshotReady', `Snapshot ${key} is ready to use.`);
      return undefined;
    } catch (error) {
      if (!(error instanceof SnapshotProblem)) throw error;
      const { message, reason } = error;
      if (snapshot.status?.error?.message !== message) {
        recorder.event(snapshot, 'Warning', reason, message);
        const failure = { message, time: timestamp(new Date(clock.now())) };
        await writeStatus(snapshot, { ...snapshot.status, readyToUse: false, error: failure });
      }
      return { requeueAfterMs: RETRY_MS };
    }
  }

  const all = [snapshots, contents, classes, claims, volumes];
  await runController({ name: 'volumesnapshot', queue, informers: all, log, metrics, reconcile }, signal);
}

function unlessGone(error: unknown): void {
  if (!isReason(error, 'NotFound')) throw error;
}
