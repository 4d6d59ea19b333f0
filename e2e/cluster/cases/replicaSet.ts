import { describe, expect, it, vi } from 'vitest';
import { instance } from '../../vms/manifests.ts';
import { IN_ORDER, stepsOn, type UseCluster } from '../fixture.ts';

const LABELS = { farm: 'hens' };
const SCALE = '/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstancereplicasets/farm/scale';

const set = JSON.stringify({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstanceReplicaSet',
  metadata: { name: 'farm' },
  spec: {
    replicas: 0,
    selector: { matchLabels: LABELS },
    template: {
      metadata: { labels: LABELS },
      spec: JSON.parse(instance('hen', { graceSeconds: 0, cpuRequest: '1m' })).spec,
    },
  },
});

/** One set, from nothing to twenty and down to five. */
export function replicaSetCases(cluster: UseCluster): void {
  const { create, inTheMiddle } = stepsOn(cluster);
  const counts = async (): Promise<string> => {
    const { kubectl } = cluster();
    const phases = await kubectl('get vmi -l farm=hens -o jsonpath={.items[*].status.phase}');
    const running = phases.split(' ').filter((phase) => phase === 'Running').length;
    return `${running} of ${phases === '' ? 0 : phases.split(' ').length}`;
  };

  describe.concurrent('a replica set on a cluster', () => {
    it.each([20, 5])('is scaled to %i guests', IN_ORDER, async (replicas) => {
      if (replicas === 20) await create(set);
      const body = { spec: { replicas } };
      const contentType = 'application/merge-patch+json';
      await inTheMiddle(() => cluster().client.call({ method: 'PATCH', path: SCALE, body, contentType }));
      await vi.waitFor(async () => expect(await counts()).toBe(`${replicas} of ${replicas}`), {
        timeout: 170_000,
        interval: 1000,
      });
      await cluster().kubectl.until(
        'get vmirs farm -o jsonpath={.status.replicas}',
        new RegExp(`^${replicas || '0?'}$`),
      );
    });
  });
}
