import { ControllerRevision, isConditionTrue, isDeleting } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { POOL_REVISION_LABEL } from '@vireo/api/kinds/pool/names.ts';
import { Informers } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, NAMESPACE } from '../testing/cluster.ts';
import { isOfPool, startPoolCluster, withDisk } from '../testing/poolCluster.ts';
import { poolDraft } from '../testing/pools.ts';
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

describe('an update of the template', () => {
  /** Follows what is unavailable at any time while `run` runs. */
  async function worst(pool: string, run: () => Promise<unknown>): Promise<number> {
    const down = new Set<string>();
    let most = 0;
    const stop = new AbortController();
    const informer = new Informers(cluster.admin).for(Vmi);
    const look = (vmi: Vmi, isThere: boolean) => {
      if (!isOfPool(pool)(vmi)) return;
      const isReady = isThere && !isDeleting(vmi) && isConditionTrue(vmi, 'Ready');
      if (isReady) down.delete(vmi.metadata.name);
      else down.add(vmi.metadata.name);
      most = Math.max(most, down.size);
    };
    informer.on({
      added: (vmi) => look(vmi, true),
      updated: (_, vmi) => look(vmi, true),
      deleted: (vmi) => look(vmi, false),
    });
    informer.start(stop.signal);
    await informer.whenSynced();
    await run();
    stop.abort();
    return most;
  }
  const template = (pool: string, change: object) => ({
    virtualMachineTemplate: { spec: { template: { metadata: { labels: { pool, ...change } } } } },
  });
  const vmis = async (pool: string): Promise<Vmi[]> =>
    (await cluster.admin.of(Vmi).list({ ...at, labelSelector: `pool=${pool}` })).items;
  const uids = async (pool: string) => (await vmis(pool)).map(({ metadata }) => metadata.uid).toSorted();
  /** Every VMI runs with the label. */
  const rolledOut = (pool: string, count: number, label: string, value: string) =>
    expect
      .poll(
        async () =>
          (await vmis(pool)).filter(
            (vmi) => vmi.metadata.labels?.[label] === value && !isDeleting(vmi) && isConditionTrue(vmi, 'Ready'),
          ).length,
        { timeout: 60_000 },
      )
      .toBe(count);

  it('rolls over five VMs one by one, in the order of the policy, and keeps what the guests are known by', async () => {
    const updateStrategy = { proactive: { selectionPolicy: { sortPolicy: 'AscendingOrder' } } } as const;
    await pools.create('rolled', 5, { maxUnavailable: 1, updateStrategy });
    const uuids = async () =>
      (await pools.labelled('rolled')).map(({ spec }) => spec.template.spec?.domain.firmware?.uuid);
    const before = await uuids();
    const order: string[] = [];
    const informer = new Informers(cluster.admin).for(Vmi);
    const stop = new AbortController();
    informer.on({
      added: (vmi) => isOfPool('rolled')(vmi) && vmi.metadata.labels?.version === '2' && order.push(vmi.metadata.name),
    });
    informer.start(stop.signal);
    const most = await worst('rolled', async () => {
      await pools.patchPool('rolled', template('rolled', { version: '2' }));
      await rolledOut('rolled', 5, 'version', '2');
    });
    stop.abort();
    expect(most).toBe(1);
    expect(order).toEqual(['rolled-0', 'rolled-1', 'rolled-2', 'rolled-3', 'rolled-4']);
    expect(await uuids()).toEqual(before);
    expect((await pools.labelled('rolled')).map(({ metadata }) => metadata.labels?.[POOL_REVISION_LABEL])).toEqual(
      Array.from({ length: 5 }, () => 'rolled-2'),
    );
    // What nothing was made from any more is not kept.
    await expect
      .poll(async () =>
        (await cluster.admin.of(ControllerRevision).list(at)).items.map(({ metadata }) => metadata.name),
      )
      .not.toContain('rolled-1');
    await expect
      .poll(() => pools.events('rolled'))
      .toEqual(
        expect.arrayContaining([
          'Normal SuccessfulUpdate: Updated VM shop/rolled-0',
          'Normal SuccessfulDelete: Successfully updated resource shop/rolled-0',
        ]),
      );
  }, 90_000);

  it('restarts nothing where only labels of the VMs change', async () => {
    await pools.create('relabelled', 2);
    const before = await uids('relabelled');
    await cluster.admin.of(Vm).patch('relabelled-0', { metadata: { labels: { mine: 'stays' } } }, merge);
    await pools.patchPool('relabelled', {
      virtualMachineTemplate: { metadata: { labels: { pool: 'relabelled', tier: 'a' } } },
    });
    await expect
      .poll(async () => (await vmis('relabelled')).map(({ metadata }) => metadata.labels?.[POOL_REVISION_LABEL]))
      .toEqual(['relabelled-2', 'relabelled-2']);
    expect((await pools.labelled('relabelled')).map(({ metadata }) => metadata.labels?.tier)).toEqual(['a', 'a']);
    expect((await cluster.admin.of(Vm).get('relabelled-0', at)).metadata.labels?.mine).toBe('stays');
    expect(await uids('relabelled')).toEqual(before);
  });

  it('by the opportunistic strategy changes the VMs, and their VMIs at the next start', async () => {
    await pools.create('waiting', 1, { updateStrategy: { opportunistic: {} } });
    const before = await uids('waiting');
    await pools.patchPool('waiting', template('waiting', { version: '2' }));
    await pools.vmSeen('waiting-0', ({ spec }) => spec.template.metadata?.labels?.version === '2');
    await pools.patchPool('waiting', { replicas: 2 });
    await pools.counted('waiting', 2);
    expect(await uids('waiting')).toContain(before[0]);
    await cluster.admin.of(Vmi).delete('waiting-0', at);
    await rolledOut('waiting', 2, 'version', '2');
  });

  it('by the unmanaged strategy changes new VMs only', async () => {
    await pools.create('unmanaged', 1, { updateStrategy: { unmanaged: {} } });
    await pools.patchPool('unmanaged', { ...template('unmanaged', { version: '2' }), replicas: 2 });
    await pools.counted('unmanaged', 2);
    const versions = (await pools.labelled('unmanaged')).map(({ spec }) => spec.template.metadata?.labels?.version);
    expect(versions).toEqual([undefined, '2']);
  });

  it('reaches only the VMs that the policy selects', async () => {
    const selectors = { labelSelector: { matchLabels: { canary: 'yes' } } };
    await pools.create('canary', 2, { updateStrategy: { proactive: { selectionPolicy: { selectors } } } });
    await cluster.admin.of(Vm).patch('canary-1', { metadata: { labels: { canary: 'yes' } } }, merge);
    await pools.patchPool('canary', template('canary', { version: '2' }));
    await rolledOut('canary', 1, 'version', '2');
    const versions = (await pools.labelled('canary')).map(({ spec }) => spec.template.metadata?.labels?.version);
    expect(versions).toEqual([undefined, '2']);
    // The others follow when they are selected.
    await cluster.admin.of(Vm).patch('canary-0', { metadata: { labels: { canary: 'yes' } } }, merge);
    await rolledOut('canary', 2, 'version', '2');
  });

  it('restarts a VM by a request where its run strategy would leave it stopped', async () => {
    await cluster.admin.of(Pool).create(poolDraft('manual', 1, {}, { runStrategy: 'Manual' }));
    const vm = await pools.vmSeen('manual-0', ({ status }) => status?.printableStatus === 'Stopped');
    await cluster.admin
      .of(Vm)
      .patchStatus(vm.metadata.name, { status: { stateChangeRequests: [{ action: 'Start' }] } }, merge);
    await pools.counted('manual', 1);
    await pools.patchPool('manual', template('manual', { version: '2' }));
    await rolledOut('manual', 1, 'version', '2');
  });

  it('of the DataVolumes replaces the VMs and their disks', async () => {
    await pools.create('refilled', 1, {}, withDisk('refilled'));
    const before = await cluster.admin.of(Vm).get('refilled-0', at);
    const disk = await cluster.admin.of(DataVolume).get('refilled-root-0', at);
    const { dataVolumeTemplates } = withDisk('refilled', '2Gi');
    await pools.patchPool('refilled', { virtualMachineTemplate: { spec: { dataVolumeTemplates } } });
    await pools.vmSeen('refilled-0', (vm) => vm.metadata.uid !== before.metadata.uid && isConditionTrue(vm, 'Ready'));
    const after = await cluster.admin.of(DataVolume).get('refilled-root-0', at);
    expect(after.metadata.uid).not.toBe(disk.metadata.uid);
    expect(after.spec.storage?.resources?.requests?.storage).toBe('2Gi');
  });
});
