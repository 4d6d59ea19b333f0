import { CONTENT_PROTECTION, MANAGED_BY } from '@vireo/api/kinds/volumesnapshot/names.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { forbiddenChange } from './change.ts';
import type { NodeWrite } from './write.ts';

/** Why a node may not write the content of a snapshot in this way. */
export function contentProblem({
  node,
  operation,
  object,
  oldObject,
}: NodeWrite<VolumeSnapshotContent>): string | undefined {
  if (operation !== 'UPDATE' || !oldObject) return 'nodes only report on the contents of snapshots';
  if (oldObject.metadata.labels?.[MANAGED_BY] !== node) return 'its data is not on this node';
  const change = forbiddenChange(object, oldObject, { finalizers: [CONTENT_PROTECTION], status: 'all' });
  return change && `nodes do not change ${change}`;
}
