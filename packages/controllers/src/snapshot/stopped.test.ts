import { ControllerRevision, type KubeObject, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { describe, expect, it } from 'vitest';
import { Clone } from '../clone/kinds.ts';
import { Restore } from '../restore/kinds.ts';
import { at, source, useSnapshots } from '../testing/snapshots.ts';
import { Writes } from '../testing/watching.ts';
import { Content, Snapshot } from './kinds.ts';

const { admin, startControllers, createVm, take, restore, until, ready, isFree, complete } = useSnapshots();

describe('controllers that stop at any point', () => {
  const KINDS = [
    Snapshot,
    Content,
    VolumeSnapshot,
    Restore,
    Clone,
    Vm,
    PersistentVolumeClaim,
    DataVolume,
    ControllerRevision,
  ];

  it.each([1, 5, 10, 15, 21, 27, 33, 40])('go on where they were, after %i writes: a clone of a VM', async (count) => {
    const name = `stop-${count}`;
    const first = await startControllers();
    await createVm(name);
    const writes = await Writes.follow(admin(), KINDS, ({ metadata }) => !metadata.name?.startsWith(name));
    const before = writes.seen.length;
    await admin()
      .of(Clone)
      .create({
        metadata: { name: `clone-${count}`, ...at },
        spec: { source: source(name), target: source(`copy-${count}`) },
      });
    await writes.reach(before + count);
    await first();
    const second = await startControllers();
    await until<Clone>(Clone, `clone-${count}`, ({ status }) => status?.phase === 'Succeeded' && !status.snapshotName);
    await isFree(name);
    await isFree(`copy-${count}`);
    writes.stop();
    await second();
    const { items } = await admin().of(PersistentVolumeClaim).list(at);
    const copies = items.filter(
      ({ metadata }) => metadata.labels?.['restore.kubevirt.io/source-vm-name'] === name && !metadata.deletionTimestamp,
    );
    expect(copies).toHaveLength(2);
  });

  it.each([2, 6, 10, 15])('go on where they were, after %i writes: a restore in place', async (count) => {
    const name = `again-${count}`;
    const first = await startControllers();
    const vm = await createVm(name);
    await take(name, name);
    await ready(name);
    await isFree(name);
    const isOurs = ({ metadata }: KubeObject): boolean => metadata.name?.startsWith(name) ?? false;
    const writes = await Writes.follow(admin(), KINDS, isOurs);
    const before = writes.seen.length;
    await restore(name, { virtualMachineSnapshotName: name, volumeRestorePolicy: 'InPlace' });
    await writes.reach(before + count);
    await first();
    const second = await startControllers();
    const { metadata } = await complete(name);
    const { spec } = await isFree(name);
    expect(spec.template.spec?.volumes).toEqual(vm.spec.template.spec?.volumes);
    for (const claim of [`${name}-root`, `${name}-data`])
      await until<PersistentVolumeClaim>(
        PersistentVolumeClaim,
        claim,
        (each) => each.metadata.annotations?.['restore.kubevirt.io/lastRestoreUID'] === `${name}-${metadata.uid}`,
      );
    await until<DataVolume>(DataVolume, `${name}-root`, ({ status }) => status?.phase === 'Succeeded');
    writes.stop();
    await second();
  });
});
