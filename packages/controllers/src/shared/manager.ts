import { isDeleting, type Node, type PersistentVolume, type PersistentVolumeClaim } from '@vireo/api';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import { reachesVolume } from '@vireo/api/kinds/core/nodeMatch.ts';
import { sharedLabel } from '@vireo/api/kinds/core/volumeNames.ts';
import { isOutOfService } from '@vireo/api/kinds/kubevirt/fencing.ts';
import { MANAGED_BY } from '@vireo/api/kinds/volumesnapshot/names.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { isReady } from '../placement/nodes.ts';

/** What decides which node deals with a volume in a shared directory. */
export interface ManagerState {
  readonly volume: PersistentVolume;
  readonly claim: PersistentVolumeClaim | undefined;
  readonly current: string | undefined;
  /** The node of a guest that has the volume. */
  readonly guestNode: string | undefined;
  readonly nodes: readonly Node[];
}

/**
 * The node that is to deal with a volume: that of its guest, which has to hear of it, else the one that does, else any
 * that has the directory. A node that fills the volume keeps it until it is certain not to write any more.
 */
export function managerOf({ volume, claim, current, guestNode, nodes }: ManagerState): string | undefined {
  const node = nodes.find(({ metadata }) => metadata.name === current);
  // A Node that was removed says nothing of its host.
  if (claim && waitsForData(claim) && !(node && isOff(node))) return current;
  const able = nodes
    .filter((each) => isReady(each) && reachesVolume(each, volume))
    .map(({ metadata }) => metadata.name ?? '');
  if (guestNode !== undefined && able.includes(guestNode)) return guestNode;
  if (current !== undefined && able.includes(current)) return current;
  return able.sort()[0] ?? current;
}

/** What decides which node deals with a snapshot of a volume in a shared directory. */
export interface ContentManagerState {
  readonly content: VolumeSnapshotContent;
  /** The node that deals with the volume that it is of. */
  readonly volumeManager: string | undefined;
  /** What the directory is known by; undefined where nobody can say. */
  readonly id: string | undefined;
  readonly nodes: readonly Node[];
}

/**
 * The node that is to deal with a snapshot. One that is yet to be taken follows its volume, because only the node that
 * deals with the volume copies it. The data of others goes to any node that has the directory, if their own is gone or off.
 */
export function contentManagerOf({ content, volumeManager, id, nodes }: ContentManagerState): string | undefined {
  const current = content.metadata.labels?.[MANAGED_BY];
  const able = nodes
    .filter((each) => id !== undefined && isReady(each) && each.metadata.labels?.[sharedLabel(id)] !== undefined)
    .map(({ metadata }) => metadata.name ?? '');
  const ofVolume = volumeManager !== undefined && able.includes(volumeManager) ? volumeManager : undefined;
  if (!content.status?.readyToUse && !isDeleting(content)) return ofVolume ?? current;
  const node = nodes.find(({ metadata }) => metadata.name === current);
  if (node && !isOff(node)) return current;
  return ofVolume ?? able.sort()[0] ?? current;
}

const isOff = (node: Node): boolean => isOutOfService(node) && !isReady(node);
