import type { Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Draft } from '@vireo/kube';
import { describe, expect, it } from 'vitest';
import type { Specs } from '../specs.ts';

/** A VMI of that name, without a guest or with one. */
export type Drafts = (name: string, spec?: Partial<Vmi['spec']>) => Draft<Vmi>;

/**
 * Specs of KubeVirt's tests/migration/migration.go and eviction_strategy.go for any sort of guest. `aSecond`: the
 * bandwidth at which its migration takes about so long.
 */
export function cancelSpecs(specs: () => Specs, draft: Drafts, aSecond: string): void {
  /** Both ways to cancel a migration. */
  const CANCELS: readonly [string, (migration: Migration, vmi: Vmi) => Promise<unknown>][] = [
    ['by deleting the vmim object', (migration) => specs().deleteMigration(migration)],
    ['with virtctl', (_, { metadata }) => specs().vireo(`migrate-cancel ${metadata.name}`)],
  ];
  const cancelled = (
    title: string,
    ids: readonly number[],
    check: (cancel: (typeof CANCELS)[number][1]) => Promise<void>,
  ) => {
    for (const [index, [how, cancel]] of CANCELS.entries())
      it(`[test_id:${ids[index]}] ${title} ${how}`, () => check(cancel));
  };

  describe('live migration cancellation', () => {
    cancelled('a migration that runs can be cancelled,', [2226, 2228], async (cancel) => {
      const vmi = await specs().slow(draft('called-off'));
      const migration = await specs().untilPhase(await specs().migrate(vmi), 'Running');
      expect((await specs().vmi('called-off')).status?.migrationState?.completed ?? false).toBe(false);
      await cancel(migration, vmi);
      await specs().confirmAborted(vmi, migration);
      await specs().gone(migration);
    });

    cancelled('a migration can be cancelled as soon as it runs,', [3241, 8583], async (cancel) => {
      const vmi = await specs().slow(draft('called-off'));
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

    cancelled('a migration can be cancelled before it runs,', [8584, 8585], async (cancel) => {
      // It waits for its turn until it is cancelled.
      await specs().configure({ migrations: { parallelMigrationsPerCluster: 0 } });
      const vmi = await specs().slow(draft('called-off'));
      const migration = await specs().migrate(vmi);
      await cancel(migration, vmi);
      await specs().gone(migration);
      const { migrationState, phase, nodeName } = (await specs().vmi('called-off')).status ?? {};
      expect(migrationState).toBeUndefined();
      expect({ phase, nodeName }).toEqual({ phase: 'Running', nodeName: vmi.status?.nodeName });
    });
  });

  describe('live migration of one VMI', () => {
    it('[test_id:6974] additional migrations of a VMI are rejected while the first one is not finished', async () => {
      const vmi = await specs().run(await specs().policyFor(draft('busy'), { bandwidthPerMigration: aSecond }));
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

    it('[test_id:6982] a node drain migrates a VMI only one time', async () => {
      const vmi = await specs().run(draft('once', { evictionStrategy: 'LiveMigrate' }));
      const { nodeName = '' } = vmi.status ?? {};
      const drained = await specs().drain(nodeName);
      await specs().untilMovedFrom('once', nodeName);
      await drained();
      await specs().consistently(async () => expect((await specs().migrations()).length).toBeLessThanOrEqual(1), 20);
    });
  });
}
