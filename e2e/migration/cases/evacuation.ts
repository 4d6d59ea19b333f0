import { Event, Pod } from '@vireo/api';
import { FORCED_FAILURE_ANNOTATION } from '@vireo/api/kinds/kubevirt/migration.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { guestless } from '../simulated.ts';
import { conditionOf, isWhole, type Specs } from '../specs.ts';

const IN_PROGRESS = 'descheduler.alpha.kubernetes.io/eviction-in-progress';
const EVACUATION = { 'kubevirt.io/evacuationMigration': 'somewhere' };
const leaving = { evictionStrategy: 'LiveMigrate' } as const;
const failing = { annotations: { [FORCED_FAILURE_ANNOTATION]: '' } };
const REQUESTED = {
  type: 'EvictionRequested',
  status: 'True',
  reason: 'EvictionRequested',
  message: 'VMI is marked for eviction',
};

/** KubeVirt's tests/migration/evacuation.go. */
export function evacuationSpecs(specs: () => Specs): void {
  const vmi = () => specs().vmi('leaving');

  describe('live migration triggered by evacuation', () => {
    it('the source virt-launcher pod gets the annotation eviction-in-progress', async () => {
      const started = await specs().run(guestless('leaving', leaving));
      const source = await specs().launcher(started);
      const pods = specs().client.of(Pod);
      await specs().evacuate(started);
      // It is there until the guest has left, with the pod.
      await specs().until(async () => {
        const pod = await pods.find(source.metadata.name, { namespace: specs().namespace });
        expect(pod?.metadata.annotations).toHaveProperty([IN_PROGRESS]);
      });
      await specs().until(async () => {
        const migrations = await specs().migrations();
        expect(migrations.map(({ status }) => status?.phase)).toEqual(['Succeeded']);
      });
      const target = await specs().launcher(started);
      expect(target.metadata.name).not.toBe(source.metadata.name);
      expect(target.metadata.annotations).not.toHaveProperty([IN_PROGRESS]);
    });

    it('when evacuating fails, the source virt-launcher pod keeps the annotation eviction-in-progress', async () => {
      const started = await specs().run(guestless('leaving', leaving, failing));
      const source = await specs().launcher(started);
      await specs().evacuate(started);
      await specs().until(async () => {
        const phases = (await specs().migrations()).map(({ status }) => status?.phase);
        // The next one is there at once, and waits for 20 seconds.
        expect(phases).toContain('Failed');
        expect(phases).not.toContain('Succeeded');
      });
      const pods = specs().client.of(Pod);
      const at = { namespace: specs().namespace };
      await specs().consistently(async () => {
        const { metadata } = await pods.get(source.metadata.name, at);
        expect(metadata.annotations).toHaveProperty([IN_PROGRESS]);
      }, 30);
      const { targetPod } = (await vmi()).status?.migrationState ?? {};
      expect(targetPod).toBeTruthy();
      const target = await pods.get(targetPod ?? '', at);
      expect(target.metadata.annotations).not.toHaveProperty([IN_PROGRESS]);
    });

    it.runIf(isWhole)('when evacuating fails, retrying immediately is blocked by the migration backoff', async () => {
      const started = await specs().run(guestless('leaving', leaving, failing));
      await specs().notMigrated(started, { annotations: EVACUATION });
      await specs().notMigrated(started, { annotations: EVACUATION });
      await specs().expectEvent(started, 'Warning', 'MigrationBackoff');
    });

    it.runIf(isWhole)('when evacuating fails, the backoff is cleared after a successful migration', async () => {
      const started = await specs().run(guestless('leaving', leaving, failing));
      await specs().notMigrated(started, { annotations: EVACUATION });
      const path = `/metadata/annotations/${FORCED_FAILURE_ANNOTATION.replaceAll('/', '~1')}`;
      const at = { namespace: specs().namespace, type: 'json' } as const;
      await specs()
        .client.of(Vmi)
        .patch('leaving', [{ op: 'remove', path }], at);
      await specs().migrated(started, { annotations: EVACUATION });
      for (const { metadata } of await specs().events(started, 'Warning', 'MigrationBackoff'))
        await specs().client.of(Event).delete(metadata.name, { namespace: specs().namespace });
      await specs().migrated(started, { annotations: EVACUATION });
      expect(await specs().events(started, 'Warning', 'MigrationBackoff')).toEqual([]);
    });

    it('a VMI that is marked for eviction has the condition EvictionRequested', async () => {
      const started = await specs().run(guestless('leaving', leaving));
      const { spec } = await specs().launcher(started);
      expect(conditionOf(started, 'EvictionRequested')).toBeUndefined();
      // It would be gone before anybody has read it.
      await specs().configure({ migrations: { parallelMigrationsPerCluster: 0 } });
      await specs().evacuate(started);
      await specs().until(async () => expect(conditionOf(await vmi(), 'EvictionRequested')).toMatchObject(REQUESTED));
      expect((await vmi()).status?.evacuationNodeName).toBe(spec?.nodeName);
      await specs().configure({ migrations: null });
      await specs().until(async () => expect((await vmi()).status?.migrationState?.completed).toBe(true));
      await specs().until(async () => expect(conditionOf(await vmi(), 'EvictionRequested')).toBeUndefined());
      expect((await vmi()).status?.evacuationNodeName).toBeFalsy();
    });

    it('a VMI keeps the condition EvictionRequested when its migration fails', async () => {
      const started = await specs().run(guestless('leaving', leaving, failing));
      const { spec } = await specs().launcher(started);
      await specs().evacuate(started);
      await specs().until(async () => expect(conditionOf(await vmi(), 'EvictionRequested')).toMatchObject(REQUESTED));
      await specs().until(async () => expect((await vmi()).status?.migrationState?.failed).toBe(true));
      await specs().consistently(
        async () => expect(conditionOf(await vmi(), 'EvictionRequested')).toMatchObject(REQUESTED),
        10,
      );
      expect((await vmi()).status?.evacuationNodeName).toBe(spec?.nodeName);
    });

    it('migrations are not created again after evacuate-cancel', async () => {
      const draft = await specs().policyFor(guestless('leaving', leaving), { bandwidthPerMigration: '1Ki' });
      const started = await specs().run(draft);
      await specs().evacuate(started);
      await specs().until(async () => expect(await specs().migrations()).toHaveLength(1));
      const { namespace, client } = specs();
      const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/leaving/evacuate/cancel`;
      await client.call({ method: 'PUT', path, body: { evacuationNodeName: started.status?.nodeName } });
      await specs().until(async () => expect((await vmi()).status?.evacuationNodeName).toBeFalsy());
      await specs().until(async () => {
        const migrations = await specs().migrations();
        for (const migration of migrations) await specs().deleteMigration(migration);
        expect(migrations).toEqual([]);
      });
      await specs().consistently(async () => expect(await specs().migrations()).toEqual([]), 10);
    });
  });

  describe('eviction (tests/compute/eviction.go)', () => {
    it('the eviction of a VMI with the strategy External does not shut it down', async () => {
      const started = await specs().run(guestless('leaving', { evictionStrategy: 'External' }));
      const pod = await specs().launcher(started);
      const options = { preconditions: { uid: pod.metadata.uid }, gracePeriodSeconds: 0 };
      const first = await specs().evict(pod, options);
      expect(first?.code).toBe(429);
      expect(first?.message).toContain('Eviction triggered evacuation of VMI');
      await specs().until(async () => expect((await vmi()).status?.evacuationNodeName).toBeTruthy());
      for (let again = 0; again < 3; again += 1) {
        const refused = await specs().evict(pod, options);
        expect(refused?.code).toBe(429);
        expect(refused?.message).toContain('Evacuation in progress');
      }
      const { phase, nodeName } = (await vmi()).status ?? {};
      expect({ phase, nodeName }).toEqual({ phase: 'Running', nodeName: started.status?.nodeName });
      expect(await specs().migrations()).toEqual([]);
    });
  });
}
