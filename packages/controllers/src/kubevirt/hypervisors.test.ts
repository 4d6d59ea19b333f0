import type { Node, Persisted } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { hypervisorStatus } from './hypervisors.ts';

const node = (name: string, hypervisor?: string, problem?: string): Persisted<Node> =>
  persisted({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubevirt.io/schedulable': 'true',
        ...(hypervisor && { 'hypervisor.node.kubevirt.io/name': hypervisor }),
      },
    },
    status: { conditions: problem ? [{ type: 'HypervisorReady', status: 'False', message: problem }] : [] },
  });
const other = persisted<Node>({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'other' } });

it('nodes with the same hypervisor are listed together, those that are not ready with the reason', () => {
  const nodes = [node('b', 'stub'), node('c', undefined, 'kvm needs /dev/kvm'), node('a', 'stub'), other];
  expect(hypervisorStatus(nodes, 'kvm')).toEqual([
    { name: 'kvm', ready: false, message: 'kvm needs /dev/kvm', nodes: ['c'] },
    { name: 'stub', ready: true, nodes: ['a', 'b'] },
  ]);
});
