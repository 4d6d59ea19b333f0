import {
  conditionOf,
  Event,
  isConditionTrue,
  type Persisted,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
} from '@vireo/api';
import { MIGRATION_TARGET_NODE } from '@vireo/api/kinds/harvester/names.ts';
import { launcherOf, mountedClaims } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import {
  isHandedOff,
  MIGRATION_FINALIZER,
  MIGRATION_JOB_LABEL,
  MIGRATION_TARGET_NODE_LABEL,
  MIGRATION_TARGET_READY_ANNOTATION,
  Migration,
} from '@vireo/api/kinds/kubevirt/migration.ts';
import { NODE_NAME_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { snapshotActions } from '../snapshot/act.ts';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from '../testing/cluster.ts';
import { gone, observed } from '../testing/watching.ts';
import { migrationActions } from './act.ts';

// Two stand-ins play the agents of the nodes: they write what agents write, and no guest moves (testing/fakeNode.ts).

let cluster: Cluster;
/** What becomes of the guest of a VMI, by its name. */
const moves = new Map<string, 'arrives' | 'fails' | 'hangs'>();
beforeAll(async () => {
  cluster = await startCluster();
  const options = { moves: ({ metadata }: Vmi) => moves.get(metadata.name) ?? 'arrives' };
  await cluster.startNode({ name: 'a', ...options });
  await cluster.startNode({ name: 'b', ...options });
  await cluster.startControllers();
});
afterAll(() => cluster.close());

const at = { namespace: NAMESPACE };
const vmiOf = (name: string, fits: (vmi: Vmi) => boolean) =>
  observed<Vmi>(cluster.admin, Vmi, (vmi) => vmi.metadata.name === name && fits(vmi));
const running = async (name: string): Promise<Vmi> => {
  await cluster.admin.of(Vm).create(vmDraft(name));
  return vmiOf(name, (vmi) => vmi.status?.phase === 'Running' && isConditionTrue(vmi, 'Ready'));
};
/** As admission would have left it. */
const migrationOf = (vmiName: string, name: string) => ({
  metadata: { ...at, name, labels: { 'kubevirt.io/vmi-name': vmiName }, finalizers: [MIGRATION_FINALIZER] },
  spec: { vmiName },
});
const migrate = (vmiName: string, name: string, more: Partial<Migration['spec']> = {}) => {
  const { metadata, spec } = migrationOf(vmiName, name);
  return cluster.admin.of(Migration).create({ metadata, spec: { ...spec, ...more } });
};
const migrationIn = (name: string, phase: string) =>
  observed<Migration>(cluster.admin, Migration, (each) => each.metadata.name === name && each.status?.phase === phase);
const launchers = async (vmi: Vmi): Promise<Persisted<Pod>[]> => {
  const labelSelector = `kubevirt.io/created-by=${vmi.metadata.uid}`;
  return (await cluster.admin.of(Pod).list({ ...at, labelSelector })).items;
};
const event = (message: string) => observed<Event>(cluster.admin, Event, (each) => each.message === message);

it('a migration moves a VMI to another node, and leaves one launcher', async () => {
  const before = await running('web');
  const [source] = await launchers(before);
  const { metadata } = await migrate('web', 'move');
  const done = await migrationIn('move', 'Succeeded');
  const phases = done.status?.phaseTransitionTimestamps?.map(({ phase }) => phase);
  expect(phases).toEqual([
    'Pending',
    'Scheduling',
    'Scheduled',
    'PreparingTarget',
    'TargetReady',
    'Running',
    'Succeeded',
  ]);
  const to = before.status?.nodeName === 'a' ? 'b' : 'a';
  const after = await vmiOf('web', (vmi) => vmi.metadata.labels?.[MIGRATION_TARGET_NODE_LABEL] === undefined);
  expect(after.status).toMatchObject({ nodeName: to, phase: 'Running' });
  expect(after.metadata.labels?.[NODE_NAME_LABEL]).toBe(to);
  expect(done.status?.migrationState).toMatchObject({
    migrationUid: metadata.uid,
    sourceNode: before.status?.nodeName,
    targetNode: to,
    sourcePod: source?.metadata.name,
    completed: true,
    migrationConfiguration: { completionTimeoutPerGiB: 150, allowPostCopy: false, maxDowntimeMs: 900 },
  });
  await gone<Pod>(cluster.admin, Pod, (pod) => pod.metadata.uid === source?.metadata.uid);
  const [target, ...others] = await launchers(before);
  expect(others).toEqual([]);
  expect(target?.metadata.labels?.[MIGRATION_JOB_LABEL]).toBe(metadata.uid);
  expect(target?.metadata.annotations).toMatchObject({
    'kubevirt.io/migrationJobName': 'move',
    [MIGRATION_TARGET_READY_ANNOTATION]: done.status?.migrationState?.targetNodeDomainReadyTimestamp,
  });
  await vmiOf('web', ({ status }) => Object.keys(status?.activePods ?? {}).join() === target?.metadata.uid);
  await event(`Created migration target pod ${target?.metadata.name}`);
  await event('Migration target pod is ready for preparation by virt-handler.');
  await event('Source node reported migration succeeded');
  await observed<Migration>(
    cluster.admin,
    Migration,
    (each) => each.metadata.name === 'move' && !each.metadata.finalizers?.length,
  );
  // And back: the launcher that it leaves is one that a migration has made.
  await migrate('web', 'back');
  await migrationIn('back', 'Succeeded');
  await vmiOf('web', ({ status }) => status?.nodeName === before.status?.nodeName);
  await gone<Pod>(cluster.admin, Pod, (pod) => pod.metadata.uid === target?.metadata.uid);
});

it('a migration that fails leaves the guest, its launcher, and one that has ended until the next migration', async () => {
  moves.set('stays', 'fails');
  const before = await running('stays');
  await migrate('stays', 'in-vain');
  const failed = await migrationIn('in-vain', 'Failed');
  expect(failed.status?.migrationState).toMatchObject({ failed: true, failureReason: 'the wire was cut' });
  await event('source node reported migration failed');
  const target = failed.status?.migrationState?.targetPod;
  await observed<Pod>(cluster.admin, Pod, (pod) => pod.metadata.name === target && pod.status?.phase === 'Failed');
  const after = await vmiOf('stays', ({ status }) => Object.keys(status?.activePods ?? {}).length === 1);
  expect(after.status).toMatchObject({ nodeName: before.status?.nodeName, phase: 'Running' });
  moves.set('stays', 'arrives');
  await migrate('stays', 'at-last');
  await migrationIn('at-last', 'Succeeded');
  await gone<Pod>(cluster.admin, Pod, (pod) => pod.metadata.name === target);
});

it('whoever deletes a migration that runs aborts it', async () => {
  moves.set('called-off', 'hangs');
  await running('called-off');
  await migrate('called-off', 'slow');
  await migrationIn('slow', 'Running');
  await observed<Vm>(
    cluster.admin,
    Vm,
    (vm) => vm.metadata.name === 'called-off' && vm.status?.printableStatus === 'Migrating',
  );
  await cluster.admin.of(Migration).delete('slow', at);
  const aborted = await vmiOf('called-off', ({ status }) => status?.migrationState?.abortStatus === 'Succeeded');
  expect(aborted.status?.migrationState).toMatchObject({ failed: true, abortRequested: true });
  await event('Migration is ready to be canceled by virt-handler.');
  await gone<Migration>(cluster.admin, Migration, ({ metadata }) => metadata.name === 'slow');
  await vmiOf('called-off', ({ status }) => Object.keys(status?.activePods ?? {}).length === 1);
});

it('a VMI names the node that its user has chosen while it moves there, and not after that', async () => {
  moves.set('chosen', 'hangs');
  const { status } = await running('chosen');
  const to = status?.nodeName === 'a' ? 'b' : 'a';
  const { metadata, spec } = migrationOf('chosen', 'there');
  const annotations = { [MIGRATION_TARGET_NODE]: to };
  await cluster.admin.of(Migration).create({ metadata: { ...metadata, annotations }, spec });
  await vmiOf('chosen', (vmi) => vmi.metadata.annotations?.[MIGRATION_TARGET_NODE] === to);
  await migrationIn('there', 'Running');
  await cluster.admin.of(Migration).delete('there', at);
  await vmiOf('chosen', (vmi) => vmi.metadata.annotations?.[MIGRATION_TARGET_NODE] === undefined);
});

it('a migration that no node takes can be deleted, and its pod goes', async () => {
  const vmi = await running('homely');
  await migrate('homely', 'nowhere', { addedNodeSelector: { 'kubernetes.io/hostname': 'moon' } });
  await migrationIn('nowhere', 'Scheduling');
  await event(`Migration target pod for VMI [${NAMESPACE}/homely] is currently unschedulable.`);
  const pod = (await launchers(vmi)).find(({ metadata }) => metadata.labels?.[MIGRATION_JOB_LABEL]);
  await cluster.admin.of(Migration).delete('nowhere', at);
  await gone<Migration>(cluster.admin, Migration, ({ metadata }) => metadata.name === 'nowhere');
  await gone<Pod>(cluster.admin, Pod, ({ metadata }) => metadata.uid === pod?.metadata.uid);
  await event(`migration canceled and pod ${NAMESPACE}/${pod?.metadata.name} is deleted`);
  expect(conditionOf(await cluster.admin.of(Vmi).get('homely', at), 'Ready')?.status).toBe('True');
});

it('a VMI that is deleted while it migrates goes with both launchers, and the migration with it', async () => {
  moves.set('doomed', 'hangs');
  const vmi = await running('doomed');
  await migrate('doomed', 'too-late');
  await migrationIn('too-late', 'Running');
  await cluster.admin.of(Vm).delete('doomed', at);
  await gone<Vmi>(cluster.admin, Vmi, ({ metadata }) => metadata.uid === vmi.metadata.uid);
  await gone<Migration>(cluster.admin, Migration, ({ metadata }) => metadata.name === 'too-late');
  expect(await launchers(vmi)).toEqual([]);
});

it('a migration that a quota has no room for waits, says so, and begins when the quota goes', async () => {
  await running('frugal');
  await cluster.admin.of(ResourceQuota).create({ metadata: { name: 'full', ...at }, spec: { hard: { pods: '0' } } });
  await observed<ResourceQuota>(cluster.admin, ResourceQuota, ({ status }) => status?.hard?.pods === '0');
  await migrate('frugal', 'waits');
  const waiting = await observed<Migration>(
    cluster.admin,
    Migration,
    (each) => each.metadata.name === 'waits' && isConditionTrue(each, 'migrationRejectedByResourceQuota'),
  );
  expect(waiting.status?.phase).toBe('Pending');
  expect(conditionOf(waiting, 'migrationRejectedByResourceQuota')?.message).toContain('exceeded quota: full');
  await cluster.admin.of(ResourceQuota).delete('full', at);
  const done = await migrationIn('waits', 'Succeeded');
  expect(conditionOf(done, 'migrationRejectedByResourceQuota')).toBeUndefined();
});

it('a VM is either handed over for a migration or held for a snapshot, whoever is faster', async () => {
  const client = cluster.admin;
  const vmi = await running('torn');
  const nobody = { event: () => {} };
  const [snapshots, migrations] = [snapshotActions(client, nobody), migrationActions(client, nobody)];
  const snapshot = (uid: string) =>
    persisted({
      apiVersion: 'snapshot.kubevirt.io/v1beta1',
      kind: 'VirtualMachineSnapshot',
      metadata: { name: 'first', ...at, uid, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'torn' } },
    });
  const migration = { kind: 'VirtualMachineInstanceMigration', metadata: { name: 'm', ...at, uid: 'm' } } as Migration;
  const handOver = (seen: Vmi) =>
    migrations.handOff(migration, seen, { status: { migrationState: { migrationUid: 'm' } } });
  // The controller of migrations has read the VMI and that its VM is free, and is overtaken.
  const held = await snapshots.holdVmi(vmi, snapshot('first'));
  expect(held && isHandedOff(held)).toBe(false);
  await expect(handOver(vmi)).rejects.toMatchObject({ reason: 'Conflict' });
  // And the other way round.
  await handOver(await client.of(Vmi).get('torn', at));
  const moving = await snapshots.holdVmi(vmi, snapshot('second'));
  expect(moving && isHandedOff(moving)).toBe(true);
});

