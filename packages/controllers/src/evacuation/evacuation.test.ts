import { conditionOf, Event, isConditionTrue, Node, Pod, PodDisruptionBudget } from '@vireo/api';
import { DRAIN_TAINT, MAINTAIN_STATUS, MAINTAIN_STRATEGY } from '@vireo/api/kinds/harvester/names.ts';
import { EVICTION_IN_PROGRESS_ANNOTATION, EVICTION_REQUESTED } from '@vireo/api/kinds/kubevirt/eviction.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from '../testing/cluster.ts';
import { NODE_NAME } from '../testing/fakeNode.ts';
import { observed } from '../testing/watching.ts';

// Nobody carries migrations out here: their ends are written by hand, as the controller of migrations would.

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
  await cluster.startNode();
  await cluster.startControllers();
});
afterAll(() => cluster.close());

const at = { namespace: NAMESPACE };
const vmiOf = (name: string, fits: (vmi: Vmi) => boolean) =>
  observed<Vmi>(cluster.admin, Vmi, (vmi) => vmi.metadata.name === name && fits(vmi));
const patchVmi = (name: string, patch: object) => cluster.admin.of(Vmi).patch(name, patch, { ...at, type: 'merge' });
const LIVE_MIGRATABLE = { type: 'LiveMigratable', status: 'True' };

/** A VM whose guest can move, as far as its objects tell. */
async function running(name: string, evictionStrategy: string, labels: Record<string, string> = {}): Promise<void> {
  const template = { spec: { architecture: 'amd64', evictionStrategy, domain: { devices: {} } } };
  const { metadata, ...draft } = vmDraft(name, { template });
  await cluster.admin.of(Vm).create({ ...draft, metadata: { ...metadata, labels } });
  const { status } = await vmiOf(name, (vmi) => vmi.status?.phase === 'Running' && isConditionTrue(vmi, 'Ready'));
  await patchVmi(name, { status: { conditions: [...(status?.conditions ?? []), LIVE_MIGRATABLE] } });
}
const migrationOf = (name: string, not = '') =>
  observed<VirtualMachineInstanceMigration>(
    cluster.admin,
    VirtualMachineInstanceMigration,
    ({ metadata, spec }) => spec.vmiName === name && metadata.name !== not,
  );
const launcherOf = (name: string, isAnnotated: boolean) =>
  observed<Pod>(
    cluster.admin,
    Pod,
    ({ metadata }) =>
      metadata.name.startsWith(`virt-launcher-${name}-`) &&
      (metadata.annotations?.[EVICTION_IN_PROGRESS_ANNOTATION] === 'true') === isAnnotated,
  );

it('a marked VMI migrates, again where that failed, and says that it is to leave until the mark is gone', async () => {
  await running('web', 'LiveMigrate');
  await patchVmi('web', { status: { evacuationNodeName: NODE_NAME } });
  const first = await migrationOf('web');
  expect(first.metadata.name).toMatch(/^kubevirt-evacuation-/);
  expect(first.metadata.annotations).toEqual({ 'kubevirt.io/evacuationMigration': NODE_NAME });
  expect(first.spec).toEqual({ vmiName: 'web', priority: 'system-critical' });
  const requested = await vmiOf('web', (vmi) => isConditionTrue(vmi, EVICTION_REQUESTED));
  expect(conditionOf(requested, EVICTION_REQUESTED)).toMatchObject({ message: 'VMI is marked for eviction' });
  await launcherOf('web', true);
  await observed<Event>(cluster.admin, Event, ({ message }) => message === `Created Migration ${first.metadata.name}`);

  const migrations = cluster.admin.of(VirtualMachineInstanceMigration);
  await migrations.patchStatus(first.metadata.name, { status: { phase: 'Failed' } }, { ...at, type: 'merge' });
  const second = await migrationOf('web', first.metadata.name);
  // As the target does when it has the guest, and whoever cancels the evacuation.
  await patchVmi('web', { status: { evacuationNodeName: null } });
  await migrations.patchStatus(second.metadata.name, { status: { phase: 'Failed' } }, { ...at, type: 'merge' });
  await vmiOf('web', (vmi) => conditionOf(vmi, EVICTION_REQUESTED) === undefined);
  await launcherOf('web', false);
});

