import { describe, expect, it } from 'vitest';
import { vm } from '../../vms/manifests.ts';
import { stepsOn, type UseCluster } from '../fixture.ts';

const HARVESTER = '/apis/subresources.harvesterhci.io/v1beta1/namespaces/default/virtualmachines/graphed';
const GRAPH = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/graphed/objectgraph?format=flat';

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
  readonly items: readonly { readonly objectReference: { readonly kind: string; readonly name: string } }[];
}

/** Object graphs, Harvester's actions, what admission refuses, and what RBAC does. */
export function actionCases(cluster: UseCluster): void {
  const { create, untilStatus, retried } = stepsOn(cluster);
  const act = (action: string): Promise<void> =>
    retried(() => cluster().kubectl.do(`create --raw ${HARVESTER}/${action} -f -`, { input: '{}' }));

  describe('actions on a cluster', () => {
    it('show the object graph of a VM', async () => {
      await create(claim, settings, graphed);
      await untilStatus('graphed', 'Running');
      await cluster().killExtension();
      const { items } = await retried(() => cluster().kubectl.json<FlatList>(`get --raw ${GRAPH}`));
      const kinds = items.map(({ objectReference }) => objectReference.kind);
      expect(kinds).toEqual(
        expect.arrayContaining(['virtualmachineinstances', 'pods', 'persistentvolumeclaims', 'configmaps']),
      );
    });

    it('are Harvester’s too', async () => {
      await act('pause');
      await untilStatus('graphed', 'Paused');
      await Promise.all([cluster().killLeader(), cluster().killExtension()]);
      await act('unpause');
      await untilStatus('graphed', 'Running');
      await act('stop');
      await untilStatus('graphed', 'Stopped');
    });

    it('are refused by admission, with the field', async () => {
      const input = vm('graphed', { memory: '-1Mi' });
      const refused = async () =>
        expect(await cluster().kubectl('apply -f -', { input })).toMatch(/spec\.template\.spec\.domain\.memory/);
      await retried(refused);
    });
  });

  describe('a user without rights', () => {
    const as = '--as=eve';

    it.each(['start graphed', 'console graphed', 'addvolume graphed --volume-name data'])(
      'may not: %s',
      async (command) => {
        expect(await cluster().vireo(`${command} ${as}`)).toMatch(/forbidden[\s\S]*exit code 1/i);
      },
    );

    it('may look, once bound to the role for it, and change nothing', async () => {
      const { kubectl } = cluster();
      await kubectl.do('create rolebinding eve --clusterrole=kubevirt.io:view --user=eve');
      await kubectl.until(`get vm graphed -o name ${as}`, 'virtualmachine.kubevirt.io/graphed');
      expect(await cluster().vireo(`start graphed ${as}`)).toMatch(/forbidden[\s\S]*exit code 1/i);
      expect(await kubectl(`delete vm graphed ${as}`)).toMatch(/Forbidden/);
    });
  });
}
