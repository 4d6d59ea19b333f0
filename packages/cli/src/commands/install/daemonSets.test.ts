import type { DaemonSet } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { exclusionCommand, reachingVirtualNodes } from './daemonSets.ts';

const daemonSet = (name: string, spec: object): DaemonSet =>
  ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'kube-system' },
    spec: { selector: {}, template: { spec: { containers: [], ...spec } } },
  }) as DaemonSet;

const everything = { tolerations: [{ operator: 'Exists' }] };
const requiring = (...nodeSelectorTerms: object[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const notVirtual = { matchExpressions: [{ key: 'type', operator: 'NotIn', values: ['virtual-kubelet'] }] };
const linux = { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] };

describe('a DaemonSet reaches the nodes of VMs', () => {
  it.each([
    ['if it tolerates everything', everything, true],
    [
      'if it tolerates every taint that keeps pods away',
      { tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }] },
      true,
    ],
    ['not if it tolerates one taint', { tolerations: [{ key: 'a', operator: 'Exists' }] }, false],
    ['not if it tolerates nothing', {}, false],
    ['not if it leaves out virtual kubelets', { ...everything, ...requiring(notVirtual) }, false],
    ['if only one of its terms does', { ...everything, ...requiring(notVirtual, linux) }, true],
    ['not if it selects another type', { ...everything, nodeSelector: { type: 'storage' } }, false],
  ])('%s', (_, spec, isFound) => {
    expect(reachingVirtualNodes([daemonSet('a', spec)])).toHaveLength(isFound ? 1 : 0);
  });

  it('until the printed patch is applied', () => {
    const command = exclusionCommand(daemonSet('kube-proxy', { ...everything, ...requiring(linux) }));
    expect(command).toMatch(/^kubectl --namespace kube-system patch daemonset kube-proxy --type merge --patch '/);
    const patch = JSON.parse(/--patch '(.*)'$/.exec(command)?.[1] ?? '');
    const patched = daemonSet('kube-proxy', { ...everything, ...patch.spec.template.spec });
    expect(JSON.stringify(patched)).toContain('kubernetes.io/os');
    expect(reachingVirtualNodes([patched])).toEqual([]);
  });
});
