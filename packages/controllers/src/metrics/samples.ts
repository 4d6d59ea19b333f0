import type { Node, Pod } from '@vireo/api';
import { toBytes, toMilli } from '@vireo/api/quantity.ts';
import type { Vmi } from '../kinds.ts';
import { launcherHypervisor } from '../vmi/launcherCommand.ts';
import { CREATED_BY_LABEL } from '../wellKnown.ts';

/** One line of a metric: the values of its labels, and how much. */
export interface Sample {
  readonly labels: readonly string[];
  readonly value: number;
}

/** What nodes have or can give away, as kube-state-metrics tells it. */
export function* nodeSamples(nodes: readonly Node[], of: 'capacity' | 'allocatable'): Iterable<Sample> {
  for (const { metadata, status } of nodes)
    for (const [resource, amount] of Object.entries(status?.[of] ?? {})) {
      const value = resource === 'cpu' ? Number(toMilli(amount)) / 1000 : Number(toBytes(amount));
      yield { labels: [metadata.name ?? '', resource.replace(/[^a-zA-Z0-9_]/g, '_'), unitOf(resource)], value };
    }
}

const unitOf = (resource: string): string =>
  resource === 'cpu' ? 'core' : /^(memory|ephemeral-storage|hugepages-.*)$/.test(resource) ? 'byte' : 'integer';

/** How many instances there are, by node, phase and the hypervisor that their launchers were made for. */
export function machineSamples(vmis: readonly Vmi[], launchers: readonly Pod[]): Sample[] {
  const hypervisors = new Map(
    launchers.map((pod) => [pod.metadata.labels?.[CREATED_BY_LABEL], launcherHypervisor(pod)] as const),
  );
  const counts = new Map<string, { labels: string[]; value: number }>();
  for (const { metadata, status } of vmis) {
    const labels = [status?.nodeName ?? '', status?.phase ?? '', hypervisors.get(metadata.uid) ?? ''];
    const key = labels.join('\n');
    const known = counts.get(key);
    if (known) known.value++;
    else counts.set(key, { labels, value: 1 });
  }
  return [...counts.values()];
}
