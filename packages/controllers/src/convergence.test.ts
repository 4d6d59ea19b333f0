import { ControllerRevision, type KubeObject, Namespace, Pod } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Draft } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from './testing/cluster.ts';
import { gone, observed, Writes } from './testing/watching.ts';

let cluster: Cluster;
const KINDS = [Vm, Vmi, Pod, ControllerRevision];
const at = { namespace: NAMESPACE };
const isOf = (name: string) => (object: KubeObject) =>
  object.metadata.name === name ||
  object.metadata.labels?.app === name ||
  (object.metadata.ownerReferences ?? []).some((owner) => owner.name === name);
const isReady = (name: string) =>
  observed<Vm>(cluster.admin, Vm, ({ metadata, status }) => metadata.name === name && status?.ready === true);
const created = (writes: Writes, kind: string) => writes.seen.filter((write) => write.startsWith(`create ${kind} `));

beforeAll(async () => {
  cluster = await startCluster();
  await cluster.startNode();
});
afterAll(() => cluster.close());

describe('controllers that stop at any point', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    'go on where they were: a start, stopped after %i writes',
    async (count) => {
      const name = `start-${count}`;
      const writes = await Writes.follow(cluster.admin, KINDS, isOf(name));
      const stop = await cluster.startControllers();
      await cluster.admin.of(Vm).create(vmDraft(name));
      await writes.reach(count);
      await stop();
      const stopAgain = await cluster.startControllers();
      await isReady(name);
      await stopAgain();
      writes.stop();
      for (const kind of ['VirtualMachineInstance', 'Pod', 'ControllerRevision'])
        expect(created(writes, kind)).toHaveLength(1);
    },
  );

  it.each([1, 2, 3, 4, 5, 6])('go on where they were: a deletion, stopped after %i writes', async (count) => {
    const name = `end-${count}`;
    const stop = await cluster.startControllers();
    await cluster.admin.of(Vm).create(vmDraft(name));
    await isReady(name);
    const writes = await Writes.follow(cluster.admin, KINDS, isOf(name));
    const before = writes.seen.length;
    await cluster.admin.of(Vm).delete(name, at);
    await writes.reach(before + count);
    await stop();
    const stopAgain = await cluster.startControllers();
    for (const kind of KINDS) await gone(cluster.admin, kind, isOf(name));
    await stopAgain();
    writes.stop();
  });
});

describe('a namespace that goes', () => {
  it('takes its VMs with it, whatever they are doing', async () => {
    const stop = await cluster.startControllers();
    const namespace = 'passing';
    await cluster.admin.of(Namespace).create({ metadata: { name: namespace } });
    const within = (name: string): Draft<Vm> => {
      const vm = vmDraft(name);
      return { ...vm, metadata: { ...vm.metadata, namespace } };
    };
    await cluster.admin.of(Vm).create(within('settled'));
    await isReady('settled');
    await cluster.admin.of(Vm).create(within('starting'));
    await cluster.admin.of(Namespace).delete(namespace);
    await gone(cluster.admin, Namespace, ({ metadata }) => metadata.name === namespace);
    await stop();
  });
});

describe('two controllers at once', () => {
  it('start every VM once', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `pair-${index}`);
    const isOurs = (object: KubeObject) => names.some((name) => isOf(name)(object));
    const writes = await Writes.follow(cluster.admin, KINDS, isOurs);
    const stops = await Promise.all([cluster.startControllers(), cluster.startControllers()]);
    await Promise.all(names.map((name) => cluster.admin.of(Vm).create(vmDraft(name))));
    await Promise.all(names.map(isReady));
    for (const kind of ['VirtualMachineInstance', 'Pod', 'ControllerRevision'])
      expect(created(writes, kind)).toHaveLength(names.length);
    await Promise.all(names.map((name) => cluster.admin.of(Vm).delete(name, at)));
    for (const kind of KINDS) await gone(cluster.admin, kind, isOurs);
    writes.stop();
    await Promise.all(stops.map((stop) => stop()));
  });
});