it('a disruption budget that an older version has made for a VMI goes, and those of users stay', async () => {
  const { metadata } = await vmiOf('web', () => true);
  const budgets = cluster.admin.of(PodDisruptionBudget);
  const owner = { apiVersion: 'kubevirt.io/v1', kind: Vmi.kind, name: 'web', uid: metadata.uid, controller: true };
  await budgets.create({ metadata: { name: 'of-a-user', ...at }, spec: { minAvailable: 1 } });
  await budgets.create({ metadata: { name: 'old', ...at, ownerReferences: [owner] }, spec: { minAvailable: 1 } });
  const deleted = 'Deleted PodDisruptionBudget old';
  await observed<Event>(cluster.admin, Event, ({ message }) => message === deleted);
  expect((await budgets.list(at)).items.map(({ metadata: { name } }) => name)).toEqual(['of-a-user']);
});

it('guests leave a node with the drain taint if their strategy says so', async () => {
  await running('fixed', 'None');
  await running('mobile', 'LiveMigrateIfPossible');
  const migrated = (await cluster.admin.of(VirtualMachineInstanceMigration).list(at)).items;
  // The one before, whose mark is gone, was not asked to migrate once more.
  expect(migrated.map(({ spec }) => spec.vmiName)).toEqual(['web', 'web']);
  const taints = [{ key: 'kubevirt.io/drain', effect: 'NoSchedule' }];
  await cluster.admin.of(Node).patch(NODE_NAME, { spec: { taints } }, { type: 'merge' });
  const { spec } = await migrationOf('mobile');
  expect(spec.priority).toBe('system-critical');
  const { items } = await cluster.admin.of(VirtualMachineInstanceMigration).list(at);
  expect(items.filter(({ spec }) => spec.vmiName === 'fixed')).toEqual([]);
});

const patchNode = (patch: object) => cluster.admin.of(Node).patch(NODE_NAME, patch, { type: 'merge' });
const taintNode = (key: string) => patchNode({ spec: { taints: [{ key, effect: 'NoSchedule' }] } });
const configure = (configuration: object) =>
  cluster.admin.of(KubeVirt).patch('kubevirt', { spec: { configuration } }, { namespace: 'kubevirt', type: 'merge' });
const migrated = async (): Promise<string[]> =>
  (await cluster.admin.of(VirtualMachineInstanceMigration).list(at)).items.map(({ spec }) => spec.vmiName ?? '');
/** A VM that moves as soon as the node has the taint: the controller has seen the node then. */
const witnessOf = async (taint: string, name: string): Promise<void> => {
  await taintNode(taint);
  await migrationOf(name);
};

it('guests leave a node that had the taint already when the cluster names it', async () => {
  await patchNode({ spec: { taints: null } });
  await running('renamed', 'LiveMigrate');
  await taintNode('example.com/leave');
  await configure({ migrations: { nodeDrainTaintKey: 'example.com/leave' } });
  await migrationOf('renamed');
});

it('guests without a strategy leave a node that is tainted when the cluster gets one', async () => {
  await patchNode({ spec: { taints: null } });
  await running('undecided', 'None');
  await patchVmi('undecided', { spec: { evictionStrategy: null } });
  await running('decided', 'LiveMigrate');
  await witnessOf('example.com/leave', 'decided');
  expect(await migrated()).not.toContain('undecided');
  await configure({ evictionStrategy: 'LiveMigrate' });
  await migrationOf('undecided');
});

it('a guest leaves a maintained node when its VM no longer says that it is shut down instead', async () => {
  await patchNode({ spec: { taints: null } });
  await running('relabelled', 'None', { [MAINTAIN_STRATEGY]: 'Shutdown' });
  await running('plain', 'None');
  await patchNode({ metadata: { annotations: { [MAINTAIN_STATUS]: 'completed' } } });
  await witnessOf(DRAIN_TAINT, 'plain');
  expect(await migrated()).not.toContain('relabelled');
  const labels = { [MAINTAIN_STRATEGY]: null };
  await cluster.admin.of(Vm).patch('relabelled', { metadata: { labels } }, { ...at, type: 'merge' });
  await migrationOf('relabelled');
});
