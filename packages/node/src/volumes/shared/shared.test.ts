import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSharedVolume, Node, type PersistentVolume, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { SHARED_ID, SHARED_STATUS, sharedLabel } from '@vireo/api/kinds/core/volumeNames.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { MANAGED_BY } from '@vireo/api/kinds/volumesnapshot/names.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NAMESPACE, startVolumeCluster, until, type VolumeCluster } from '../testing/cluster.ts';

let cluster: VolumeCluster;
let root: string;
const at = { namespace: NAMESPACE };
const RWX = { accessModes: ['ReadWriteMany'], storageClassName: 'nfs' };

const classOf = (name: string, directory: string) =>
  cluster.admin.of(StorageClass).create({
    metadata: { name },
    provisioner: 'vireo.io/shared',
    parameters: { directory },
    allowVolumeExpansion: true,
  });
const statusUntil = (name: string, is: (status: string) => boolean) =>
  until(async () => {
    const { annotations = {} } = (await cluster.admin.of(StorageClass).get(name)).metadata;
    return is(annotations[SHARED_STATUS] ?? '') ? annotations : undefined;
  });
const diskOf = ({ spec }: PersistentVolume): string => join(spec?.local?.path ?? '', 'disk.img');
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'vireo-shared-'));
  await chmod(root, 0o711);
  cluster = await startVolumeCluster();
  await cluster.addNode('node-2');
  await classOf('nfs', root);
});
afterAll(async () => {
  await cluster?.close();
  await rm(root, { recursive: true, force: true });
});

it('is called ready when every node reads there what the others write and notices their locks', async () => {
  const { [SHARED_ID]: id = '' } = await statusUntil('nfs', (status) => status === 'ready on node-1, node-2');
  expect((await readFile(join(root, '.vireo-shared/id'), 'utf8')).trim()).toBe(id);
  await until(async () => {
    const { items } = await cluster.admin.of(Node).list();
    return items.every(({ metadata }) => metadata.labels?.[sharedLabel(id)] === 'true') || undefined;
  });
});

it('one node makes the volume of a claim, which every node that has the directory reaches', async () => {
  await cluster.claim('common', RWX);
  const volume = await cluster.volumeOf('common');
  expect(isSharedVolume(volume)).toBe(true);
  expect(volume.spec).toMatchObject({
    accessModes: ['ReadWriteMany'],
    local: { path: join(root, volume.metadata.name) },
  });
  expect(JSON.stringify(volume.spec?.nodeAffinity)).toMatch(/shared\.vireo\.io\/[0-9a-f]{16}","operator":"Exists"/);
  // The mark of a volume that no object speaks of goes after the object is there.
  const files = () => readdir(join(root, volume.metadata.name));
  await until(async () => !(await files()).includes('.draft') || undefined);
  expect(await files()).toEqual(['disk.img']);
});

it('grows, is kept in snapshots, and comes back from them on any node', async () => {
  const volume = await cluster.volumeOf('common');
  await writeFile(diskOf(volume), 'kept', { flag: 'r+' });
  const more = { spec: { resources: { requests: { storage: '32Mi' } } } };
  await cluster.admin.of(PersistentVolumeClaim).patch('common', more, { ...at, type: 'merge' });
  await cluster.claimUntil('common', ({ status }) => status?.capacity?.storage === '32Mi');
  await cluster.admin.of(VolumeSnapshot).create({
    metadata: { name: 'moment', ...at },
    spec: { source: { persistentVolumeClaimName: 'common' } },
  });
  await cluster.claim('back', {
    ...RWX,
    resources: { requests: { storage: '32Mi' } },
    dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'moment' },
  });
  expect((await readFile(diskOf(await cluster.volumeOf('back')))).subarray(0, 4).toString()).toBe('kept');
  expect(await readdir(join(root, '.vireo-shared/snapshots'))).toHaveLength(1);
});

it('a snapshot of a node that is gone is dealt with by another that has the directory', async () => {
  const snapshot = await cluster.admin.of(VolumeSnapshot).get('moment', at);
  const content = snapshot.status?.boundVolumeSnapshotContentName ?? '';
  const label = { metadata: { labels: { [MANAGED_BY]: 'node-gone' } } };
  await cluster.admin.of(VolumeSnapshotContent).patch(content, label, { type: 'merge' });
  await cluster.admin.of(VolumeSnapshot).delete('moment', at);
  await until(async () => (await readdir(join(root, '.vireo-shared/snapshots'))).length === 0 || undefined);
});

it('a directory that is not mounted any more starts no guest, takes no data and loses none', async () => {
  await cluster.claim('there', RWX);
  const volume = await cluster.volumeOf('there');
  const away = `${root}-away`;
  await rename(root, away);
  await mkdir(root, { mode: 0o711 });
  const vmi = { metadata: { name: 'web', uid: 'u', ...at }, spec: { domain: {} } } as unknown as Vmi;
  const use = { isReadOnly: false, isShareable: false };
  const missing = `${root} is not mounted: ${join(root, '.vireo-shared/id')} is missing`;
  await expect(cluster.volumes.claimDisk(vmi, 'there', use)).rejects.toThrow(
    `PersistentVolumeClaim ${NAMESPACE}/there: ${missing}`,
  );
  await expect(cluster.volumes.claimDirectory(vmi, 'there')).rejects.toThrow(missing);
  await cluster.admin.of(PersistentVolumeClaim).delete('there', at);
  expect((await cluster.event(volume.metadata.name, 'VolumeFailedDelete')).message).toBe(missing);
  expect(await readdir(root)).toEqual([]);
  await rmdir(root);
  await rename(away, root);
  await until(async () => !(await readdir(root)).includes(volume.metadata.name) || undefined);
});

it('takes its data along when its claim goes, and nothing of others', async () => {
  const { metadata } = await cluster.volumeOf('back');
  await cluster.admin.of(PersistentVolumeClaim).delete('back', at);
  await until(async () => !(await readdir(root)).includes(metadata.name) || undefined);
  expect((await readdir(root)).filter((name) => name.startsWith('pvc-'))).toHaveLength(1);
});

it('a directory that is missing is named by the class and by claims, with the node, until it is there', async () => {
  const missing = join(root, 'later');
  await classOf('later', missing);
  await statusUntil('later', (status) => /node-1: .* does not exist.*; node node-2: .* does not exist/.test(status));
  await cluster.claim('hopeful', { ...RWX, storageClassName: 'later' });
  expect((await cluster.event('hopeful', 'ProvisioningFailed')).message).toContain(
    `node node-2: ${missing} does not exist: mount it there`,
  );
  await mkdir(missing, { mode: 0o711 });
  await cluster.volumeOf('hopeful');
});
