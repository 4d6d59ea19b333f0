import { Node, Pod } from '@vireo/api';
import type { Informers } from '@vireo/kube';
import { Vmi } from '../kinds.ts';
import { APP_LABEL } from '../wellKnown.ts';
import { machineSamples, nodeSamples, type Sample } from './samples.ts';

/** A metric of machines: read when it is asked for. */
export interface MachineMetric {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  read(): Iterable<Sample>;
}

/** What dashboards want to know of nodes and machines, under the names that they know. */
export function machineMetrics(informers: Informers): MachineMetric[] {
  const nodes = informers.for(Node);
  const vmis = informers.for(Vmi);
  const pods = informers.for(Pod, { labelSelector: `${APP_LABEL}=virt-launcher` });
  const resources = { labels: ['node', 'resource', 'unit'] };
  return [
    {
      name: 'kube_node_status_capacity',
      help: 'What a node has of a resource, its devices among them.',
      ...resources,
      read: () => nodeSamples(nodes.list(), 'capacity'),
    },
    {
      name: 'kube_node_status_allocatable',
      help: 'What a node can give away of a resource, its devices among them.',
      ...resources,
      read: () => nodeSamples(nodes.list(), 'allocatable'),
    },
    {
      name: 'kubevirt_vmi_phase_count',
      help: 'Instances by node, phase and the hypervisor that runs them.',
      labels: ['node', 'phase', 'hypervisor'],
      read: () => machineSamples(vmis.list(), pods.list()),
    },
  ];
}
