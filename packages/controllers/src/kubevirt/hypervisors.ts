import { conditionOf, type Node, type Persisted } from '@vireo/api';
import type { HypervisorStatus } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { HYPERVISOR_LABEL } from '@vireo/hypervisor';

/** What runs new VMs on each node that runs any, nodes that say the same together. `active` is the cluster's choice. */
export function hypervisorStatus(nodes: readonly Persisted<Node>[], active: string): HypervisorStatus[] {
  const groups = new Map<string, HypervisorStatus & { nodes: string[] }>();
  for (const { metadata, status } of nodes) {
    if (metadata.labels?.[SCHEDULABLE_LABEL] === undefined) continue;
    const ready = conditionOf({ status }, 'HypervisorReady');
    const isReady = ready?.status !== 'False' && metadata.labels[HYPERVISOR_LABEL] !== undefined;
    const name = metadata.labels[HYPERVISOR_LABEL] ?? active;
    const message = isReady ? undefined : (ready?.message ?? 'the node does not report a hypervisor');
    const key = JSON.stringify([name, isReady, message]);
    const group = groups.get(key) ?? { name, ready: isReady, ...(message !== undefined && { message }), nodes: [] };
    group.nodes.push(metadata.name);
    groups.set(key, group);
  }
  const ordered = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return ordered.map(([, group]) => ({ ...group, nodes: group.nodes.sort() }));
}
