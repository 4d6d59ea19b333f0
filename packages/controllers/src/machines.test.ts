import { ControllerRevision, Event, Pod } from '@vireo/api';
import { Informers } from '@vireo/kube';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Vm, Vmi } from './kinds.ts';
import { type Cluster, gone, machine, NAMESPACE, observed, startCluster } from './testing/cluster.ts';

let cluster: Cluster;
const shown = (word: string, name = 'web') =>
  observed<Vm>(cluster.admin, Vm, ({ metadata, status }) => metadata.name === name && status?.printableStatus === word);
const at = { namespace: NAMESPACE };

beforeEach(async () => {
  cluster = await startCluster();
});
afterEach(async () => {
  await cluster.close();
  expect(cluster.log.entries.filter(({ level }) => level === 'error')).toEqual([]);
});

describe('a machine', () => {
  it('starts with few writes, and is shown as KubeVirt shows it', async () => {
    await cluster.startNode();
    await cluster.startControllers();
    const writes = await countWrites(cluster, async () => {
      await cluster.admin.of(Vm).create(machine('web'));
      await observed<Vmi>(cluster.admin, Vmi, ({ status }) => status?.phase === 'Running');
      await shown('Running');
    });
    console.log(`writes from create to Running: ${writes.length}\n${writes.join('\n')}`);
    expect(writes.length).toBeLessThanOrEqual(10);
    const vm = await observed<Vm>(cluster.admin, Vm, ({ status }) => status?.ready === true);
    expect(vm.status).toMatchObject({
      created: true,
      ready: true,
      printableStatus: 'Running',
      runStrategy: 'Always',
      observedGeneration: 1,
      desiredGeneration: 1,
    });
    const vmi = await cluster.admin.of(Vmi).get('web', at);
    expect(vmi.status).toMatchObject({
      phase: 'Running',
      nodeName: 'fake-node',
      qosClass: 'Burstable',
      launcherContainerImageVersion: 'vireo/virt-launcher',
      virtualMachineRevisionName: `revision-start-vm-${vm.metadata.uid}-1`,
    });
    expect(vmi.metadata.labels).toMatchObject({ app: 'web', 'kubevirt.io/nodeName': 'fake-node' });
    const reasons = async () => (await cluster.admin.of(Event).list(at)).items.map(({ reason }) => reason);
    await expect.poll(reasons).toEqual(expect.arrayContaining(['SuccessfulCreate', 'SuccessfulCreate']));
  });

  it('leaves nothing behind when it is deleted', async () => {
    await cluster.startNode();
    await cluster.startControllers();
    await cluster.admin.of(Vm).create(machine('web'));
    await shown('Running');
    await cluster.admin.of(Vm).delete('web', at);
    await gone(cluster.admin, Vm);
    await gone(cluster.admin, Vmi);
    await gone(cluster.admin, Pod);
    await gone(cluster.admin, ControllerRevision);
  });
});

/** Every write to machines, instances, launchers and revisions, by whomever: each shows as one event of a watch. */
async function countWrites({ admin }: Cluster, act: () => Promise<void>): Promise<string[]> {
  const stop = new AbortController();
  const informers = new Informers(admin);
  const writes: string[] = [];
  for (const kind of [Vm, Vmi, Pod, ControllerRevision] as const) {
    informers.for<Vm>(kind).on({
      added: () => writes.push(`create ${kind.kind}`),
      updated: (old, object) => writes.push(`update ${kind.kind}: ${differing(old, object)}`),
    });
  }
  informers.start(stop.signal);
  await informers.whenSynced();
  await act();
  stop.abort();
  return writes;
}

const differing = (old: object, object: object): string => {
  const [before, after] = [old, object] as [Record<string, object>, Record<string, object>];
  const parts = ['metadata', 'spec', 'status'].map((part) =>
    Object.entries(after[part] ?? {})
      .filter(
        ([key, value]) => JSON.stringify((before[part] as Record<string, object>)?.[key]) !== JSON.stringify(value),
      )
      .map(([key]) => `${part}.${key}`)
      .filter((path) => !/resourceVersion|managedFields/.test(path)),
  );
  return parts.flat().join(' ');
};
