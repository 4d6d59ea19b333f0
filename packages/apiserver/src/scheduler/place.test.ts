import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { describe, expect, it } from 'vitest';
import { cluster, node, pod, podAsking, type TestCluster } from '../testing/scheduler.ts';
import { placePod } from './place.ts';

const outcome = (newcomer: Pod, state: TestCluster): string => {
  const placement = placePod(newcomer, cluster(state));
  return 'node' in placement ? placement.node.name : placement.message;
};

describe('placePod says why a pod does not fit', () => {
  const tainted = { taints: [{ key: 'key', value: 'value', effect: 'NoSchedule' }] };
  it.each<[string, Pod, TestCluster, string]>([
    ['no nodes', pod('p'), { nodes: [] }, 'no nodes available to schedule pods'],
    [
      'several reasons, counted and sorted',
      podAsking('p', { memory: '9Gi' }),
      { nodes: [node('n1'), node('n2', tainted), node('n3', tainted)] },
      '0/3 nodes are available: 1 Insufficient memory, 2 node(s) had untolerated taint {key: value}. ' +
        'preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling. ' +
        'It requests 9Gi of memory; at most 8Gi is free on any node.',
    ],
    [
      'room that others take',
      podAsking('p', { cpu: '2' }),
      { nodes: [node('n1')], pods: [podAsking('there', { cpu: '3' }, { nodeName: 'n1' })] },
      '0/1 nodes are available: 1 Insufficient cpu. ' +
        'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod. ' +
        'It requests 2 of cpu; at most 1 is free on any node.',
    ],
    [
      'how much is missing of each, on the node with the most of it',
      podAsking('p', { cpu: '1500m', memory: '9Gi', 'devices.kubevirt.io/kvm': '1' }),
      {
        nodes: [node('n1'), node('n2', {}, {}, { memory: '8448Mi' })],
        pods: [
          podAsking('there', { cpu: '3' }, { nodeName: 'n1' }),
          podAsking('too', { cpu: '2900m' }, { nodeName: 'n2' }),
        ],
      },
      '0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient devices.kubevirt.io/kvm, 2 Insufficient memory. ' +
        'preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling. ' +
        'It requests 1500m of cpu; at most 1100m is free on any node. ' +
        'It requests 1 of devices.kubevirt.io/kvm; at most 0 is free on any node. ' +
        'It requests 9Gi of memory; at most 8.3Gi is free on any node.',
    ],
    [
      'a pod that never preempts',
      podAsking('p', { cpu: '5' }, { preemptionPolicy: 'Never' }),
      { nodes: [node('n1')] },
      '0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never. ' +
        'It requests 5 of cpu; at most 4 is free on any node.',
    ],
  ])('%s', (_, newcomer, state, expected) => {
    expect(outcome(newcomer, state)).toBe(expected);
  });
});

describe('placePod prefers', () => {
  const preferring = (affinity: NonNullable<Pod['spec']>['affinity']) => pod('p', { affinity });
  const db = pod('db', { nodeName: 'n2' }, { labels: { app: 'db' } });
  const term = {
    podAffinityTerm: { labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'kubernetes.io/hostname' },
    weight: 100,
  };
  it.each<[string, Pod, TestCluster, string]>([
    ['the first by name among equals', pod('p'), { nodes: [node('n2'), node('n1')] }, 'n1'],
    [
      'the emptier node',
      pod('p'),
      { nodes: [node('n1'), node('n2')], pods: [podAsking('there', { cpu: '1', memory: '2Gi' }, { nodeName: 'n1' })] },
      'n2',
    ],
    [
      'the node where CPU and memory stay in balance',
      podAsking('p', { cpu: '1', memory: '2Gi' }),
      {
        nodes: [node('n1'), node('n2')],
        pods: [
          podAsking('a', { cpu: '2', memory: '1' }, { nodeName: 'n1' }),
          podAsking('b', { cpu: '1', memory: '2Gi' }, { nodeName: 'n2' }),
        ],
      },
      'n2',
    ],
    [
      'preferred node affinity over room',
      preferring({
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] } },
          ],
        },
      }),
      {
        nodes: [node('n1'), node('n2', {}, { disk: 'ssd' })],
        pods: [podAsking('there', { cpu: '2' }, { nodeName: 'n2' })],
      },
      'n2',
    ],
    [
      'company it likes',
      preferring({ podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } }),
      { nodes: [node('n1'), node('n2')], pods: [db] },
      'n2',
    ],
    [
      'distance from what it dislikes',
      preferring({ podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } }),
      { nodes: [node('n1'), node('n2')], pods: [db, podAsking('there', { cpu: '1' }, { nodeName: 'n1' })] },
      'n1',
    ],
    [
      'nodes without a soft taint',
      pod('p'),
      { nodes: [node('n1', { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] }), node('n2')] },
      'n2',
    ],
    [
      'the less crowded zone under a soft spread',
      pod('p', {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {} },
        ],
      }),
      {
        nodes: [node('n1', {}, { zone: 'a' }), node('n2', {}, { zone: 'b' })],
        pods: [
          podAsking('w1', {}, { nodeName: 'n1' }),
          podAsking('big', { cpu: '2' }, { nodeName: 'n2' }),
          podAsking('w2', {}, { nodeName: 'n1' }),
        ],
      },
      'n2',
    ],
    [
      'a node that has the image',
      pod('p', { containers: [{ name: 'c', image: 'example.com/disk' }] }),
      {
        nodes: [
          node('n1'),
          {
            ...node('n2'),
            status: { ...node('n2').status, images: [{ names: ['example.com/disk:latest'], sizeBytes: 900_000_000 }] },
          },
        ],
      },
      'n2',
    ],
  ])('%s', (_, newcomer, state, expected) => {
    expect(outcome(newcomer, state)).toBe(expected);
  });
});
