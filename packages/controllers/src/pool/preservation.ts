import type { KubeObject, Persisted } from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { POOL_DELETION_ANNOTATION } from '@vireo/api/kinds/pool/names.ts';
import type { Pool } from './pool.ts';

/** Why a pool deletes a VM: to shrink, or to have a better one in its place, which must not get the disks of this one. */
export type DeletionReason = 'ScaleIn' | 'Replacement';

const isEnabled = (statePreservation: string | undefined): boolean =>
  statePreservation !== undefined && statePreservation !== 'Disabled';

/** Whether the disks of a VM that goes are kept. Without a mark, somebody else has deleted it. */
export function preservesState({ spec }: Pool, { metadata }: Vm): boolean {
  const { proactive, opportunistic } = spec.scaleInStrategy ?? {};
  switch (metadata.annotations?.[POOL_DELETION_ANNOTATION]) {
    case 'ScaleIn' satisfies DeletionReason:
      return isEnabled(proactive?.statePreservation);
    case 'Replacement' satisfies DeletionReason:
      return false;
    default:
      return isEnabled(opportunistic?.statePreservation);
  }
}

/** Whether it has to be written down why a VM is deleted: where its disks would fare otherwise without it. */
export function needsMark(pool: Pool, vm: Vm, reason: DeletionReason): boolean {
  const { annotations } = vm.metadata;
  const marked = {
    ...vm,
    metadata: { ...vm.metadata, annotations: { ...annotations, [POOL_DELETION_ANNOTATION]: reason } },
  };
  return preservesState(pool, marked) !== preservesState(pool, vm);
}

/** The owners of a disk without the VM. */
export const ownersWithout = ({ metadata }: Persisted<KubeObject>, vm: Vm) =>
  (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== vm.metadata.uid);
