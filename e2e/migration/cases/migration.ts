import { isReason, Node, Pod, ResourceQuota } from '@vireo/api';
import {
  BLOCKED_TARGET_ANNOTATION,
  FORCED_FAILURE_ANNOTATION,
  TARGET_IMAGE_ANNOTATION,
} from '@vireo/api/kinds/kubevirt/migration.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { guestless } from '../simulated.ts';
import { conditionOf, type Specs } from '../specs.ts';
import { cancelSpecs } from './cancel.ts';

const failing = { annotations: { [FORCED_FAILURE_ANNOTATION]: '' } };
const FAILED_FOR_TEST = 'Failed migration to satisfy functional test condition';

/** KubeVirt's tests/migration/migration.go: what does not depend on a guest. */
export function migrationSpecs(specs: () => Specs, nodes: readonly string[]): void {
  describe('live migration', () => {
    it('a VMI with the eviction strategy LiveMigrateIfPossible migrates', async () => {
      const vmi = await specs().run(guestless('possible', { evictionStrategy: 'LiveMigrateIfPossible' }));
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
    });

    it('the VMI status has the migrationConfiguration of its MigrationState', async () => {
      const vmi = await specs().run(guestless('configured'));
      const moved = await specs().confirmMigrated(vmi, await specs().migrated(vmi));
      expect(moved.status?.migrationState?.migrationConfiguration).toMatchObject({ completionTimeoutPerGiB: 150 });
    });

    it.each([
      ['a migration policy overrides the cluster-wide policy if it is defined', true],
      ['a migration policy does not affect the cluster-wide policy if it is not defined', false],
    ])('%s', async (_, hasPolicy) => {
      await specs().configure({ migrations: { allowAutoConverge: true } });
      const draft = guestless('governed');
      const vmi = await specs().run(hasPolicy ? await specs().policyFor(draft, { allowAutoConverge: false }) : draft);
      const moved = await specs().confirmMigrated(vmi, await specs().migrated(vmi));
      const { migrationConfiguration, migrationPolicyName } = moved.status?.migrationState ?? {};
      expect(migrationConfiguration?.allowAutoConverge).toBe(!hasPolicy);
      expect(migrationPolicyName).toBe(hasPolicy ? `policy-${specs().namespace}` : undefined);
    });

    it('there is always a single active migration per VMI', async () => {
      const vmi = await specs().run(guestless('single'));
      let created = 0;
      const another = async (): Promise<void> => {
        // Most are rejected, because another one runs.
        await specs()
          .migrate(vmi)
          .then(() => created++)
          .catch((error: unknown) => {
            if (!isReason(error, 'BadRequest')) throw error;
          });
        const active = (await specs().migrations()).filter(({ status }) =>
          ['Scheduled', 'PreparingTarget', 'TargetReady', 'Running'].includes(status?.phase ?? ''),
        );
        expect(active.length).toBeLessThanOrEqual(1);
      };
      await specs().consistently(another, 30);
      // On a busy host one migration takes longer than that.
      while (created < 2) await another();
    });

    it('a migration has a condition when a quota has no resources for both source and target', async () => {
      const vmi = await specs().run(guestless('frugal'));
      const { spec } = await specs().launcher(vmi);
      const memory = String(spec?.containers[0]?.resources?.requests?.memory);
      const quotas = specs().client.of(ResourceQuota);
      const { namespace } = specs();
      await quotas.create({
        metadata: { name: 'test-quota', namespace },
        spec: { hard: { 'requests.memory': memory } },
      });
      await specs().until(async () => {
        const { status } = await quotas.get('test-quota', { namespace });
        expect(status?.used?.['requests.memory']).toBe(memory);
      });
      const migration = await specs().migrate(vmi);
      await specs().until(async () => {
        const condition = conditionOf(await specs().migration(migration), 'migrationRejectedByResourceQuota');
        expect(condition?.status).toBe('True');
      });
    });

    it('a migration goes with its VMI, and so do both pods', async () => {
      const vmi = await specs().slow(guestless('doomed'));
      const migration = await specs().migrate(vmi);
      await specs().untilPhase(migration, 'Running');
      await specs().client.of(Vmi).delete('doomed', { namespace: specs().namespace });
      await specs().gone(migration);
      await specs().until(async () => expect(await specs().launchers(vmi)).toEqual([]));
    });
  });

  describe('a pending target pod', () => {
    it('an unschedulable migration is cancelled after a timeout period', async () => {
      const [node = ''] = nodes;
      const vmi = await specs().run(guestless('homely', { nodeSelector: { 'kubernetes.io/hostname': node } }));
      const annotations = { 'kubevirt.io/migrationUnschedulablePodTimeoutSeconds': '4' };
      const migration = await specs().migrate(vmi, { annotations });
      await specs().expectEvent(migration, 'Warning', 'migrationTargetPodUnschedulable');
      expect((await specs().migration(migration)).status?.phase).not.toBe('Failed');
      await specs().untilPhase(migration, 'Failed');
    });

    it('a pending target pod is cancelled after a catch-all timeout period', async () => {
      const vmi = await specs().run(guestless('waiting'));
      const migration = await specs().migrate(vmi, {
        annotations: {
          'kubevirt.io/migrationPendingPodTimeoutSeconds': '4',
          [TARGET_IMAGE_ANNOTATION]: 'registry.example/some-fake-image:none',
        },
      });
      await specs().untilPhase(migration, 'Scheduling');
      const target = (await specs().launchers(vmi)).find(({ status }) => status?.phase === 'Pending');
      expect(target?.spec?.containers[0]?.image).toBe('registry.example/some-fake-image:none');
      await specs().untilPhase(migration, 'Failed');
    });

    it('a migration whose target pod cannot be scheduled can be aborted', async () => {
      const vmi = await specs().run(guestless('stuck'));
      for (const node of nodes.filter((each) => each !== vmi.status?.nodeName))
        await specs()
          .client.of(Node)
          .patch(node, { spec: { unschedulable: true } }, { type: 'merge' });
      const migration = await specs().migrate(vmi);
      await specs().untilPhase(migration, 'Scheduling');
      await specs().consistently(
        async () => expect((await specs().migration(migration)).status?.phase).toBe('Scheduling'),
        60,
      );
      const pods = await specs().launchers(vmi);
      expect(pods.map(({ status }) => status?.phase).toSorted()).toEqual(['Pending', 'Running']);
      await specs().deleteMigration(migration);
      await specs().gone(migration);
      expect((await specs().launcher(vmi)).status?.phase).toBe('Running');
      await specs().consistently(
        async () => expect((await specs().vmi('stuck')).status?.migrationState).toBeUndefined(),
        30,
      );
    });
  });

  describe('migration monitor', () => {
    it('old finalized migrations are garbage collected', async () => {
      const vmi = await specs().run(guestless('unlucky', {}, failing));
      for (let i = 0; i < 10; i += 1) {
        const migration = await specs().notMigrated(vmi, { name: `unlucky-iter-${i}` });
        const stayed = await specs().confirmFailed(vmi, migration);
        expect(stayed.status?.migrationState?.failureReason).toContain(FAILED_FOR_TEST);
        await specs().untilTargetEnded(vmi);
      }
      await specs().until(async () => expect(await specs().migrations()).toHaveLength(5));
    });

    it('[test_id:6979] the target pod exits after a failed migration', async () => {
      const vmi = await specs().run(guestless('failing', {}, failing));
      const stayed = await specs().confirmFailed(vmi, await specs().notMigrated(vmi));
      expect(stayed.status?.migrationState?.failureReason).toContain(FAILED_FOR_TEST);
      await specs().untilTargetEnded(vmi);
    });

    it('[test_id:6980] a migration fails if its target pod fails during target preparation', async () => {
      const vmi = await specs().run(guestless('blocked', {}, { annotations: { [BLOCKED_TARGET_ANNOTATION]: '' } }));
      const migration = await specs().migrate(vmi);
      await specs().untilPhase(migration, 'PreparingTarget');
      const { targetPod = '' } = (await specs().vmi('blocked')).status?.migrationState ?? {};
      await specs().client.of(Pod).delete(targetPod, { namespace: specs().namespace });
      await specs().until(async () => {
        const { migrationState: state } = (await specs().vmi('blocked')).status ?? {};
        expect(state).toMatchObject({ failed: true, completed: true });
        expect(state?.startTimestamp).toBeTruthy();
        expect(state?.endTimestamp).toBeTruthy();
      });
    });
  });

  // They have 128 MiB.
  cancelSpecs(specs, guestless, '128Mi');
}
