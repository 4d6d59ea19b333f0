import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { type Clock, systemClock } from '@vireo/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NAMESPACE, startVolumeCluster, until, type VolumeCluster } from '../testing/cluster.ts';

let cluster: VolumeCluster;
/** Of a node that hears of changes, and never looks again of its own accord. */
const clock: Clock = {
  ...systemClock,
  after: (ms, run) => (ms < 10_000 ? systemClock.after(ms, run) : () => {}),
};
beforeAll(async () => {
  cluster = await startVolumeCluster({ clock });
});
afterAll(() => cluster?.close());

const at = { namespace: NAMESPACE };
const snapshots = () => cluster.admin.of(VolumeSnapshot);
const diskOf = async (name: string): Promise<string> =>
  join((await cluster.volumeOf(name)).spec?.local?.path ?? '', 'disk.img');

const snapshot = (name: string, claim: string) =>
  snapshots().create({ metadata: { name, ...at }, spec: { source: { persistentVolumeClaimName: claim } } });

const ready = (name: string): Promise<VolumeSnapshot> =>
  until(async () => {
    const found = await snapshots().get(name, at);
    return found.status?.readyToUse ? found : undefined;
  });

const beginning = async (name: string): Promise<string> =>
  (await readFile(await diskOf(name))).subarray(0, 5).toString();

it('a snapshot keeps a moment, whatever becomes of the claim', async () => {
  await cluster.claim('data');
  await writeFile(await diskOf('data'), 'first', { flag: 'r+' });
  await snapshot('moment', 'data');
  const { status, metadata, spec } = await ready('moment');
  expect(spec.volumeSnapshotClassName).toBe('local');
  expect(status).toMatchObject({
    restoreSize: '16777216',
    boundVolumeSnapshotContentName: `snapcontent-${metadata.uid}`,
  });
  expect(Date.now() - Date.parse(status?.creationTime ?? '')).toBeLessThan(60_000);
  await writeFile(await diskOf('data'), 'later', { flag: 'r+' });
  const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'moment' };
  await cluster.claim('restored', { dataSource });
  expect(await beginning('restored')).toBe('first');
  expect(await beginning('data')).toBe('later');
  await cluster.admin.of(DataVolume).create({
    metadata: { name: 'by-volume', ...at },
    spec: { source: { snapshot: { namespace: NAMESPACE, name: 'moment' } }, storage: {} },
  });
  await until(async () => {
    const { status: of } = await cluster.admin.of(DataVolume).get('by-volume', at);
    return of?.phase === 'Succeeded' || undefined;
  });
  expect(await beginning('by-volume')).toBe('first');
  for (const reason of ['CreatingSnapshot', 'SnapshotReady']) await cluster.event('moment', reason);
});

it('a guest that writes is paused for it, and told of a larger disk', async () => {
  const vmi = await cluster.admin.of(VirtualMachineInstance).create({
    metadata: { name: 'writer', ...at },
    spec: {
      domain: { devices: { disks: [{ name: 'd', disk: {} }] } },
      volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });
  const { uid } = vmi.metadata;
  cluster.domains.add(uid);
  await until(() =>
    cluster.volumes.claimDisk(vmi, 'data', { isReadOnly: false, isShareable: false }).catch(() => undefined),
  );
  await snapshot('live', 'data');
  await ready('live');
  expect(cluster.asked).toEqual([`paused ${uid}`]);
  const more = { spec: { resources: { requests: { storage: '20Mi' } } } };
  await cluster.admin.of(PersistentVolumeClaim).patch('data', more, { ...at, type: 'merge' });
  await cluster.claimUntil('data', ({ status }) => status?.capacity?.storage === '20Mi');
  expect(cluster.asked).toContain(`resize ${uid} ${20 << 20}`);
});

it('a snapshot of nothing says so, and is made when there is something', async () => {
  await snapshot('early', 'late');
  expect((await cluster.event('early', 'SnapshotPVCSourceMissing')).message).toContain('shop/late does not exist');
  expect((await snapshots().get('early', at)).status?.error?.message).toContain('does not exist');
});

it('a claim of a snapshot that is yet to come is made when it is there', async () => {
  const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'coming' };
  await cluster.claim('waits', { dataSource, resources: { requests: { storage: '20Mi' } } });
  expect((await cluster.event('waits', 'ProvisioningFailed')).message).toContain('shop/coming does not exist');
  await snapshot('coming', 'data');
  expect(await beginning('waits')).toBe('later');
});

it('a restore that is too small is refused by its size', async () => {
  const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'moment' };
  await cluster.claim('small', { dataSource, resources: { requests: { storage: '1Mi' } } });
  expect((await cluster.event('small', 'ProvisioningFailed')).message).toMatch(
    /has 16 MiB, but only 1 MiB was requested/,
  );
});

it('takes its data along when it goes', async () => {
  await cluster.admin.of(PersistentVolumeClaim).delete('small', at);
  for (const name of ['moment', 'live', 'early', 'coming']) await snapshots().delete(name, at);
  await until(async () => ((await snapshots().list(at)).items.length === 0 ? true : undefined));
  expect((await cluster.admin.of(VolumeSnapshotContent).list()).items).toEqual([]);
  expect(await readdir(join(cluster.directory, '../snapshots'))).toEqual([]);
  expect(await beginning('restored')).toBe('first');
});
