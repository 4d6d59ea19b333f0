import type { Node } from '@vireo/api';
import { DRAIN_FORCED, DRAIN_REQUESTED, DRAIN_TAINT, MAINTAIN_STATUS } from '@vireo/api/kinds/harvester/names.ts';
import type { MergePatch } from '@vireo/kube';

// Lists are replaced whole, so each patch holds only for the version that it was made from.

/** Lets nothing more come to the node; undefined where that is so. */
export function closePatch(node: Node): MergePatch | undefined {
  const taints = node.spec?.taints ?? [];
  const isTainted = taints.some(({ key }) => key === DRAIN_TAINT);
  if (node.spec?.unschedulable && isTainted) return undefined;
  return {
    spec: {
      unschedulable: true,
      ...(!isTainted && { taints: [...taints, { key: DRAIN_TAINT, value: 'draining', effect: 'NoSchedule' }] }),
    },
  };
}

/** The VMs have left. What comes late is treated as they were. */
export const ENTER_PATCH: MergePatch = {
  metadata: { annotations: { [DRAIN_REQUESTED]: null, [MAINTAIN_STATUS]: 'running' } },
};

export const COMPLETE_PATCH: MergePatch = {
  metadata: { annotations: { [DRAIN_FORCED]: null, [MAINTAIN_STATUS]: 'completed' } },
};

/** Nobody asked: a node that was closed for it is open again. */
export function withdrawPatch(node: Node): MergePatch {
  const { taints = [] } = node.spec ?? {};
  const others = taints.filter(({ key }) => key !== DRAIN_TAINT);
  return {
    metadata: { annotations: { [DRAIN_REQUESTED]: null, [DRAIN_FORCED]: null, [MAINTAIN_STATUS]: null } },
    ...(others.length < taints.length && { spec: { unschedulable: false, taints: others } }),
  };
}
