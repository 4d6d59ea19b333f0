import type { Node, Persisted, Pod } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { missingDevices, withMissingDevices } from './missingDevices.ts';

const KVM = 'devices.kubevirt.io/kvm';
const node = (name: string, kvm?: string): Persisted<Node> =>
  persisted({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    status: kvm === undefined ? {} : { capacity: { [KVM]: '1000' }, allocatable: { [KVM]: kvm } },
  });
const pod = (message: string): Persisted<Pod> =>
  persisted({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'launcher' },
    spec: { containers: [{ name: 'compute', resources: { limits: { [KVM]: '1', memory: '1Gi' } } }] },
    status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] },
  });

describe('devices that a launcher waits for', () => {
  it.each([
    ['everywhere', [node('a', '1000')], undefined],
    ['nowhere', [node('a')], `no node offers ${KVM}`],
    ['broken on some', [node('b', '0'), node('a', '0'), node('c', '1000')], `${KVM} is not available on a, b`],
    [
      'broken on many',
      ['a', 'b', 'c', 'd', 'e'].map((name) => node(name, '0')),
      `${KVM} is not available on a, b, c and 2 more`,
    ],
  ])('%s', (_, nodes, expected) => {
    expect(missingDevices(pod(''), nodes)).toBe(expected);
  });

  it('are named beside the words of the scheduler', () => {
    const message = `0/1 nodes are available: 1 Insufficient ${KVM}.`;
    const explained = withMissingDevices(pod(message), () => [node('a', '0')]);
    expect(explained.status?.conditions?.[0]?.message).toBe(`${message} ${KVM} is not available on a.`);
  });

  it('are named with the reason where nodes are not ready', () => {
    const message = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
    const why = 'libvirt knows no domain of type hyperv';
    const conditions = [{ type: 'HypervisorReady', status: 'False', message: why }];
    const sick = { ...node('a', '1000'), status: { ...node('a', '1000').status, conditions } };
    const explained = withMissingDevices(pod(message), () => [sick, node('b', '1000')]);
    expect(explained.status?.conditions?.[0]?.message).toBe(`${message} VMs cannot start on a: ${why}.`);
  });

  it('are not looked for where something else is missing', () => {
    const waiting = pod('0/1 nodes are available: 1 Insufficient memory.');
    const never = () => {
      throw new Error('looked at nodes');
    };
    expect(withMissingDevices(waiting, never)).toBe(waiting);
  });
});
