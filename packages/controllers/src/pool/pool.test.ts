import { ControllerRevision, isDeleting, ResourceQuota } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VM_FINALIZER } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { POOL_FINALIZER, POOL_REVISION_LABEL } from '@vireo/api/kinds/pool/names.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, NAMESPACE } from '../testing/cluster.ts';
import { isOfPool, poolCondition, startPoolCluster, withDisk } from '../testing/poolCluster.ts';
import { poolDraft } from '../testing/pools.ts';
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

describe('a pool', () => {
  it('creates its VMs with the lowest free numbers, counts them in its status, and records an event for each', async () => {
    await cluster.admin
      .of(Vm)
      .create({ metadata: { name: 'made-1', ...at }, spec: { runStrategy: 'Halted', template: {} } });
    const pool = await pools.create('made', 3);
    expect(pool.status).toEqual({ replicas: 3, readyReplicas: 3, labelSelector: 'pool=made' });
    expect(pool.metadata.finalizers).toEqual([POOL_FINALIZER]);
    expect(await pools.names('made')).toEqual(['made-0', 'made-2', 'made-3']);
    for (const { metadata, spec } of await pools.labelled('made')) {
      expect(metadata.labels).toEqual({ pool: 'made', [POOL_REVISION_LABEL]: 'made-1' });
      expect(metadata.finalizers?.toSorted()).toEqual([VM_FINALIZER, POOL_FINALIZER].toSorted());
      expect(spec.template.metadata?.labels).toEqual({ pool: 'made', [POOL_REVISION_LABEL]: 'made-1' });
      expect(metadata.ownerReferences).toEqual([
        {
          apiVersion: 'pool.kubevirt.io/v1beta1',
          kind: 'VirtualMachinePool',
          name: 'made',
          uid: pool.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
    }
    const revision = await cluster.admin.of(ControllerRevision).get('made-1', at);
    expect(revision).toMatchObject({ revision: 1, data: { replicas: 3, selector: { matchLabels: { pool: 'made' } } } });
    await expect
      .poll(async () => (await pools.events('made')).toSorted())
      .toEqual(['made-0', 'made-2', 'made-3'].map((name) => `Normal SuccessfulCreate: Created VM shop/${name}`));
  });

  it('is scaled by its subresource, out and in', async () => {
    await pools.create('scaled', 1);
    const scale = await cluster.admin.of(Pool).getScale('scaled', at);
    expect(scale).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1, selector: 'pool=scaled' } });
    await cluster.admin.of(Pool).updateScale({ ...scale, spec: { replicas: 4 } });
    await pools.counted('scaled', 4);
    await pools.patchPool('scaled', { replicas: 0 });
    await pools.counted('scaled', 0);
    await gone(cluster.admin, Vm, isOfPool('scaled'));
    await gone(cluster.admin, Vmi, isOfPool('scaled'));
  });

  it('replaces a VM that somebody deletes by one of the same name, when it is gone', async () => {
    await pools.create('replacing', 3);
    const before = await cluster.admin.of(Vm).get('replacing-1', at);
    await cluster.admin.of(Vm).delete('replacing-1', at);
    await pools.vmSeen('replacing-1', ({ metadata }) => metadata.uid !== before.metadata.uid);
    await pools.counted('replacing', 3);
    expect(await pools.names('replacing')).toEqual(['replacing-0', 'replacing-1', 'replacing-2']);
  });

  it('that is paused does nothing, and has the condition ReplicaPaused', async () => {
    await pools.create('paused', 1);
    await pools.patchPool('paused', { paused: true, replicas: 3 });
    const paused = await pools.poolSeen('paused', (pool) => poolCondition(pool, 'ReplicaPaused') !== undefined);
    expect(poolCondition(paused, 'ReplicaPaused')).toMatchObject({
      status: 'True',
      reason: 'SuccessfulPaused',
      message: 'Pool controller is paused',
    });
    // One that is deleted goes all the same.
    await cluster.admin.of(Vm).delete('paused-0', at);
    await pools.counted('paused', 0);
    await pools.patchPool('paused', { paused: false });
    const resumed = await pools.counted('paused', 3);
    expect(resumed.status?.conditions).toBeUndefined();
    await expect
      .poll(() => pools.events('paused'))
      .toEqual(
        expect.arrayContaining([
          'Normal SuccessfulPaused: Pool is paused',
          'Normal SuccessfulResume: Pool is unpaused',
        ]),
      );
  });

  it('releases a VM that loses its label, and creates another with the next free number', async () => {
    await pools.create('detaching', 2);
    await cluster.admin.of(Vm).patch('detaching-0', { metadata: { labels: { pool: 'elsewhere' } } }, merge);
    const free = await pools.vmSeen('detaching-0', ({ metadata }) => !metadata.ownerReferences?.length);
    expect(free.metadata.finalizers).not.toContain(POOL_FINALIZER);
    expect(isDeleting(free)).toBe(false);
    await expect.poll(() => pools.names('detaching')).toEqual(['detaching-1', 'detaching-2']);
    await pools.counted('detaching', 2);
    // With its label back it is nobody's: pools do not adopt.
    await cluster.admin.of(Vm).patch('detaching-0', { metadata: { labels: { pool: 'detaching' } } }, merge);
    await pools.patchPool('detaching', { replicas: 3 });
    await pools.counted('detaching', 3);
    expect(await pools.names('detaching')).toEqual(['detaching-0', 'detaching-1', 'detaching-2', 'detaching-3']);
  });

  it('lets a VM go whose owner reference is removed', async () => {
    await pools.create('disowned', 1);
    await cluster.admin.of(Vm).patch('disowned-0', { metadata: { ownerReferences: null } }, merge);
    await pools.vmSeen('disowned-0', ({ metadata }) => !metadata.finalizers?.includes(POOL_FINALIZER));
    await pools.vmSeen('disowned-1', () => true);
  });

  it('appends the index to names of DataVolumes, and of ConfigMaps and Secrets where it says so', async () => {
    const { spec } = poolDraft('named', 1).spec.virtualMachineTemplate;
    const volumes = [
      { name: 'root', dataVolume: { name: 'named-root' } },
      { name: 'settings', configMap: { name: 'settings' } },
      { name: 'key', secret: { secretName: 'key' } },
    ];
    const template = { ...spec?.template, spec: { domain: { devices: {} }, ...spec?.template.spec, volumes } };
    const nameGeneration = { appendIndexToConfigMapRefs: true };
    const vm = { runStrategy: 'Halted', template, dataVolumeTemplates: withDisk('named').dataVolumeTemplates };
    await cluster.admin.of(Pool).create(poolDraft('named', 2, { nameGeneration }, vm));
    const created = await pools.vmSeen('named-1', () => true);
    expect(created.spec.dataVolumeTemplates?.[0]?.metadata?.name).toBe('named-root-1');
    expect(created.spec.template.spec?.volumes).toEqual([
      { name: 'root', dataVolume: { name: 'named-root-1' } },
      { name: 'settings', configMap: { name: 'settings-1' } },
      { name: 'key', secret: { secretName: 'key' } },
    ]);
    await observed<DataVolume>(cluster.admin, DataVolume, ({ metadata }) => metadata.name === 'named-root-1');
  });
});

