import type { Node, Pod } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import type { Vmi } from '../kinds.ts';
import { machineSamples, nodeSamples } from './samples.ts';

const node: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'a' },
  status: { allocatable: { cpu: '1500m', memory: '1Ki', 'devices.kubevirt.io/kvm': '1k' } },
};
const vmi = (uid: string, phase: string, nodeName?: string): Vmi => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: uid, uid },
  spec: { domain: { devices: {} } },
  status: { phase, ...(nodeName && { nodeName }) },
});
const launcher = (uid: string, ...words: string[]): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { labels: { 'kubevirt.io/created-by': uid } },
  spec: { containers: [{ name: 'compute', command: ['launcher', '--hypervisor', ...words] }] },
});

describe('metrics', () => {
  it('of what nodes can give away have the names of kube-state-metrics', () => {
    expect([...nodeSamples([node], 'allocatable')]).toEqual([
      { labels: ['a', 'cpu', 'core'], value: 1.5 },
      { labels: ['a', 'memory', 'byte'], value: 1024 },
      { labels: ['a', 'devices_kubevirt_io_kvm', 'integer'], value: 1000 },
    ]);
  });

  it('of machines tell what really runs them', () => {
    const vmis = [vmi('1', 'Running', 'a'), vmi('2', 'Running', 'a'), vmi('3', 'Running', 'a'), vmi('4', 'Pending')];
    const pods = [launcher('1', 'kvm'), launcher('2', 'kvm'), launcher('3', 'kvm', '--allow-emulation')];
    expect(machineSamples(vmis, pods)).toEqual([
      { labels: ['a', 'Running', 'kvm'], value: 2 },
      { labels: ['a', 'Running', 'qemu'], value: 1 },
      { labels: ['', 'Pending', ''], value: 1 },
    ]);
  });
});
