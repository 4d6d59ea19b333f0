import type { Node } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { failedChecks, nodeState } from './readiness.ts';

it('names the checks that failed', () => {
  expect(
    failedChecks('[+]ping ok\n[-]node failed: libvirtd does not answer\n[-]store failed\nreadyz check failed\n'),
  ).toEqual(['node: libvirtd does not answer', 'store']);
  expect(failedChecks('gateway timeout\n')).toEqual(['gateway timeout']);
});

it('reads what a node says of itself', () => {
  const node = (runtime: string, conditions: { type: string; status: string; message?: string }[]) =>
    persisted<Node>({
      ...{ apiVersion: 'v1', kind: 'Node' },
      metadata: { name: 'host' },
      status: { conditions, nodeInfo: { containerRuntimeVersion: runtime } as NonNullable<Node['status']>['nodeInfo'] },
    });
  const emulating = { type: 'SoftwareEmulation', status: 'True' };
  const ready = { type: 'Ready', status: 'True' };
  const unready = { type: 'Ready', status: 'False', message: 'no' };
  const known = { name: 'host', libvirt: '9.0.0' };
  expect(nodeState(node('containerd://1.7', [ready]))).toBeUndefined();
  expect(nodeState(node('libvirt://9.0.0', [ready]))).toEqual({ ...known, ready: true, virtualization: 'kvm' });
  expect(nodeState(node('libvirt://9.0.0', [unready, emulating]))).toEqual({
    ...known,
    ready: false,
    problem: 'no',
    virtualization: 'emulation',
  });
});
