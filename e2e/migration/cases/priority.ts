import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { guestless } from '../simulated.ts';
import type { Specs } from '../specs.ts';

/** KubeVirt's tests/migration/priority.go. */
export function prioritySpecs(specs: () => Specs): void {
  describe('live migrations with priority', () => {
    it('VMIs with the strategy LiveMigrate that are evicted migrate before those that somebody migrates', async () => {
      await specs().configure({ migrations: { parallelMigrationsPerCluster: 1 } });
      const draft = (name: string) => guestless(name, { evictionStrategy: 'LiveMigrate' });
      const slow = await specs().policyFor(draft('blocking'), { bandwidthPerMigration: '1Ki' });
      const [blocking, ...others] = (await Promise.all([
        specs().run(slow),
        ...['manual-1', 'manual-2', 'evicted-1', 'evicted-2'].map((name) => specs().run(draft(name))),
      ])) as [Vmi, ...Vmi[]];

      const first = await specs().migrate(blocking);
      await specs().untilPhase(first, 'Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady', 'Running');
      for (const vmi of others.slice(0, 2)) await specs().migrate(vmi);
      for (const vmi of others.slice(2)) await specs().evacuate(vmi);
      await specs().until(async () => expect((await specs().migrations()).length).toBeGreaterThanOrEqual(5));

      const order = startOrder(specs(), others.length);
      await specs().deleteMigration(first);
      // Times in objects are whole seconds: the order is that in which they were written.
      expect((await order).slice(0, 2).toSorted()).toEqual(['evicted-1', 'evicted-2']);
      for (const { metadata } of others)
        await specs().until(async () =>
          expect((await specs().vmi(metadata.name)).status?.migrationState?.endTimestamp).toBeTruthy(),
        );
    });
  });
}

/** The names of VMIs in the order in which their migrations begin, from now on. */
async function startOrder({ client, namespace }: Specs, count: number): Promise<string[]> {
  const stop = new AbortController();
  const names: string[] = [];
  const { metadata } = await client.of(Vmi).list({ namespace });
  const { resourceVersion } = metadata;
  for await (const { type, object } of await client
    .of(Vmi)
    .watch({ namespace, resourceVersion, signal: stop.signal })) {
    if (type !== 'MODIFIED' || !object.status?.migrationState?.startTimestamp) continue;
    const { name } = object.metadata;
    if (name !== 'blocking' && !names.includes(name)) names.push(name);
    if (names.length === count) break;
  }
  stop.abort();
  return names;
}
