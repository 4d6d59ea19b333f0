import type { Persisted } from '@vireo/api';
import { TAKEN_WITH, TAKEN_WITH_COUNT } from '@vireo/api/kinds/volumesnapshot/names.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';

/** How long the rest of a group may take to come before that is worth a word. */
export const GROUP_TIMEOUT_MS = 10_000;

/** The contents that are to be of one moment with a given one, itself among them; or how many of them are there so far. */
export type SnapshotGroup =
  | { readonly members: readonly Persisted<VolumeSnapshotContent>[] }
  | { readonly found: number; readonly wanted: number; readonly group: string };

/** Finds the contents that are to be of one moment with the given one. `all`: those that this node keeps. */
export function snapshotGroup(
  content: Persisted<VolumeSnapshotContent>,
  all: readonly Persisted<VolumeSnapshotContent>[],
): SnapshotGroup {
  const { [TAKEN_WITH]: group, [TAKEN_WITH_COUNT]: count } = content.metadata.annotations ?? {};
  if (!group || !count) return { members: [content] };
  const { namespace } = content.spec.volumeSnapshotRef;
  // Anybody can name a group: those of another namespace are none of ours, and their guests are not held for us.
  const members = all.filter(
    ({ metadata, spec }) =>
      metadata.annotations?.[TAKEN_WITH] === group && spec.volumeSnapshotRef.namespace === namespace,
  );
  // A count that is no number is never reached.
  const wanted = Number(count);
  return members.length >= wanted ? { members } : { found: members.length, wanted, group };
}

/** What is said of one whose group stays incomplete. */
export const incomplete = ({ found, wanted, group }: Exclude<SnapshotGroup, { members: unknown }>): string =>
  `waiting for the snapshots of the other disks of ${group}, to take them at the same point in time: ${found} of ${wanted} exist. ` +
  `If the others will not be created, delete it, or create it without the annotation ${TAKEN_WITH}`;
