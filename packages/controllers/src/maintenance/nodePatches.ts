import type { Node } from '@vireo/api';
import { DRAIN_FORCED, DRAIN_REQUESTED, DRAIN_TAINT, MAINTAIN_STATUS } from '@vireo/api/kinds/harvester/names.ts';

const locked = ({ metadata }: Node, annotations: object) => ({
  resourceVersion: metadata.resourceVersion,
  annotations,
});

/** Lets nothing more come to the node; undefined where that is so. */
export function closePatch(node: Node): object | undefined {
  const taints = node.spec?.taints ?? [];
  const isTainted = taints.some(({ key }) => key === DRAIN_TAINT);
  if (node.spec?.unschedulable && isTainted) return undefined;
  return {
    metadata: { resourceVersion: node.metadata.resourceVersion },
    spec: {
      unschedulable: true,
      ...(!isTainted && { taints: [...taints, { key: DRAIN_TAINT, value: 'draining', effect: 'NoSchedule' }] }),
    },
  };
}

/** The machines have left. What comes late is treated as they were. */
export const enterPatch = (node: Node): object => ({
  metadata: locked(node, { [DRAIN_REQUESTED]: null, [MAINTAIN_STATUS]: 'running' }),
});

export const completePatch = (node: Node): object => ({
  metadata: locked(node, { [DRAIN_FORCED]: null, [MAINTAIN_STATUS]: 'completed' }),
});

/** Nobody asked: a node that was closed for it is open again. */
export function withdrawPatch(node: Node): object {
  const { taints = [] } = node.spec ?? {};
  const others = taints.filter(({ key }) => key !== DRAIN_TAINT);
  return {
    metadata: locked(node, { [DRAIN_REQUESTED]: null, [DRAIN_FORCED]: null, [MAINTAIN_STATUS]: null }),
    ...(others.length < taints.length && { spec: { unschedulable: false, taints: others } }),
  };
}