it('what is plugged into a guest is at the target before it moves, and leaves the source with it', async () => {
  const client = cluster.admin;
  await cluster.startStorage();
  await client.of(PersistentVolumeClaim).create({
    metadata: { name: 'extra', ...at },
    spec: { accessModes: ['ReadWriteMany'], storageClassName: 'shared', resources: { requests: { storage: '1Gi' } } },
  });
  await observed<PersistentVolumeClaim>(client, PersistentVolumeClaim, ({ status }) => status?.phase === 'Bound');
  const vmi = await running('laden');
  const volumes = [{ name: 'extra', persistentVolumeClaim: { claimName: 'extra', hotpluggable: true } }];
  const domain = { devices: { disks: [{ name: 'extra', disk: { bus: 'scsi' } }] } };
  await client.of(Vm).patch('laden', { spec: { template: { spec: { volumes, domain } } } }, { ...at, type: 'merge' });
  const attachment = (fits: (pod: Pod) => boolean) =>
    observed<Pod>(client, Pod, (pod) => launcherOf(pod) !== undefined && pod.status?.phase === 'Running' && fits(pod));
  const before = await attachment(() => true);
  const { metadata } = await migrate('laden', 'with-disk');
  const done = await migrationIn('with-disk', 'Succeeded');
  const there = await attachment((pod) => pod.metadata.labels?.[MIGRATION_JOB_LABEL] === metadata.uid);
  expect(done.status?.migrationState).toMatchObject({
    targetAttachmentPodUID: there.metadata.uid,
    targetState: { attachmentPodUID: there.metadata.uid },
  });
  expect(mountedClaims(there)).toEqual([{ volume: 'extra', claim: 'extra' }]);
  const target = (await launchers(vmi)).find(({ spec }) => spec?.nodeName === done.status?.migrationState?.targetNode);
  expect(launcherOf(there)?.uid).toBe(target?.metadata.uid);
  await event(`Created attachment pod ${there.metadata.name}`);
  await gone<Pod>(client, Pod, (pod) => pod.metadata.uid === before.metadata.uid);
  // Where the guest does not come to, nothing stays plugged in, though the pod stays for a while.
  moves.set('laden', 'fails');
  const inVain = await migrate('laden', 'not-with-disk');
  const failed = await migrationIn('not-with-disk', 'Failed');
  expect(failed.status?.migrationState?.targetAttachmentPodUID).toBeTruthy();
  await gone<Pod>(
    client,
    Pod,
    (pod) => launcherOf(pod) !== undefined && pod.metadata.labels?.[MIGRATION_JOB_LABEL] === inVain.metadata.uid,
  );
  expect((await client.of(Pod).get(failed.status?.migrationState?.targetPod ?? '', at)).status?.phase).toBe('Failed');
  expect((await client.of(Pod).find(there.metadata.name, at))?.metadata.uid).toBe(there.metadata.uid);
});

