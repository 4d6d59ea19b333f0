import type { Node, Persisted } from '@vireo/api';
import { toBytes, toMilli } from '@vireo/api/quantity.ts';
import type { Sample } from '@vireo/kube';
import type { ObjectMetric } from './objectMetric.ts';

/** What nodes have and can give away, as kube-state-metrics tells it. */
export const NODE_METRICS: readonly ObjectMetric<Persisted<Node>, undefined>[] = [
  {
    name: 'kube_node_status_capacity',
    help: 'Capacity of a node for each resource, including devices.',
    type: 'gauge',
    labels: ['node', 'resource', 'unit'],
    samples: (node) => resources(node, 'capacity'),
  },
  {
    name: 'kube_node_status_allocatable',
    help: 'Allocatable amount of each resource of a node, including devices.',
    type: 'gauge',
    labels: ['node', 'resource', 'unit'],
    samples: (node) => resources(node, 'allocatable'),
  },
];

function* resources({ metadata, status }: Persisted<Node>, of: 'capacity' | 'allocatable'): Iterable<Sample> {
  for (const [resource, amount] of Object.entries(status?.[of] ?? {})) {
    const value = resource === 'cpu' ? Number(toMilli(amount)) / 1000 : Number(toBytes(amount));
    yield { labels: [metadata.name, resource.replace(/[^a-zA-Z0-9_]/g, '_'), unitOf(resource)], value };
  }
}

const unitOf = (resource: string): string =>
  resource === 'cpu' ? 'core' : /^(memory|ephemeral-storage|hugepages-.*)$/.test(resource) ? 'byte' : 'integer';
