import type { Persisted, Pod } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import type { Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, type Expectations, isNamespaceTerminating, keyOf } from '@vireo/kube';
import type { UpdateActions } from './act.ts';
import { decideUpdates, isAborted, isDeployed, isUpdated, type UpdateState, updateStrategyOf } from './decide.ts';

const DEFAULT_PARALLEL_MIGRATIONS = 5;

/** All that is known of guests that are not up to date. */
export interface Updates extends Pick<UpdateState, 'outdated' | 'isUnderWay' | 'lastEvictionMs' | 'nowMs'> {
  readonly kubevirt: Persisted<KubeVirt>;
  /** Migrations that have not ended. */
  readonly unfinished: readonly Migration[];
  /** Those of them that bring a VMI up to date. */
  readonly ofUpdates: readonly { readonly vmi: Vmi; readonly migration: Migration }[];
  readonly launcherOf: (vmi: Vmi) => Persisted<Pod> | undefined;
}

/** Brings guests up to date, as far as limits allow, and tells how many are not. */
export async function reconcileUpdates(
  updates: Updates,
  client: Client,
  act: UpdateActions,
  expectations: Expectations,
): Promise<{ readonly lastEvictionMs: number; readonly requeueAfterMs?: number }> {
  const { kubevirt, unfinished, launcherOf, nowMs } = updates;
  if (!isDeployed(kubevirt)) return updates;
  const { updated = [], outdated = [] } = Object.groupBy(updates.outdated, (vmi) =>
    isUpdated(vmi, launcherOf(vmi)) ? 'updated' : 'outdated',
  );
  for (const vmi of updated) await act.confirm(vmi);
  const { parallelMigrationsPerCluster = DEFAULT_PARALLEL_MIGRATIONS } = kubevirt.spec?.configuration?.migrations ?? {};
  const { migrations, evictions, nextBatchMs } = decideUpdates({
    ...updates,
    outdated,
    strategy: updateStrategyOf(kubevirt),
    freeMigrations: Number(parallelMigrationsPerCluster) - unfinished.length,
  });
  for (const { vmi, migration } of updates.ofUpdates)
    if (isAborted(vmi, migration.metadata.uid)) await act.abort(vmi, migration);
  for (const vmi of outdated) await act.label(vmi);
  for (const vmi of migrations) await migrate(vmi, act, expectations);
  for (const vmi of evictions) {
    const launcher = launcherOf(vmi);
    if (launcher) await act.evict(vmi, launcher);
  }
  await client.of(KubeVirt).writeStatus(kubevirt, {
    ...kubevirt.status,
    outdatedVirtualMachineInstanceWorkloads: outdated.length,
  });
  return {
    lastEvictionMs: evictions.length > 0 ? nowMs : updates.lastEvictionMs,
    ...(nextBatchMs !== undefined && { requeueAfterMs: Math.max(0, nextBatchMs - nowMs) }),
  };
}

/** Until the cache shows the migration, there is none besides. */
async function migrate(vmi: Vmi, act: UpdateActions, expectations: Expectations): Promise<void> {
  expectations.expectCreations(keyOf(vmi), 1);
  try {
    await act.migrate(vmi);
  } catch (error) {
    expectations.creationObserved(keyOf(vmi));
    if (!isNamespaceTerminating(error)) throw error;
  }
}