it("a migration that waits for its turn says so to Harvester's clients, until it is called off", async () => {
  moves.set('first', 'hangs');
  await Promise.all(['first', 'second'].map(running));
  const limit = (parallelMigrationsPerCluster: number | null) =>
    cluster.admin
      .of(KubeVirt)
      .patch(
        'kubevirt',
        { spec: { configuration: { migrations: { parallelMigrationsPerCluster } } } },
        { namespace: 'kubevirt', type: 'merge' },
      );
  await limit(1);
  await migrate('first', 'in-the-way');
  await migrationIn('in-the-way', 'Running');
  const { metadata } = await migrate('second', 'queued');
  await migrationIn('queued', 'Pending');
  const said = ({ metadata: { annotations = {} } }: Vmi) => [
    annotations['harvesterhci.io/migrationState'],
    annotations['harvesterhci.io/migrationUID'],
  ];
  await vmiOf('second', (vmi) => said(vmi).join() === `Pending migration,${metadata.uid}`);
  await cluster.admin.of(Migration).delete('queued', at);
  await vmiOf('second', (vmi) => said(vmi).join() === ',');
  await cluster.admin.of(Migration).delete('in-the-way', at);
  await gone<Migration>(cluster.admin, Migration, ({ metadata: { name } }) => name === 'in-the-way');
  await limit(null);
});
