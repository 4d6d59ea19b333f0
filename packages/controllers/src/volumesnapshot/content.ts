import {
  isSharedVolume,
  type Persisted,
  type PersistentVolume,
  type PersistentVolumeClaim,
  servingNodeOf,
  sharedIdOf,
} from '@vireo/api';
import { PROVISIONED_BY, SHARED_ID } from '@vireo/api/kinds/core/volumeNames.ts';
import {
  CONTENT_PROTECTION,
  DEFAULT_CLASS,
  MANAGED_BY,
  SNAPSHOT_DIRECTORY,
  TAKEN_WITH,
  TAKEN_WITH_COUNT,
} from '@vireo/api/kinds/volumesnapshot/names.ts';
import type { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import type { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import type { Draft } from '@vireo/kube';

/** Why a snapshot cannot be made now, as its event and its status say it. */
export class SnapshotProblem extends Error {
  override readonly name = 'SnapshotProblem';
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Finds what a snapshot names, in its namespace. */
export interface SnapshotLookup {
  claim(name: string): Persisted<PersistentVolumeClaim> | undefined;
  volume(name: string): Persisted<PersistentVolume> | undefined;
  readonly classes: readonly VolumeSnapshotClass[];
}

export const contentName = ({ metadata, spec }: Persisted<VolumeSnapshot>): string =>
  spec.source.volumeSnapshotContentName ?? `snapcontent-${metadata.uid}`;

/** The content to be made for a snapshot of a claim. Throws SnapshotProblem where that cannot be. */
export function contentFor(snapshot: Persisted<VolumeSnapshot>, lookup: SnapshotLookup): Draft<VolumeSnapshotContent> {
  const { name, namespace, uid } = snapshot.metadata;
  const claimName = snapshot.spec.source.persistentVolumeClaimName ?? '';
  const claim = lookup.claim(claimName);
  const volume = lookup.volume(claim?.spec?.volumeName ?? '');
  if (claim?.status?.phase !== 'Bound' || !volume)
    throw new SnapshotProblem(
      'SnapshotPVCSourceMissing',
      `PersistentVolumeClaim ${namespace}/${claimName} ${claim ? 'has no volume yet' : 'does not exist'}`,
    );
  const driver = volume.metadata.annotations?.[PROVISIONED_BY] ?? '';
  const chosen = classOf(snapshot, driver, lookup.classes);
  const node = servingNodeOf(volume);
  return {
    metadata: {
      name: contentName(snapshot),
      finalizers: [CONTENT_PROTECTION],
      ...(node !== undefined && { labels: { [MANAGED_BY]: node } }),
      annotations: { ...together(snapshot), ...sharedDirectory(volume) },
    },
    spec: {
      deletionPolicy: chosen.deletionPolicy,
      driver,
      source: { volumeHandle: volume.metadata.name },
      sourceVolumeMode: volume.spec?.volumeMode ?? 'Filesystem',
      volumeSnapshotClassName: chosen.metadata.name,
      volumeSnapshotRef: {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshot',
        name,
        namespace,
        uid,
      },
    },
  };
}

/** What tells a driver which snapshots are to be of one moment. */
function together({ metadata: { annotations = {} } }: Persisted<VolumeSnapshot>): Record<string, string> {
  const { [TAKEN_WITH]: group, [TAKEN_WITH_COUNT]: count } = annotations;
  return group && count ? { [TAKEN_WITH]: group, [TAKEN_WITH_COUNT]: count } : {};
}

/** Where the data of a volume that several nodes have is kept, so that all of them find it. */
function sharedDirectory(volume: PersistentVolume): Record<string, string> {
  const path = volume.spec?.local?.path;
  if (!isSharedVolume(volume) || !path) return {};
  const id = sharedIdOf(volume);
  return { [SNAPSHOT_DIRECTORY]: path.slice(0, path.lastIndexOf('/')), ...(id && { [SHARED_ID]: id }) };
}

function classOf(
  snapshot: Persisted<VolumeSnapshot>,
  driver: string,
  classes: readonly VolumeSnapshotClass[],
): VolumeSnapshotClass {
  const named = snapshot.spec.volumeSnapshotClassName;
  if (named !== undefined) {
    const found = classes.find(({ metadata }) => metadata.name === named);
    if (!found) throw new SnapshotProblem('GetSnapshotClassFailed', `VolumeSnapshotClass ${named} does not exist`);
    if (found.driver !== driver)
      throw new SnapshotProblem(
        'SnapshotValidationError',
        `VolumeSnapshotClass ${named} has driver ${found.driver}, but the volume has ${driver || 'none'}`,
      );
    return found;
  }
  const marked = classes.filter(
    (each) => each.driver === driver && each.metadata.annotations?.[DEFAULT_CLASS] === 'true',
  );
  const [only] = marked;
  if (!only || marked.length > 1)
    throw new SnapshotProblem(
      'SetDefaultSnapshotClassFailed',
      `${marked.length} default VolumeSnapshotClasses exist for driver ${driver || 'none'}: set one in spec.volumeSnapshotClassName`,
    );
  return only;
}