describe('autohealing', () => {
  it('replaces a VM that has failed to start so many times', async () => {
    pools.crashing.add('failing');
    await cluster.admin.of(Pool).create(poolDraft('failing', 1, { autohealing: { startUpFailureThreshold: 1 } }));
    const first = await pools.vmSeen('failing-0', () => true);
    await pools.vmSeen('failing-0', ({ metadata }) => metadata.uid !== first.metadata.uid);
    pools.crashing.delete('failing');
    await pools.counted('failing', 1);
    await expect
      .poll(() => pools.events('failing'))
      .toContain(`Normal SuccessfulDelete: Deleted VM shop/failing-0 with uid ${first.metadata.uid} from pool`);
  });

  it('replaces a VM whose claim has been missing for too long', async () => {
    const { spec } = poolDraft('lacking', 1).spec.virtualMachineTemplate;
    const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: 'nowhere' } }];
    const template = { ...spec?.template, spec: { domain: { devices: {} }, ...spec?.template.spec, volumes } };
    const autohealing = { minFailingToStartDuration: '1s' };
    await cluster.admin.of(Pool).create(poolDraft('lacking', 1, { autohealing }, { template }));
    const first = await pools.vmSeen('lacking-0', ({ status }) => status?.printableStatus === 'ErrorPvcNotFound');
    await pools.vmSeen('lacking-0', ({ metadata }) => metadata.uid !== first.metadata.uid);
    await cluster.admin.of(Pool).delete('lacking', at);
  });
});

