import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import type { Misfit } from './filter.ts';

/** `0/3 nodes are available: 1 Insufficient memory, 2 node(s) were unschedulable.` */
export function nodesMessage(misfits: readonly Misfit[]): string {
  const counts = new Map<string, number>();
  for (const { reasons } of misfits) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const texts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${misfits.length} nodes are available: ${texts.join(', ')}.`;
}

/** What Kubernetes says of preemption. This scheduler evicts nobody, so there are never victims. */
export function preemptionMessage(pod: Pod, misfits: readonly Misfit[]): string {
  if (pod.spec?.preemptionPolicy === 'Never') return 'preemption: not eligible due to preemptionPolicy=Never.';
  const outcomes = misfits.map(({ resolvable }) => ({
    reasons: [resolvable ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling'],
    resolvable,
  }));
  return `preemption: ${nodesMessage(outcomes)}`;
}
