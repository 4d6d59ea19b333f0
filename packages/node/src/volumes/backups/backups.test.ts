import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Persisted, type PersistentVolumeClaim, Pod } from '@vireo/api';
import { IMPORT_SOURCE, POD_PHASE, RUNNING_MESSAGE } from '@vireo/api/kinds/cdi/names.ts';
import type { BackupTarget } from '@vireo/api/kinds/harvester/backupTarget.ts';
import {
  BACKUP_IMPORT_SOURCE,
  BACKUP_WORK_NAMESPACE,
  type BackupWorkRequest,
  type BackupWorkResult,
  backupWorkMetadata,
  backupWorkProgress,
  backupWorkResult,
  type StoredVolume,
} from '@vireo/api/kinds/harvester/backupWork.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { directoryTarget, type TestTarget } from '@vireo/backup/testing/directoryTarget.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NAMESPACE, NODE, startVolumeCluster, until, type VolumeCluster } from '../testing/cluster.ts';

let cluster: VolumeCluster;
let directory: TestTarget;
let target: BackupTarget;
beforeAll(async () => {
  cluster = await startVolumeCluster();
  directory = await directoryTarget();
  target = { type: 'directory', endpoint: `file://${directory.root}`, id: directory.id };
});
afterAll(async () => {
  await cluster?.close();
  await directory?.[Symbol.asyncDispose]();
});

const at = { namespace: NAMESPACE };
const prefix = (name: string): string => `v1/${NAMESPACE}/${name}-u-1/volumes/disk/`;
const pods = () => cluster.admin.of(Pod);

const worker = (name: string, request: BackupWorkRequest, namespace = BACKUP_WORK_NAMESPACE) =>
  pods().create({
    metadata: { name, namespace, ...backupWorkMetadata(request) },
    spec: {
      nodeName: NODE,
      terminationGracePeriodSeconds: 0,
      restartPolicy: 'Never',
      containers: [{ name: 'worker', image: 'vireo/backup-worker' }],
    },
  });
const podUntil = (name: string, is: (pod: Persisted<Pod>) => boolean): Promise<Persisted<Pod>> =>
  until(async () => {
    const pod = await pods().get(name, { namespace: BACKUP_WORK_NAMESPACE });
    return is(pod) ? pod : undefined;
  });
const resultOf = async (name: string): Promise<BackupWorkResult | undefined> =>
  backupWorkResult(await podUntil(name, (pod) => backupWorkResult(pod) !== undefined));
const deleted = (name: string) => pods().delete(name, { namespace: BACKUP_WORK_NAMESPACE });

const diskOf = async (claim: string): Promise<string> =>
  join((await cluster.volumeOf(claim)).spec?.local?.path ?? '', 'disk.img');

/** A claim with data, and the content of a snapshot of it. */
async function snapshotOf(claim: string, text: string): Promise<string> {
  await cluster.claim(claim);
  await writeFile(await diskOf(claim), text, { flag: 'r+' });
  await cluster.admin
    .of(VolumeSnapshot)
    .create({ metadata: { name: claim, ...at }, spec: { source: { persistentVolumeClaimName: claim } } });
  const { status } = await until(async () => {
    const found = await cluster.admin.of(VolumeSnapshot).get(claim, at);
    return found.status?.readyToUse ? found : undefined;
  });
  return status?.boundVolumeSnapshotContentName ?? '';
}

async function uploaded(name: string, text: string): Promise<StoredVolume> {
  const volumeSnapshotContent = await snapshotOf(name, text);
  await worker(`up-${name}`, { operation: 'upload', target, prefix: prefix(name), volumeSnapshotContent });
  return (await resultOf(`up-${name}`)) as StoredVolume;
}

const wanting = (name: string, storage = '16Mi') =>
  cluster.claim(name, { resources: { requests: { storage } } }, { [IMPORT_SOURCE]: BACKUP_IMPORT_SOURCE });
const restoring = (
  from: string,
  sha256: string,
  { metadata }: Persisted<PersistentVolumeClaim>,
): BackupWorkRequest => ({
  operation: 'restore',
  target,
  prefix: prefix(from),
  sha256,
  claim: { namespace: NAMESPACE, name: metadata.name, uid: metadata.uid },
});

