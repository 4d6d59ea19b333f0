import { expect, it } from 'vitest';
import { notALauncher } from './notALauncher.ts';

it.each([
  [undefined, 'create a VirtualMachine'],
  ['ReplicaSet', 'create a VirtualMachine'],
  ['DaemonSet', 'keep DaemonSet kube-proxy away from nodes with the label type=virtual-kubelet'],
])('a pod of %s is told: %s', (kind, advice) => {
  const owner = { apiVersion: 'apps/v1', kind: kind ?? '', name: 'kube-proxy', uid: 'x', controller: true };
  const { reason, message } = notALauncher({ metadata: { name: 'a', ...(kind && { ownerReferences: [owner] }) } });
  expect(reason).toBe('NotALauncherPod');
  expect(message).toContain(`this node runs virtual machines, not containers: ${advice}`);
});
