import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import type { UnschedulableStatus } from './filter.ts';
import type { NodeState } from './nodeState.ts';
import { podRequests } from './podRequests.ts';

/** `0/3 nodes are available: 1 Insufficient memory, 2 node(s) were unschedulable.` */
export function nodesMessage(statuses: readonly UnschedulableStatus[]): string {
  const counts = new Map<string, number>();
  for (const { reasons } of statuses) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const texts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${statuses.length} nodes are available: ${texts.join(', ')}.`;
}

/** What Kubernetes says of preemption. This scheduler evicts nobody, so there are never victims. */
export function preemptionMessage(pod: Pod, statuses: readonly UnschedulableStatus[]): string {
  if (pod.spec?.preemptionPolicy === 'Never') return 'preemption: not eligible due to preemptionPolicy=Never.';
  const outcomes = statuses.map(({ resolvable }) => ({
    reasons: [resolvable ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling'],
    resolvable,
  }));
  return `preemption: ${nodesMessage(outcomes)}`;
}

const INSUFFICIENT = 'Insufficient ';

/**
 * How much is missing, in words of our own behind those of kube-scheduler: what the pod asks for, and the most of it
 * that is free on one node. Nothing where a resource is not what it lacks.
 */
export function shortfallMessage(
  pod: Pod,
  nodes: readonly NodeState[],
  statuses: readonly UnschedulableStatus[],
): string {
  const requests = podRequests(pod);
  const lacking = statuses.flatMap(({ reasons }) => reasons.filter((reason) => reason.startsWith(INSUFFICIENT)));
  const resources = [...new Set(lacking.map((reason) => reason.slice(INSUFFICIENT.length)))].sort();
  const sentences = resources.map((name) => {
    const rooms = nodes
      .filter((_, index) => statuses[index]?.reasons.includes(`${INSUFFICIENT}${name}`))
      .map(({ allocatable, requested }) => (allocatable[name] ?? 0) - (requested[name] ?? 0));
    const [asked, free] = [requests[name] ?? 0, Math.max(0, ...rooms)].map((each) => amountText(name, each));
    return `It requests ${asked} of ${name}; at most ${free} is free on any node.`;
  });
  return sentences.length > 0 ? ` ${sentences.join(' ')}` : '';
}

const FREE = /; at most \S+ is free on any node\./g;

/**
 * Whether two messages differ in nothing but what is free, which changes with every pod that comes and goes: no reason
 * to write every waiting pod again.
 */
export const isSameMessage = (a: string, b: string): boolean => a.replaceAll(FREE, '') === b.replaceAll(FREE, '');

const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

/** An amount to read: `1500m` of CPU, `1.2Gi` of memory, `3` of anything that is counted. */
function amountText(resource: string, amount: number): string {
  if (resource === 'cpu') return amount % 1000 === 0 ? String(amount / 1000) : `${amount}m`;
  if (!/^(memory|ephemeral-storage|hugepages-.*)$/.test(resource)) return String(amount);
  const power = amount > 0 ? Math.min(Math.floor(Math.log2(amount) / 10), UNITS.length - 1) : 0;
  const value = amount / 1024 ** power;
  return `${Number.isInteger(value) ? value : value.toFixed(1)}${UNITS[power]}`;
}
