import { describe, expect, it } from 'vitest';
import { vm } from '../../vms/manifests.ts';
import { IN_ORDER, stepsOn, type UseCluster, vmPath } from '../fixture.ts';
import { ON_ITS_WAY } from '../kills.ts';

const HARVESTER = '/apis/subresources.harvesterhci.io/v1beta1/namespaces/default/virtualmachines/graphed';

const claim = JSON.stringify({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } },
});
const settings = JSON.stringify({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data: { mode: 'quiet' },
});
const graphed = vm('graphed', {
  volumes: [
    { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'settings', configMap: { name: 'settings' } },
  ],
});

interface FlatList {
  readonly items: readonly { readonly objectReference: { readonly kind: string } }[];
}

/** The object graph, Harvester's actions, and what admission refuses. */
export function actionCases(cluster: UseCluster): void {
  const { create, untilStatus, inTheMiddle } = stepsOn(cluster);
  const harvester = (action: string) => (): Promise<unknown> =>
    cluster().client.call({ method: 'POST', path: `${HARVESTER}/${action}`, body: {} });

  describe.concurrent('the actions of a VM on a cluster', () => {
    it('show its object graph', IN_ORDER, async () => {
      await create(claim, settings, graphed);
      await untilStatus('graphed', 'Running');
      const graph = (): Promise<unknown> =>
        cluster().client.call({ method: 'GET', path: `${vmPath('graphed')}/objectgraph`, query: { format: 'flat' } });
      const { items } = (await inTheMiddle(graph, ON_ITS_WAY)) as FlatList;
      const kinds = items.map(({ objectReference }) => objectReference.kind);
      expect(kinds).toEqual(
        expect.arrayContaining(['virtualmachineinstances', 'pods', 'persistentvolumeclaims', 'configmaps']),
      );
    });

    it.each([
      ['pause', 'Paused'],
      ['unpause', 'Running'],
      ['stop', 'Stopped'],
    ])('of Harvester: %s', IN_ORDER, async (action, status) => {
      await inTheMiddle(harvester(action), { done: /not paused|already paused|not running/i });
      await untilStatus('graphed', status);
    });

    it('are refused by admission, which names the field', IN_ORDER, async () => {
      const [path] = vmPath('unfit').replace('subresources.', '').split('/unfit');
      const body = JSON.parse(vm('unfit', { memory: '-1Mi' }));
      const refusal = async (): Promise<string> => {
        const error = await cluster()
          .client.call({ method: 'POST', path: path ?? '', body })
          .then(
            () => new Error('it was created'),
            (problem: Error) => problem,
          );
        expect(error.message).toMatch(/spec\.template\.spec\.domain\.memory/);
        return error.message;
      };
      await inTheMiddle(refusal, ON_ITS_WAY);
      expect(await cluster().kubectl('get vm unfit')).toContain('NotFound');
    });
  });
}
