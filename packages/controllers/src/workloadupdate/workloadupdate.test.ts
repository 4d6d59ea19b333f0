import { Event, isConditionTrue, Pod } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from '../testing/cluster.ts';
import { gone, observed } from '../testing/watching.ts';

// The only node is a stand-in, and nobody moves guests: what counts here is which migrations are asked for.

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
  await cluster.startNode();
  await cluster.startControllers();
  const versions = { observedKubeVirtVersion: 'v1', targetKubeVirtVersion: 'v1' };
  const kubevirts = cluster.admin.of(KubeVirt);
  const status = { phase: 'Deployed', ...versions };
  await kubevirts.patchStatus('kubevirt', { status }, { namespace: 'kubevirt', type: 'merge' });
});
afterAll(() => cluster.close());

const at = { namespace: NAMESPACE };
const vmiOf = (name: string, fits: (vmi: Vmi) => boolean) =>
  observed<Vmi>(cluster.admin, Vmi, (vmi) => vmi.metadata.name === name && fits(vmi));
const isReady = (vmi: Vmi) => vmi.status?.phase === 'Running' && isConditionTrue(vmi, 'Ready');
const patchVmi = (name: string, status: object) =>
  cluster.admin.of(Vmi).patch(name, { status }, { ...at, type: 'merge' });
const methods = (...workloadUpdateMethods: string[]) =>
  cluster.admin
    .of(KubeVirt)
    .patch(
      'kubevirt',
      { spec: { workloadUpdateStrategy: { workloadUpdateMethods } } },
      { namespace: 'kubevirt', type: 'merge' },
    );
const outdatedCount = (count: number) =>
  observed<KubeVirt>(
    cluster.admin,
    KubeVirt,
    ({ status }) => status?.outdatedVirtualMachineInstanceWorkloads === count,
  );
const LIVE_MIGRATABLE = { type: 'LiveMigratable', status: 'True' };
const REQUIRED = { type: 'MigrationRequired', status: 'True' };

it('a guest with a change to come migrates where the installation says so, unless the change is taken back', async () => {
  await cluster.admin.of(Vm).create(vmDraft('changing'));
  const { status } = await vmiOf('changing', isReady);
  const conditions = [...(status?.conditions ?? []), LIVE_MIGRATABLE];
  await patchVmi('changing', { conditions: [...conditions, REQUIRED] });
  await outdatedCount(1);
  const migrations = cluster.admin.of(VirtualMachineInstanceMigration);
  expect((await migrations.list(at)).items).toEqual([]);

  await methods('LiveMigrate');
  const { metadata, spec } = await observed<VirtualMachineInstanceMigration>(
    cluster.admin,
    VirtualMachineInstanceMigration,
    () => true,
  );
  expect(metadata.name).toMatch(/^kubevirt-workload-update-/);
  expect(metadata.annotations).toEqual({ 'kubevirt.io/workloadUpdateMigration': '' });
  expect(spec).toEqual({ vmiName: 'changing', priority: 'user-triggered' });
  const created = `Created Migration ${metadata.name} for automated workload update`;
  await observed<Event>(cluster.admin, Event, ({ message }) => message === created);

  await patchVmi('changing', { conditions });
  await gone<VirtualMachineInstanceMigration>(cluster.admin, VirtualMachineInstanceMigration, () => true);
  await observed<Event>(cluster.admin, Event, ({ message }) => message === 'Aborted change for vmi: changing');
  await outdatedCount(0);
});

it('a migration goes on when the node of its guest falls silent, until the change is taken back', async () => {
  const { status } = await vmiOf('changing', isReady);
  const conditions = status?.conditions ?? [];
  await patchVmi('changing', { conditions: [...conditions, REQUIRED] });
  const { metadata } = await observed<VirtualMachineInstanceMigration>(
    cluster.admin,
    VirtualMachineInstanceMigration,
    () => true,
  );
  await patchVmi('changing', { phase: 'Unknown' });
  await outdatedCount(0);
  // Another one, by which the controller has looked again since, and has nothing left to do.
  await methods();
  await cluster.admin.of(Vm).create(vmDraft('other'));
  const other = await vmiOf('other', isReady);
  await patchVmi('other', { conditions: [...(other.status?.conditions ?? []), REQUIRED] });
  await outdatedCount(1);
  const migrations = cluster.admin.of(VirtualMachineInstanceMigration);
  expect((await migrations.list(at)).items.map(({ metadata: { uid } }) => uid)).toEqual([metadata.uid]);

  await patchVmi('changing', { conditions });
  await gone<VirtualMachineInstanceMigration>(cluster.admin, VirtualMachineInstanceMigration, () => true);
  await patchVmi('changing', { phase: 'Running' });
  await cluster.admin.of(Vm).delete('other', at);
  await outdatedCount(0);
});

it('a guest that cannot move and was started by an older launcher is evicted, and starts again', async () => {
  await cluster.admin.of(Vm).create(vmDraft('old'));
  const { metadata } = await vmiOf('old', isReady);
  await methods('LiveMigrate', 'Evict');
  const image = 'vireo/virt-launcher:old';
  const { items } = await cluster.admin
    .of(Pod)
    .list({ ...at, labelSelector: `kubevirt.io/created-by=${metadata.uid}` });
  const containers = [{ name: 'compute', image }];
  await cluster.admin
    .of(Pod)
    .patch(items[0]?.metadata.name ?? '', { spec: { containers } }, { ...at, type: 'strategic' });
  await patchVmi('old', { launcherContainerImageVersion: image });
  await vmiOf('old', (vmi) => isReady(vmi) && vmi.metadata.uid !== metadata.uid);
  await outdatedCount(0);
  await observed<Event>(cluster.admin, Event, ({ reason }) => reason === 'SuccessfulEvict');
});

it('a guest that a migration has brought to a launcher of today is up to date', async () => {
  const labels = { 'kubevirt.io/outdatedLauncherImage': '' };
  const status = { launcherContainerImageVersion: 'vireo/virt-launcher:old' };
  await cluster.admin.of(Vmi).patch('changing', { metadata: { labels }, status }, { ...at, type: 'merge' });
  const { metadata } = await vmiOf(
    'changing',
    (vmi) => vmi.status?.launcherContainerImageVersion === 'vireo/virt-launcher',
  );
  expect(metadata.labels ?? {}).not.toHaveProperty(['kubevirt.io/outdatedLauncherImage']);
  expect((await cluster.admin.of(VirtualMachineInstanceMigration).list(at)).items).toEqual([]);
});
