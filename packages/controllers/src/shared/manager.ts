import type { Node, PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import { reachesVolume } from '@vireo/api/kinds/core/nodeMatch.ts';
import { isOutOfService } from '@vireo/api/kinds/kubevirt/fencing.ts';
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
  const isOff = node !== undefined && isOutOfService(node) && !isReady(node);
  if (claim && waitsForData(claim) && !isOff) return current;
  const able = nodes
    .filter((each) => isReady(each) && reachesVolume(each, volume))
    .map(({ metadata }) => metadata.name ?? '');
  if (guestNode !== undefined && able.includes(guestNode)) return guestNode;
  if (current !== undefined && able.includes(current)) return current;
  return able.sort()[0] ?? current;
}
