import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { describe, expect, it } from 'vitest';
import { cluster, node, pod, podAsking, type TestCluster } from '../../testing/scheduler.ts';
import type { Filter } from '../filter.ts';
import { hostPortsFilter } from './hostPorts.ts';
import { nodeAffinityFilter } from './nodeAffinity.ts';
import { cordonFilter, nodeNameFilter } from './nodeBasics.ts';
import { resourcesFilter } from './resources.ts';
import { taintsFilter } from './taints.ts';

/** What the filter says of the first node: the reasons, or `fits`. */
function verdict(filter: Filter, newcomer: Pod, state: TestCluster): string {
  const view = cluster(state);
  const first = view.nodes[0];
  if (!first) throw new Error('the case has no node');
  return filter.prepare(newcomer, view)?.(first)?.reasons.join(', ') ?? 'fits';
}

const placed = (requests: Record<string, string>) => podAsking('there', requests, { nodeName: 'n1' });

describe('NodeResourcesFit', () => {
  it.each<[string, Record<string, string>, Record<string, string>, Record<string, string>, string]>([
    ['an empty node', { cpu: '4', memory: '8Gi' }, {}, {}, 'fits'],
    ['exactly what is left', { cpu: '3' }, { cpu: '1' }, {}, 'fits'],
    ['a little too much CPU', { cpu: '3001m' }, { cpu: '1' }, {}, 'Insufficient cpu'],
    ['both short', { cpu: '5', memory: '9Gi' }, {}, {}, 'Insufficient cpu, Insufficient memory'],
    ['a device that is there', { 'devices.kubevirt.io/kvm': '1' }, {}, { 'devices.kubevirt.io/kvm': '1' }, 'fits'],
    [
      'a device that is taken',
      { 'devices.kubevirt.io/kvm': '1' },
      { 'devices.kubevirt.io/kvm': '1' },
      { 'devices.kubevirt.io/kvm': '1' },
      'Insufficient devices.kubevirt.io/kvm',
    ],
    ['a device the node does not know', { 'example.com/gpu': '1' }, {}, {}, 'Insufficient example.com/gpu'],
    ['no place for another pod', {}, {}, { pods: '1' }, 'Too many pods'],
    [
      'ephemeral storage',
      { 'ephemeral-storage': '2Gi' },
      {},
      { 'ephemeral-storage': '1Gi' },
      'Insufficient ephemeral-storage',
    ],
  ])('%s', (_, wanted, used, allocatable, expected) => {
    const state = { nodes: [node('n1', {}, {}, allocatable)], pods: [placed(used)] };
    expect(verdict(resourcesFilter, podAsking('p', wanted), state)).toBe(expected);
  });

  it('calls a request above the whole node not resolvable by evictions', () => {
    const view = cluster({ nodes: [node('n1')], pods: [placed({ cpu: '3' })] });
    const check = (cpu: string) => resourcesFilter.prepare(podAsking('p', { cpu }), view)?.(view.nodes[0]!);
    expect(check('2')?.resolvable).toBe(true);
    expect(check('5')?.resolvable).toBe(false);
  });
});

describe('TaintToleration', () => {
  const tainted = { nodes: [node('n1', { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] })] };
  const refused = 'node(s) had untolerated taint {dedicated: gpu}';
  it.each<[string, NonNullable<Pod['spec']>['tolerations'], string]>([
    ['no toleration', undefined, refused],
    ['the same key and value', [{ key: 'dedicated', operator: 'Equal', value: 'gpu', effect: 'NoSchedule' }], 'fits'],
    ['Equal is the default operator', [{ key: 'dedicated', value: 'gpu' }], 'fits'],
    ['another value', [{ key: 'dedicated', value: 'fpga' }], refused],
    ['Exists on the key', [{ key: 'dedicated', operator: 'Exists' }], 'fits'],
    ['Exists without key tolerates all', [{ operator: 'Exists' }], 'fits'],
    ['another effect', [{ key: 'dedicated', operator: 'Exists', effect: 'NoExecute' }], refused],
  ])('%s', (_, tolerations, expected) => {
    expect(verdict(taintsFilter, pod('p', { tolerations }), tainted)).toBe(expected);
  });

  it('lets PreferNoSchedule pass and names taints without value', () => {
    const soft = { nodes: [node('n1', { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] })] };
    expect(verdict(taintsFilter, pod('p'), soft)).toBe('fits');
    const bare = { nodes: [node('n1', { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }] })] };
    expect(verdict(taintsFilter, pod('p'), bare)).toBe(
      'node(s) had untolerated taint {node.kubernetes.io/not-ready: }',
    );
  });
});

