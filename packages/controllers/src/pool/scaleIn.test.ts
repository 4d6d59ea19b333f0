import { isConditionTrue, isControlledBy, isDeleting, Node, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { KEPT_FOR_POOL_LABEL } from '@vireo/api/kinds/pool/names.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, NAMESPACE } from '../testing/cluster.ts';
import { poolCondition, startPoolCluster, withDisk } from '../testing/poolCluster.ts';
import { gone, observed } from '../testing/watching.ts';
import { Pool } from './pool.ts';

let pools: Awaited<ReturnType<typeof startPoolCluster>>;
let cluster: Cluster;
const at = { namespace: NAMESPACE };
const merge = { ...at, type: 'merge' } as const;

beforeAll(async () => {
  pools = await startPoolCluster();
  ({ cluster } = pools);
});
afterAll(async () => {
  await cluster.close();
  expect(cluster.log.entries.filter(({ level }) => level === 'error')).toEqual([]);
});

describe('scale-in', () => {
  const proactive = (selectionPolicy: object, rest: object = {}) =>
    ({ scaleInStrategy: { proactive: { selectionPolicy, ...rest } } }) as Partial<Pool['spec']>;
  const remain = (name: string, expected: readonly string[]) =>
    expect.poll(() => pools.names(name), { timeout: 20_000 }).toEqual(expected.map((index) => `${name}-${index}`));

  /** Deletes a VM of a pool and waits for the next one of its name: the youngest, and ages are in seconds. */
  const renew = async (pool: string, name: string) => {
    const created = (await pools.labelled(pool)).map(({ metadata }) => Date.parse(metadata.creationTimestamp) / 1000);
    await expect.poll(() => Math.floor(Date.now() / 1000), { interval: 20 }).toBeGreaterThan(Math.max(...created));
    const { metadata } = await cluster.admin.of(Vm).get(name, at);
    await cluster.admin.of(Vm).delete(name, at);
    await pools.vmSeen(name, (vm) => vm.metadata.uid !== metadata.uid && isConditionTrue(vm, 'Ready'));
  };

  it('follows the policy of the moment, by number or by age', async () => {
    await pools.create('sorted', 5, proactive({ sortPolicy: 'Newest' }));
    await renew('sorted', 'sorted-1');
    await pools.counted('sorted', 5);
    // All others are older than 1.
    await pools.patchPool('sorted', { replicas: 4 });
    await remain('sorted', ['0', '2', '3', '4']);
    await pools.patchPool('sorted', { replicas: 3, ...proactive({ sortPolicy: 'DescendingOrder' }) });
    await remain('sorted', ['0', '2', '3']);
    await renew('sorted', 'sorted-0');
    await pools.counted('sorted', 3);
    // Now 0 is the youngest.
    await pools.patchPool('sorted', { replicas: 2, ...proactive({ sortPolicy: 'AscendingOrder' }) });
    await remain('sorted', ['2', '3']);
    await pools.counted('sorted', 2);
    await pools.patchPool('sorted', { replicas: 3 });
    await pools.counted('sorted', 3);
    await pools.patchPool('sorted', { replicas: 1, ...proactive({ sortPolicy: 'Oldest' }) });
    await remain('sorted', ['0']);
    await pools.counted('sorted', 1);
  });

  it('by labels of nodes deletes only VMs that run where they say', async () => {
    const runsIn = (value: string) =>
      proactive({
        selectors: { nodeSelectorRequirementMatcher: [{ key: 'example.org/room', operator: 'In', values: [value] }] },
      });
    await pools.create('housed', 3, runsIn('cellar'));
    const [node] = (await cluster.admin.of(Node).list()).items;
    const room = (value: string | null) =>
      cluster.admin
        .of(Node)
        .patch(node?.metadata.name ?? '', { metadata: { labels: { 'example.org/room': value } } }, { type: 'merge' });
    await room('attic');
    await pools.patchPool('housed', { replicas: 2 });
    const stuck = await pools.poolSeen('housed', (pool) => poolCondition(pool, 'ReplicaFailure') !== undefined);
    expect(poolCondition(stuck, 'ReplicaFailure')?.message).toContain('select 0 of them');
    expect(await pools.names('housed')).toHaveLength(3);
    await room('cellar');
    await pools.counted('housed', 2);
    await room(null);
  });

  it('by Random, which is the default, leaves as many as are wanted', async () => {
    await pools.create('random', 5);
    await pools.patchPool('random', { replicas: 2 });
    await pools.counted('random', 2);
    await expect
      .poll(
        async () =>
          (await pools.events('random')).filter((event) => event.startsWith('Normal SuccessfulDelete')).length,
      )
      .toBe(3);
  });

  it('by labels deletes only the VMs that they select, and says if those are too few', async () => {
    const selectors = { labelSelector: { matchLabels: { drain: 'yes' } } };
    await pools.create('drained', 5, proactive({ selectors }));
    for (const name of ['drained-1', 'drained-3'])
      await cluster.admin.of(Vm).patch(name, { metadata: { labels: { drain: 'yes' } } }, merge);
    await pools.patchPool('drained', { replicas: 3 });
    await remain('drained', ['0', '2', '4']);
    await pools.patchPool('drained', { replicas: 2 });
    const stuck = await pools.poolSeen('drained', (pool) => poolCondition(pool, 'ReplicaFailure') !== undefined);
    expect(poolCondition(stuck, 'ReplicaFailure')).toMatchObject({
      reason: 'FailedScaleIn',
      message:
        'error during scale in: 1 VMs are too many, and spec.scaleInStrategy.proactive.selectionPolicy.selectors select 0 of them: change them or the labels of VMs',
    });
    await cluster.admin.of(Vm).patch('drained-4', { metadata: { labels: { drain: 'yes' } } }, merge);
    await remain('drained', ['0', '2']);
    await pools.poolSeen('drained', (pool) => poolCondition(pool, 'ReplicaFailure') === undefined);
  });

  it.each(['opportunistic', 'unmanaged'] as const)('by the %s strategy is left to others', async (strategy) => {
    await pools.create(strategy === 'unmanaged' ? 'untouched' : strategy, 2, { scaleInStrategy: { [strategy]: {} } });
    const name = strategy === 'unmanaged' ? 'untouched' : strategy;
    await pools.patchPool(name, { replicas: 1, paused: true });
    await pools.poolSeen(name, (pool) => poolCondition(pool, 'ReplicaPaused') !== undefined);
    await pools.patchPool(name, { paused: false });
    await pools.poolSeen(name, (pool) => poolCondition(pool, 'ReplicaPaused') === undefined);
    expect(await pools.names(name)).toEqual([`${name}-0`, `${name}-1`]);
    await cluster.admin.of(Vm).delete(`${name}-0`, at);
    await pools.counted(name, 1);
    expect(await pools.names(name)).toEqual([`${name}-1`]);
  });

  it('with state preservation keeps the disks, and the next VM of the index gets them', async () => {
    await pools.create(
      'kept',
      2,
      proactive({ sortPolicy: 'DescendingOrder' }, { statePreservation: 'Offline' }),
      withDisk('kept'),
    );
    const disk = await cluster.admin.of(DataVolume).get('kept-root-1', at);
    const claim = await cluster.admin.of(PersistentVolumeClaim).get('kept-root-1', at);
    await pools.patchPool('kept', { replicas: 1 });
    await gone(cluster.admin, Vm, ({ metadata }) => metadata.name === 'kept-1');
    await pools.counted('kept', 1);
    const free = await cluster.admin.of(DataVolume).get('kept-root-1', at);
    expect([free.metadata.uid, free.metadata.ownerReferences ?? [], isDeleting(free)]).toEqual([
      disk.metadata.uid,
      [],
      false,
    ]);
    await pools.patchPool('kept', { replicas: 2 });
    await pools.counted('kept', 2);
    const vm = await cluster.admin.of(Vm).get('kept-1', at);
    await observed<DataVolume>(
      cluster.admin,
      DataVolume,
      (each) => each.metadata.name === 'kept-root-1' && isControlledBy(each, vm),
    );
    const after = await cluster.admin.of(PersistentVolumeClaim).get('kept-root-1', at);
    expect(after.metadata.uid).toBe(claim.metadata.uid);
  });

  it('without state preservation deletes the disks, and the next VM of the index gets new ones', async () => {
    await pools.create('dropped', 2, proactive({ sortPolicy: 'DescendingOrder' }), withDisk('dropped'));
    const disk = await cluster.admin.of(DataVolume).get('dropped-root-1', at);
    const vm = await cluster.admin.of(Vm).get('dropped-1', at);
    await pools.patchPool('dropped', { replicas: 1 });
    // Back at once: the new VM waits until the disks of the old one are gone.
    await gone(cluster.admin, Vm, ({ metadata }) => metadata.name === 'dropped-1');
    await pools.patchPool('dropped', { replicas: 2 });
    await pools.vmSeen('dropped-1', (each) => each.metadata.uid !== vm.metadata.uid && isConditionTrue(each, 'Ready'));
    const after = await cluster.admin.of(DataVolume).get('dropped-root-1', at);
    expect(after.metadata.uid).not.toBe(disk.metadata.uid);
    expect(isDeleting(after)).toBe(false);
  });

  it('of a pool whose numbers others have claims for leaves those alone, and so does the end of the pool', async () => {
    const own = { resources: { requests: { storage: '1Gi' } }, accessModes: ['ReadWriteOnce' as const] };
    const claims = cluster.admin.of(PersistentVolumeClaim);
    const made = await claims.create({ metadata: { name: 'private-root-0', ...at }, spec: own });
    await pools.create('private', 2, proactive({ sortPolicy: 'AscendingOrder' }), withDisk('private'));
    expect(await pools.names('private')).toEqual(['private-1', 'private-2']);
    await expect
      .poll(() => pools.events('private'))
      .toContainEqual(
        expect.stringContaining(
          'Warning NumberSkipped: The number 0 is not used: PersistentVolumeClaim private-root-0 is there',
        ),
      );
    await pools.patchPool('private', { replicas: 1 });
    await pools.counted('private', 1);
    await cluster.admin.of(Pool).delete('private', at);
    await gone(cluster.admin, DataVolume, ({ metadata }) => metadata.name === 'private-root-2');
    const { metadata } = await claims.get('private-root-0', at);
    expect([metadata.uid, metadata.ownerReferences, isDeleting({ metadata })]).toEqual([
      made.metadata.uid,
      undefined,
      false,
    ]);
  });

  it('that keeps disks keeps them for that pool: another with the same names takes other numbers', async () => {
    const keeping = proactive({ sortPolicy: 'DescendingOrder' }, { statePreservation: 'Offline' });
    await pools.create('first', 1, keeping, withDisk('common'));
    const disk = await cluster.admin.of(DataVolume).get('common-root-0', at);
    await pools.patchPool('first', { replicas: 0 });
    await gone(cluster.admin, Vm, ({ metadata }) => metadata.name === 'first-0');
    await pools.create('second', 1, {}, withDisk('common'));
    expect(await pools.names('second')).toEqual(['second-1']);
    await pools.patchPool('first', { replicas: 1 });
    await pools.counted('first', 1);
    expect(await pools.names('first')).toEqual(['first-0']);
    const again = await observed<DataVolume>(
      cluster.admin,
      DataVolume,
      ({ metadata }) => metadata.name === 'common-root-0' && metadata.ownerReferences?.[0]?.name === 'first-0',
    );
    expect(again.metadata.uid).toBe(disk.metadata.uid);
    expect(Object.keys(again.metadata.labels ?? {})).not.toContain(KEPT_FOR_POOL_LABEL);
  });

  it('by others keeps the disks where the opportunistic strategy says so', async () => {
    const scaleInStrategy = { opportunistic: { statePreservation: 'Offline' } } as const;
    await pools.create('saved', 2, { scaleInStrategy }, withDisk('saved'));
    const disk = await cluster.admin.of(DataVolume).get('saved-root-0', at);
    const { metadata } = await cluster.admin.of(Vm).get('saved-0', at);
    await cluster.admin.of(Vm).delete('saved-0', at);
    await pools.vmSeen('saved-0', (vm) => vm.metadata.uid !== metadata.uid);
    await pools.counted('saved', 2);
    expect((await cluster.admin.of(DataVolume).get('saved-root-0', at)).metadata.uid).toBe(disk.metadata.uid);
  });
});
