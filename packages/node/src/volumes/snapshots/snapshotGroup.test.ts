import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Persisted } from '@vireo/api';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { TAKEN_WITH, TAKEN_WITH_COUNT } from '@vireo/api/kinds/volumesnapshot/names.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { systemClock } from '@vireo/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NAMESPACE, startVolumeCluster, until, type VolumeCluster } from '../testing/cluster.ts';
import { GROUP_TIMEOUT_MS } from './group.ts';

let cluster: VolumeCluster;
beforeAll(async () => {
  // So far ahead of the server's that whoever waits for the rest of a group has done so for long.
  cluster = await startVolumeCluster({ clock: { ...systemClock, now: () => Date.now() + GROUP_TIMEOUT_MS } });
});
afterAll(() => cluster?.close());

const at = { namespace: NAMESPACE };
const snapshots = () => cluster.admin.of(VolumeSnapshot);
const directoryOf = async (claim: string): Promise<string> => (await cluster.volumeOf(claim)).spec?.local?.path ?? '';

const take = (name: string, claim: string, group?: string) =>
  snapshots().create({
    metadata: { name, ...at, ...(group && { annotations: { [TAKEN_WITH]: group, [TAKEN_WITH_COUNT]: '2' } }) },
    spec: { source: { persistentVolumeClaimName: claim } },
  });

const ready = (name: string): Promise<VolumeSnapshot> =>
  until(async () => {
    const found = await snapshots().get(name, at);
    return found.status?.readyToUse ? found : undefined;
  });

const contentOf = (name: string): Promise<Persisted<VolumeSnapshotContent>> =>
  until(async () => {
    const { items } = await cluster.admin.of(VolumeSnapshotContent).list();
    return items.find(({ spec }) => spec.volumeSnapshotRef.name === name);
  });

/** A VM that writes to two claims. */
async function writer(): Promise<string> {
  const vmi = await cluster.admin.of(VirtualMachineInstance).create({
    metadata: { name: 'pair', ...at },
    spec: {
      domain: { devices: { disks: ['root', 'data'].map((name) => ({ name, disk: {} })) } },
      volumes: ['root', 'data'].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    },
  });
  const { uid } = vmi.metadata;
  cluster.domains.add(uid);
  for (const claim of ['root', 'data'])
    await until(() =>
      cluster.volumes.claimDisk(vmi, claim, { isReadOnly: false, isShareable: false }).catch(() => undefined),
    );
  return uid;
}

it('disks of one moment are copied in one pause of their guest, when all of them are asked for', async () => {
  await cluster.claim('root');
  await cluster.claim('data');
  const uid = await writer();
  await take('root-1', 'root', 'moment');
  const first = await contentOf('root-1');
  // Snapshots by themselves go past those that wait.
  await take('alone', 'data');
  await ready('alone');
  expect((await cluster.admin.of(VolumeSnapshotContent).get(first.metadata.name)).status?.readyToUse).toBeFalsy();
  cluster.asked.length = 0;
  const waiting = await until(async () => {
    const found = await snapshots().get('root-1', at);
    return found.status?.error ? found : undefined;
  });
  expect(waiting.status?.error?.message).toContain('waiting for the snapshots of the other disks of moment');
  await take('data-1', 'data', 'moment');
  const [root, data] = [await ready('root-1'), await ready('data-1')];
  expect(cluster.asked).toEqual([`paused ${uid}`]);
  expect(root.status?.creationTime).toBe(data.status?.creationTime);
  expect(root.status?.error).toBeUndefined();
});

it('a group that was cut short is copied again as a whole', async () => {
  await writeFile(join(await directoryOf('root'), 'disk.img'), 'before', { flag: 'r+' });
  const kept = join(cluster.directory, '../snapshots');
  await take('root-2', 'root', 'again');
  const { metadata } = await contentOf('root-2');
  // As a run leaves it that ends between two copies.
  const half = join(kept, metadata.name, 'disk.img');
  await mkdir(dirname(half));
  await writeFile(half, 'half of another moment');
  await take('data-2', 'data', 'again');
  await ready('root-2');
  expect((await readFile(half)).subarray(0, 6).toString()).toBe('before');
});

it('what is kept beside a disk comes along, and comes back', async () => {
  await cluster.claim('state');
  const nvram = join(await directoryOf('state'), 'nvram');
  await mkdir(nvram);
  await writeFile(join(nvram, 'vars.fd'), 'boot order');
  await take('state-1', 'state');
  await ready('state-1');
  await rm(nvram, { recursive: true });
  const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'state-1' };
  await cluster.claim('state-again', { dataSource });
  expect(await readFile(join(await directoryOf('state-again'), 'nvram/vars.fd'), 'utf8')).toBe('boot order');
});
