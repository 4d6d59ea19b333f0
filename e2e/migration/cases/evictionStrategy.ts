import { hasEnded, PodDisruptionBudget } from '@vireo/api';
import { isFinalMigration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { guestless } from '../simulated.ts';
import type { Specs } from '../specs.ts';

const leaving = { evictionStrategy: 'LiveMigrate' } as const;

/** KubeVirt's tests/migration/eviction_strategy.go, without guests. */
export function evictionStrategySpecs(specs: () => Specs, nodes: readonly string[]): void {
  const untilMovedFrom = (name: string, source: string | undefined): Promise<Vmi> =>
    specs().untilMovedFrom(name, source);

  describe('live migration with the eviction strategy LiveMigrate', () => {
    it('[test_id:3242] the eviction API is blocked, and the VMI migrates', async () => {
      const vmi = await specs().run(guestless('evicted', leaving));
      const refused = await specs().evict(await specs().launcher(vmi));
      expect(refused?.code).toBe(429);
      await untilMovedFrom('evicted', vmi.status?.nodeName);
    });

    it('[test_id:7680] PDBs created by an old virt-controller are deleted', async () => {
      const vmi = await specs().run(guestless('budgeted', leaving));
      const { name, uid, namespace } = vmi.metadata;
      const budgets = specs().client.of(PodDisruptionBudget);
      const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name, uid, controller: true };
      const budget = await budgets.create({
        metadata: { generateName: 'kubevirt-disruption-budget-', namespace, ownerReferences: [owner] },
        spec: { minAvailable: 2, selector: { matchLabels: { 'kubevirt.io/created-by': uid } } },
      });
      await specs().until(async () => expect(await budgets.find(budget.metadata.name, { namespace })).toBeUndefined());
    });

    it('[test_id:3244] the eviction API is blocked while a slow migration is in progress', async () => {
      // 128 MiB take a second.
      const draft = await specs().policyFor(guestless('slow', leaving), { bandwidthPerMigration: '128Mi' });
      const vmi = await specs().run(draft);
      const migration = await specs().migrate(vmi);
      const pods = await specs().until(async () => {
        const all = (await specs().launchers(vmi)).filter(({ status }) => status?.phase === 'Running');
        expect(all).toHaveLength(2);
        return all;
      });
      for (const pod of pods) expect((await specs().evict(pod))?.code).toBe(429);
      let evictions = 0;
      await specs().until(async () => {
        const { status } = await specs().migration(migration);
        expect(status?.phase).not.toBe('Failed');
        for (const pod of await specs().launchers(vmi)) {
          if (pod.status?.phase !== 'Running' || hasEnded(pod) || pod.metadata.deletionTimestamp) continue;
          const { resourceVersion } = pod.metadata;
          const refused = await specs().evict(pod, { preconditions: { resourceVersion } });
          // The pod that the guest has left may have gone meanwhile.
          if (refused?.code === 409 || refused?.code === 404) continue;
          expect(refused?.code, pod.metadata.name).toBe(429);
          evictions += 1;
        }
        expect(status?.phase).toBe('Succeeded');
      });
      expect(evictions).toBeGreaterThan(3);
    });

    it('[test_id:2222] a node drain migrates a VMI when a custom taint key is configured', async () => {
      await specs().configure({ migrations: { nodeDrainTaintKey: 'kubevirt.io/alt-drain' } });
      const vmi = await specs().run(guestless('custom', leaving));
      const { nodeName = '' } = vmi.status ?? {};
      await specs().taint(nodeName, 'kubevirt.io/alt-drain');
      await untilMovedFrom('custom', nodeName);
    });

    it('[test_id:2224] a node drain handles a mixture of VMs with different eviction strategies', async () => {
      const vms = specs().client.of(VirtualMachine);
      const { namespace } = specs();
      // KubeVirt's spec prefers one node for all of them by their affinity.
      const [node = ''] = nodes;
      const hostname = (operator: string) => ({
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 100,
              preference: { matchExpressions: [{ key: 'kubernetes.io/hostname', operator, values: [node] }] },
            },
          ],
        },
      });
      for (const [name, evictionStrategy] of Object.entries({
        'evict-1': 'LiveMigrate',
        'evict-2': 'LiveMigrate',
        'no-evict': 'None',
      }))
        await vms.create({
          metadata: { name, namespace },
          spec: {
            runStrategy: 'Always',
            template: { spec: guestless(name, { evictionStrategy, affinity: hostname('In') }).spec },
          },
        });
      for (const name of ['evict-1', 'evict-2', 'no-evict'])
        expect((await specs().until(() => specs().running(name))).status?.nodeName).toBe(node);
      const drained = await specs().drain(node);
      for (const name of ['evict-1', 'evict-2']) await untilMovedFrom(name, node);
      // It was shut down, and started on another node.
      const other = await specs().until(async () => {
        const vmi = await specs().vmi('no-evict');
        expect(vmi.status?.phase).toBe('Running');
        expect(vmi.status?.nodeName).not.toBe(node);
        return vmi;
      });
      expect(other.status?.migrationState).toBeUndefined();
      await drained();
    });

    it('[test_id:3245] not more than two VMIs migrate from a node at the same time', async () => {
      const label = { 'test.vireo.dev/pool': 'target' };
      const [source = '', target = ''] = nodes;
      await specs().patchNode(source, { labels: label });
      // The memory of each is copied for half a second.
      await specs().configure({ migrations: { bandwidthPerMigration: '256Mi' } });
      const names = ['one', 'two', 'three', 'four'];
      await Promise.all(names.map((name) => specs().run(guestless(name, { ...leaving, nodeSelector: label }))));
      await specs().patchNode(target, { labels: label });
      await specs().taint(source, 'kubevirt.io/drain');
      const isRunning = ({ status }: Awaited<ReturnType<Specs['migrations']>>[number]): boolean =>
        !isFinalMigration({ status } as Parameters<typeof isFinalMigration>[0]) &&
        !['', 'Pending'].includes(status?.phase ?? '');
      let most = 0;
      await specs().until(async () => {
        const running = (await specs().migrations()).filter(isRunning).length;
        expect(running <= 2 || 'more than two at once').toBe(true);
        most = Math.max(most, running);
        const placed = await Promise.all(names.map(async (name) => (await specs().vmi(name)).status?.nodeName));
        expect(placed).toEqual(names.map(() => target));
      });
      expect(most).toBe(2);
      for (const name of names)
        await specs().until(async () => {
          const vmi = await specs().vmi(name);
          const { podIP, podIPs = [] } = (await specs().launcher(vmi)).status ?? {};
          expect(podIP).toBeTruthy();
          expect(podIPs.map(({ ip }) => ip)).toContain(podIP);
        });
    });
  });

  describe('live migration with a cluster-wide eviction strategy LiveMigrate', () => {
    it('[test_id:10155] the eviction API is blocked and the VMI migrates if it has no eviction strategy', async () => {
      await specs().configure({ evictionStrategy: 'LiveMigrate' });
      const vmi = await specs().run(guestless('without'));
      expect((await specs().evict(await specs().launcher(vmi)))?.code).toBe(429);
      await untilMovedFrom('without', vmi.status?.nodeName);
    });

    it('[test_id:10156] a VMI with the eviction strategy None is evicted', async () => {
      await specs().configure({ evictionStrategy: 'LiveMigrate' });
      const vmi = await specs().run(guestless('none', { evictionStrategy: 'None' }));
      expect(await specs().evict(await specs().launcher(vmi))).toBeUndefined();
      expect((await specs().vmi('none')).status?.evacuationNodeName ?? '').toBe('');
    });
  });
}
