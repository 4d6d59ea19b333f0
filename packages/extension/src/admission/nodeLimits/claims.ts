import type { PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import {
  ALLOCATED_BYTES,
  BOUND_MESSAGE,
  CLONE_OF,
  DISK_BYTES,
  IMPORT_FATAL,
  IMPORT_POD_NAME,
  POD_PHASE,
  POD_READY,
  POD_RESTARTS,
  PREALLOCATION_DONE,
  PROGRESS,
  RUNNING,
  RUNNING_MESSAGE,
  RUNNING_REASON,
} from '@vireo/api/kinds/cdi/names.ts';
import { SELECTED_NODE } from '@vireo/api/kinds/core/volumeNames.ts';
import { forbiddenChange } from './change.ts';
import { isVolumeOf } from './volumes.ts';
import type { NodeWrite } from './write.ts';

/**
 * What a node reports on claims. What is to be on a claim is not among it: a node that could say so could have itself
 * given the Secret that an import names.
 */
export const CLAIM_REPORTS: readonly string[] = [
  ALLOCATED_BYTES,
  BOUND_MESSAGE,
  CLONE_OF,
  DISK_BYTES,
  IMPORT_FATAL,
  IMPORT_POD_NAME,
  POD_PHASE,
  POD_READY,
  POD_RESTARTS,
  PREALLOCATION_DONE,
  PROGRESS,
  RUNNING,
  RUNNING_MESSAGE,
  RUNNING_REASON,
];
export const CLAIM_STATUS: readonly string[] = ['capacity', 'conditions'];

/** Why a node may not write a claim in this way. `volume` is what the claim is bound to. */
export function claimProblem(
  { node, operation, object, oldObject }: NodeWrite<PersistentVolumeClaim>,
  volume: PersistentVolume | undefined,
): string | undefined {
  if (operation !== 'UPDATE' || !oldObject) return 'nodes only report on claims';
  const { metadata, spec } = oldObject;
  if (spec?.volumeName) {
    if (!volume || volume.spec?.claimRef?.uid !== metadata.uid || !isVolumeOf(volume, node))
      return 'its volume is not on this node';
  } else if (metadata.annotations?.[SELECTED_NODE] !== node) return 'this node was not chosen for it';
  const change = forbiddenChange(object, oldObject, { annotations: CLAIM_REPORTS, status: CLAIM_STATUS });
  return change && `nodes do not change ${change}`;
}