describe('NodeAffinity', () => {
  const nodes = [node('n1', {}, { zone: 'a', cores: '8' })];
  const required = (...nodeSelectorTerms: object[]): Partial<NonNullable<Pod['spec']>> => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
  const expression = (key: string, operator: string, ...values: string[]) => ({ key, operator, values });
  const refused = "node(s) didn't match Pod's node affinity/selector";
  it.each<[string, Partial<NonNullable<Pod['spec']>>, string]>([
    ['a selector that holds', { nodeSelector: { zone: 'a' } }, 'fits'],
    ['a selector that does not', { nodeSelector: { zone: 'b' } }, refused],
    ['a selector on a label of the prototype', { nodeSelector: { toString: 'x' } }, refused],
    ['In', required({ matchExpressions: [expression('zone', 'In', 'a', 'b')] }), 'fits'],
    ['NotIn', required({ matchExpressions: [expression('zone', 'NotIn', 'a')] }), refused],
    ['Gt', required({ matchExpressions: [expression('cores', 'Gt', '4')] }), 'fits'],
    ['Lt', required({ matchExpressions: [expression('cores', 'Lt', '4')] }), refused],
    [
      'terms are alternatives',
      required(
        { matchExpressions: [expression('zone', 'In', 'b')] },
        { matchExpressions: [expression('zone', 'Exists')] },
      ),
      'fits',
    ],
    [
      'expressions of a term all hold',
      required({ matchExpressions: [expression('zone', 'Exists'), expression('gpu', 'Exists')] }),
      refused,
    ],
    ['an empty term takes no node', required({}), refused],
    ['the node by name', required({ matchFields: [expression('metadata.name', 'In', 'n1')] }), 'fits'],
    ['another node by name', required({ matchFields: [expression('metadata.name', 'In', 'n2')] }), refused],
    [
      'selector and affinity together',
      { nodeSelector: { zone: 'b' }, ...required({ matchExpressions: [expression('zone', 'Exists')] }) },
      refused,
    ],
  ])('%s', (_, spec, expected) => {
    expect(verdict(nodeAffinityFilter, pod('p', spec), { nodes })).toBe(expected);
  });
});

describe('cordon and node name', () => {
  const cordoned = { nodes: [node('n1', { unschedulable: true })] };
  const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }];
  it.each<[string, Filter, Pod, TestCluster, string]>([
    ['a cordoned node', cordonFilter, pod('p'), cordoned, 'node(s) were unschedulable'],
    ['a pod that tolerates the cordon', cordonFilter, pod('p', { tolerations }), cordoned, 'fits'],
    ['an open node', cordonFilter, pod('p'), { nodes: [node('n1')] }, 'fits'],
    [
      'another node asked for',
      nodeNameFilter,
      pod('p', { nodeName: 'n2' }),
      { nodes: [node('n1')] },
      "node(s) didn't match the requested node name",
    ],
    ['this node asked for', nodeNameFilter, pod('p', { nodeName: 'n1' }), { nodes: [node('n1')] }, 'fits'],
  ])('%s', (_, filter, newcomer, state, expected) => {
    expect(verdict(filter, newcomer, state)).toBe(expected);
  });
});

describe('NodePorts', () => {
  const withPort = (name: string, hostPort: number, more: object = {}, nodeName?: string) =>
    pod(name, { nodeName, containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort, ...more }] }] });
  const refused = "node(s) didn't have free ports for the requested pod ports";
  it.each<[string, Pod, string]>([
    ['a free port', withPort('p', 81), 'fits'],
    ['a used port', withPort('p', 80), refused],
    ['the same number in UDP', withPort('p', 80, { protocol: 'UDP' }), 'fits'],
    ['the same port at one address, used at all', withPort('p', 80, { hostIP: '10.0.0.1' }), refused],
    ['the same port at another address', withPort('p', 443, { hostIP: '10.0.0.2' }), 'fits'],
    ['no host port', pod('p', { containers: [{ name: 'c', ports: [{ containerPort: 80 }] }] }), 'fits'],
  ])('%s', (_, newcomer, expected) => {
    const pods = [withPort('there', 80, {}, 'n1'), withPort('there-too', 443, { hostIP: '10.0.0.1' }, 'n1')];
    expect(verdict(hostPortsFilter, newcomer, { nodes: [node('n1')], pods })).toBe(expected);
  });
});
