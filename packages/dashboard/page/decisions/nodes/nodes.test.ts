import { expect, it } from 'vitest';
import { vmiRow } from '../machine.ts';
import { answerTo, drainText, podsToEvict } from './drain.ts';
import { guestsOfPath } from './guest.ts';
import { groupLabels } from './labels.ts';
import { cpusOf, devicesOf, nodeBadges, nodeChecks, nodeRow } from './node.ts';
import { usageByNode, usageOf } from './usage.ts';

const ready = { type: 'Ready', status: 'True' };
const node = (more: object = {}) =>
  nodeRow({
    metadata: { name: 'n1', labels: { 'kubevirt.io/schedulable': 'true' } },
    status: { conditions: [ready] },
    ...more,
  });

it.each([
  [{}, ['Ready']],
  [{ spec: { unschedulable: true } }, ['Ready', 'Cordoned']],
  [{ status: {} }, ['Not ready']],
  [{ metadata: { name: 'n1' } }, ['Ready', 'Takes no guests']],
])('%j is %j', (more, badges) => {
  expect(nodeBadges(node(more)).map(({ text }) => text)).toEqual(badges);
});

it.each([
  [{ 'harvesterhci.io/drain-requested': 'true' }, 'entering'],
  [{ 'harvesterhci.io/maintain-status': 'running' }, 'entering'],
  [{ 'harvesterhci.io/maintain-status': 'completed' }, 'on'],
  [{}, 'none'],
])('%j: maintenance is %s', (annotations, maintenance) => {
  expect(node({ metadata: { name: 'n1', annotations } }).maintenance).toBe(maintenance);
});

it('a pressure is bad when it is there, readiness when it is not', () => {
  const low = { type: 'MemoryPressure', status: 'True', message: 'low' };
  const checks = nodeChecks([{ type: 'RoutedPodNetwork', status: 'True' }, ready, low]);
  expect(checks.map(({ type, verdict }) => [type, verdict])).toEqual([
    ['MemoryPressure', 'bad'],
    ['Ready', 'good'],
    ['RoutedPodNetwork', 'neutral'],
  ]);
});

it('processors and devices are read from quantities', () => {
  expect([cpusOf('2'), cpusOf('1500m'), cpusOf(undefined)]).toEqual([2, 1.5, 0]);
  const status = { capacity: { cpu: '2', 'devices.kubevirt.io/kvm': '1k' }, allocatable: { cpu: '2' } };
  expect(devicesOf({ metadata: { name: 'n1' }, status })).toEqual([
    { name: 'devices.kubevirt.io/kvm', allocatable: '0', capacity: '1k' },
  ]);
});

it('labels of the node labeller are folded', () => {
  expect(groupLabels({ 'cpu-feature.node.kubevirt.io/aes': 'true', zone: 'a', mark: '' })).toEqual({
    own: ['mark', 'zone=a'],
    folded: [{ title: 'CPU features', labels: ['aes'] }],
  });
});

it('guests that have ended use nothing', () => {
  const vmi = (name: string, phase: string) =>
    vmiRow({
      metadata: { name },
      spec: { domain: { cpu: { cores: 2 }, memory: { guest: '1Gi' } } },
      status: { phase, nodeName: 'n1' },
    });
  const usage = usageByNode([vmi('a', 'Running'), vmi('b', 'Running'), vmi('c', 'Failed')]);
  expect(usageOf(usage, 'n1')).toEqual({ machines: 2, cpus: 4, memoryBytes: 2 ** 31 });
  expect(usageOf(usage, 'n2').machines).toBe(0);
});

it('a drain leaves what belongs to the node', () => {
  const pod = (name: string, more: object = {}) => ({ metadata: { name, ...more } });
  const daemon = pod('d', { ownerReferences: [{ kind: 'DaemonSet', name: 'x', controller: true }] });
  const ended = { ...pod('e'), status: { phase: 'Failed' } };
  expect(
    podsToEvict([pod('a'), daemon, ended, pod('m', { annotations: { 'kubernetes.io/config.mirror': 'x' } })]),
  ).toEqual([pod('a')]);
  expect([undefined, 404, 429, 403].map((code) => answerTo(code, 'no').state)).toEqual([
    'asked',
    'gone',
    'asked',
    'failed',
  ]);
  expect(drainText([{ key: 'a', namespace: '', name: 'a', state: 'gone' }])).toBe('1 of 1 pod has left.');
});

it('a page of a node reads the guests of that node only', () => {
  const all = '/apis/kubevirt.io/v1/virtualmachineinstances';
  expect(guestsOfPath('node-1')).toBe(`${all}?labelSelector=kubevirt.io%2FnodeName%3Dnode-1`);
  expect(guestsOfPath(`${'long.'.repeat(14)}example`)).toBe(all);
});