it('the data of a snapshot comes back in another claim', async () => {
  const stored = await uploaded('data', 'what was there');
  expect(stored).toMatchObject({ sizeBytes: 16 << 20, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  // Most of the disk are zeros, which are not kept.
  expect(stored.storedBytes).toBeLessThan(2000);
  const claim = await wanting('restored');
  await worker('down-data', restoring('data', stored.sha256, claim));
  expect(await resultOf('down-data')).toEqual({ sizeBytes: 16 << 20, storedBytes: 0, sha256: stored.sha256 });
  expect((await readFile(await diskOf('restored'))).equals(await readFile(await diskOf('data')))).toBe(true);
  const { metadata } = await cluster.claimUntil('restored', () => true);
  expect(metadata.annotations).toMatchObject({ [POD_PHASE]: 'Succeeded', [RUNNING_MESSAGE]: 'Restore Complete' });
  const pod = await podUntil('down-data', () => true);
  expect(backupWorkProgress(pod)).toBe(100);
});

it('a claim that only asks for it gets nothing: the worker pod must be one that controllers have made', async () => {
  const { sha256 } = await uploaded('secret', 'of another namespace');
  const claim = await wanting('greedy');
  await worker('mine', restoring('secret', sha256, claim), NAMESPACE);
  const { metadata } = await cluster.claimUntil('greedy', ({ metadata: { annotations = {} } }) =>
    (annotations[RUNNING_MESSAGE] ?? '').startsWith('waiting for the worker pod'),
  );
  expect(metadata.annotations?.[POD_PHASE]).toBeUndefined();
});

it('a larger claim takes the data, a smaller one says what is wrong', async () => {
  const { sha256 } = await uploaded('fitting', 'hello');
  await worker('larger', restoring('fitting', sha256, await wanting('larger', '32Mi')));
  expect(await resultOf('larger')).toMatchObject({ sizeBytes: 32 << 20 });
  await worker('smaller', restoring('fitting', sha256, await wanting('smaller', '8Mi')));
  expect(await resultOf('smaller')).toEqual({
    error: expect.stringContaining('its disk is 16 MiB, but the claim is only 8 MiB'),
  });
});

it('damaged data never becomes a disk', async () => {
  const { sha256 } = await uploaded('damaged', 'precious');
  const path = join(directory.root, prefix('damaged'), 'chunks/0/0');
  const bytes = await readFile(path);
  await writeFile(path, Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]));
  const claim = await wanting('victim');
  await worker('down-damaged', restoring('damaged', sha256, claim));
  expect(await resultOf('down-damaged')).toEqual({ error: expect.stringContaining('chunks/0/0 in file://') });
  const volume = await cluster.volumeOf('victim');
  expect(await readdir(volume.spec?.local?.path ?? '')).not.toContain('.filling');
});

it('what is in the way is said; a worker pod that has come again tries at once', async () => {
  const volumeSnapshotContent = await snapshotOf('later', 'hello');
  const elsewhere: BackupTarget = { ...target, id: 'another' };
  const request = { operation: 'upload', prefix: prefix('later'), volumeSnapshotContent } as const;
  await worker('up-later', { ...request, target: elsewhere });
  expect(await resultOf('up-later')).toEqual({ error: expect.stringContaining('is another backup target') });
  await deleted('up-later');
  await worker('up-later', { ...request, target });
  const { sha256 } = (await resultOf('up-later')) as StoredVolume;
  const claim = await wanting('late');
  await using other = await directoryTarget();
  const notThere: BackupTarget = { ...target, endpoint: `file://${other.root}` };
  await worker('down-later', { ...restoring('later', sha256, claim), target: notThere } as BackupWorkRequest);
  await podUntil('down-later', ({ status }) => status?.message?.includes('is another backup target') ?? false);
  await deleted('down-later');
  await worker('down-again', restoring('later', sha256, claim));
  expect(await resultOf('down-again')).toMatchObject({ sha256 });
});

it('an upload waits for its snapshot, and goes on after the agent has died', async () => {
  const name = 'survivor';
  await worker(`up-${name}`, { operation: 'upload', target, prefix: prefix(name), volumeSnapshotContent: 'nothing' });
  await podUntil(`up-${name}`, ({ status }) => status?.message === 'VolumeSnapshotContent nothing does not exist');
  await deleted(`up-${name}`);
  const volumeSnapshotContent = await snapshotOf(name, 'hello');
  await worker(`up-${name}`, { operation: 'upload', target, prefix: prefix(name), volumeSnapshotContent });
  await cluster.restart();
  expect(await resultOf(`up-${name}`)).toMatchObject({ sizeBytes: 16 << 20 });
});
