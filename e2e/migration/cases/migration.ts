import { isReason, Node, Pod, ResourceQuota } from '@vireo/api';
import {
  BLOCKED_TARGET_ANNOTATION,
  FORCED_FAILURE_ANNOTATION,
  type Migration,
  TARGET_IMAGE_ANNOTATION,
} from '@vireo/api/kinds/kubevirt/migration.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { guestless } from '../simulated.ts';
import { conditionOf, type Specs } from '../specs.ts';

const failing = { annotations: { [FORCED_FAILURE_ANNOTATION]: '' } };
const FAILED_FOR_TEST = 'Failed migration to satisfy functional test condition';

/** KubeVirt's tests/migration/migration.go: what does not depend on a guest. */
export function migrationSpecs(specs: () => Specs, nodes: readonly string[]): void {
  /** A VMI whose migration goes on until somebody ends it. */
  const slow = async (name: string): Promise<Vmi> =>
    specs().run(await specs().policyFor(guestless(name), { bandwidthPerMigration: '1Ki' }));
  /** Both ways to cancel a migration. */
  const CANCELS: readonly [string, (migration: Migration, vmi: Vmi) => Promise<unknown>][] = [
    ['by deleting the vmim object', (migration) => specs().deleteMigration(migration)],
    ['with virtctl', (_, { metadata }) => specs().vireo(`migrate-cancel ${metadata.name}`)],
  ];
  const cancelSpecs = (
    title: string,
    ids: readonly number[],
    check: (cancel: (typeof CANCELS)[number][1]) => Promise<void>,
  ) => {
    for (const [index, [how, cancel]] of CANCELS.entries())
      it(`[test_id:${ids[index]}] ${title} ${how}`, () => check(cancel));
  };

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

    it('[test_id:6974] additional migrations of a VMI are rejected while the first one is not finished', async () => {
      // 128 MiB take a second.
      const draft = await specs().policyFor(guestless('busy'), { bandwidthPerMigration: '128Mi' });
      const vmi = await specs().run(draft);
      const first = await specs().migrate(vmi);
      const others = await Promise.allSettled(Array.from({ length: 10 }, () => specs().migrate(vmi)));
      const text =
        'admission webhook "migration-create-validator.kubevirt.io" denied the request: in-flight migration detected.';
      for (const other of others) {
        expect(other.status).toBe('rejected');
        expect(String((other as PromiseRejectedResult).reason.message)).toContain(text);
      }
      await specs().untilPhase(first, 'Succeeded');
    });

    it('there is always a single active migration per VMI', async () => {
      const vmi = await specs().run(guestless('single'));
      let created = 0;
      await specs().consistently(async () => {
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
      }, 30);
      expect(created).toBeGreaterThan(1);
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
      const vmi = await slow('doomed');
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

  describe('live migration cancellation', () => {
    cancelSpecs('a migration that runs can be cancelled,', [2226, 2228], async (cancel) => {
      const vmi = await slow('called-off');
      const migration = await specs().untilPhase(await specs().migrate(vmi), 'Running');
      expect((await specs().vmi('called-off')).status?.migrationState?.completed ?? false).toBe(false);
      await cancel(migration, vmi);
      await specs().confirmAborted(vmi, migration);
      await specs().gone(migration);
    });

    cancelSpecs('a migration can be cancelled as soon as it runs,', [3241, 8583], async (cancel) => {
      const vmi = await slow('called-off');
      const source = await specs().launcher(vmi);
      const migration = await specs().untilPhase(await specs().migrate(vmi), 'Running');
      await cancel(migration, vmi);
      await specs().confirmAborted(vmi, migration);
      await specs().until(async () => {
        const pods = await specs().launchers(vmi);
        expect(pods.length).toBeLessThanOrEqual(2);
        const phases = pods
          .filter(({ metadata }) => metadata.name !== source.metadata.name)
          .map(({ status }) => status?.phase);
        for (const phase of phases) expect(['Succeeded', 'Failed']).toContain(phase);
      });
      await specs().gone(migration);
    });

    cancelSpecs('a migration can be cancelled before it runs,', [8584, 8585], async (cancel) => {
      // It waits for its turn until it is cancelled.
      await specs().configure({ migrations: { parallelMigrationsPerCluster: 0 } });
      const vmi = await slow('called-off');
      const migration = await specs().migrate(vmi);
      await cancel(migration, vmi);
      await specs().gone(migration);
      const { migrationState, phase, nodeName } = (await specs().vmi('called-off')).status ?? {};
      expect(migrationState).toBeUndefined();
      expect({ phase, nodeName }).toEqual({ phase: 'Running', nodeName: vmi.status?.nodeName });
    });
  });
}