describe('deletion of a pool', () => {
  it.each(['Background', 'Foreground'] as const)('in the %s deletes its VMs', async (propagationPolicy) => {
    const name = propagationPolicy.toLowerCase();
    await pools.create(name, 2);
    await cluster.admin.of(Pool).delete(name, { ...at, propagationPolicy });
    await gone(cluster.admin, Pool, ({ metadata }) => metadata.name === name);
    await gone(cluster.admin, Vm, isOfPool(name));
    await gone(cluster.admin, Vmi, isOfPool(name));
  });

  it('with Orphan leaves its VMs as they are, and nothing holds them', async () => {
    await pools.create('orphaning', 2);
    await cluster.admin.of(Pool).delete('orphaning', { ...at, propagationPolicy: 'Orphan' });
    await gone(cluster.admin, Pool, ({ metadata }) => metadata.name === 'orphaning');
    await gone<Vm>(
      cluster.admin,
      Vm,
      (vm) => isOfPool('orphaning')(vm) && vm.metadata.finalizers?.includes(POOL_FINALIZER) === true,
    );
    const left = await pools.labelled('orphaning');
    expect(left.map((vm) => [vm.metadata.name, vm.metadata.ownerReferences ?? [], isDeleting(vm)])).toEqual([
      ['orphaning-0', [], false],
      ['orphaning-1', [], false],
    ]);
  });
});

describe('a failure', () => {
  it('by a quota is a condition in the words of the server, gone when there is room', async () => {
    const quota = (hard: string) => ({
      metadata: { name: 'few', ...at },
      spec: { hard: { 'count/virtualmachines.kubevirt.io': hard } },
    });
    const used = (await cluster.admin.of(Vm).list(at)).items.length;
    await cluster.admin.of(ResourceQuota).create(quota(String(used + 1)));
    await observed<ResourceQuota>(cluster.admin, ResourceQuota, ({ status }) => status?.used !== undefined);
    await cluster.admin.of(Pool).create(poolDraft('bounded', 3));
    const refused = await pools.poolSeen('bounded', (pool) => poolCondition(pool, 'ReplicaFailure') !== undefined);
    expect(poolCondition(refused, 'ReplicaFailure')).toMatchObject({ status: 'True', reason: 'FailedScaleOut' });
    expect(poolCondition(refused, 'ReplicaFailure')?.message).toContain('exceeded quota: few');
    await expect
      .poll(async () => (await pools.events('bounded')).join('\n'))
      .toContain('Warning FailedCreate: Error creating VM: ');
    await cluster.admin.of(ResourceQuota).delete('few', at);
    const healthy = await pools.counted('bounded', 3);
    expect(healthy.metadata.name).toBe('bounded');
    await pools.poolSeen('bounded', (pool) => poolCondition(pool, 'ReplicaFailure') === undefined);
  }, 60_000);

  it('of an invalid pool is a condition', async () => {
    await cluster.admin.of(Pool).create(poolDraft('wrong', 2, { selector: { matchLabels: { pool: 'other' } } }));
    const pool = await pools.poolSeen('wrong', ({ status }) => status?.conditions !== undefined);
    expect(poolCondition(pool, 'ReplicaFailure')?.message).toBe(
      'error during scale out: spec.selector (pool=other) does not match the labels of spec.virtualMachineTemplate.metadata',
    );
  });
});
