import { TAKEN_WITH, TAKEN_WITH_COUNT } from '@vireo/api/kinds/volumesnapshot/names.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';

/**
 * The contents that are to be of one moment with the given one, itself among them; undefined while some of them are yet
 * to come. `all`: the contents that this node keeps.
 */
export function takenTogether(
  content: VolumeSnapshotContent,
  all: readonly VolumeSnapshotContent[],
): readonly VolumeSnapshotContent[] | undefined {
  const { [TAKEN_WITH]: group, [TAKEN_WITH_COUNT]: count } = content.metadata.annotations ?? {};
  if (!group || !count) return [content];
  const { namespace } = content.spec.volumeSnapshotRef;
  // Anybody can name a group: those of another namespace are none of ours, and their guests are not held for us.
  const members = all.filter(
    ({ metadata, spec }) =>
      metadata.annotations?.[TAKEN_WITH] === group && spec.volumeSnapshotRef.namespace === namespace,
  );
  return members.length >= Number(count) ? members : undefined;
}
