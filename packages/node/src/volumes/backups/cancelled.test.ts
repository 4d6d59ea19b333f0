import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Persisted, Pod, Secret } from '@vireo/api';
import { BACKUP_TARGET_SECRET, type BackupTarget, credentialsData } from '@vireo/api/kinds/harvester/backupTarget.ts';
import {
  BACKUP_WORK_NAMESPACE,
  BACKUP_WORK_PROTECTION,
  backupWorkMetadata,
  backupWorkResult,
} from '@vireo/api/kinds/harvester/backupWork.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { type StallingS3, startStallingS3, storedIn } from '@vireo/backup/testing/stallingS3.ts';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { NAMESPACE, NODE, startVolumeCluster, until, type VolumeCluster } from '../testing/cluster.ts';

const at = { namespace: NAMESPACE };
const WORK = { namespace: BACKUP_WORK_NAMESPACE };
const ID = 'the-target';

let cluster: VolumeCluster;
let s3: StallingS3;
let target: BackupTarget;
let volumeSnapshotContent = '';
beforeAll(async () => {
  s3 = await startStallingS3({ isSlow: () => true });
  target = {
    type: 's3',
    endpoint: s3.endpoint,
    bucketName: 'backups',
    bucketRegion: 'r',
    virtualHostedStyle: false,
    id: ID,
  };
  cluster = await startVolumeCluster();
  const data = credentialsData({ accessKeyId: 'me', secretAccessKey: 'secret' });
  await cluster.admin.of(Secret).create({ metadata: { ...BACKUP_TARGET_SECRET }, data });
  await cluster.claim('data');
  const disk = join((await cluster.volumeOf('data')).spec?.local?.path ?? '', 'disk.img');
  await writeFile(disk, randomBytes(5 << 20), { flag: 'r+' });
  const source = { persistentVolumeClaimName: 'data' };
  await cluster.admin.of(VolumeSnapshot).create({ metadata: { name: 'data', ...at }, spec: { source } });
  volumeSnapshotContent = await until(async () => {
    const { status } = await cluster.admin.of(VolumeSnapshot).get('data', at);
    return status?.readyToUse ? status.boundVolumeSnapshotContentName : undefined;
  });
}, 60_000);
afterAll(async () => {
  await cluster?.close();
  await s3?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  s3.objects.clear();
  s3.objects.set('vireo-backup-target', Buffer.from(ID));
});

const pods = () => cluster.admin.of(Pod);
const prefixOf = (name: string): string => `v1/${NAMESPACE}/${name}-u-1/`;

/** What the target has of a backup. */
const left = (name: string): string[] => storedIn(s3).filter((key) => key.startsWith(prefixOf(name)));

/** A worker pod that uploads, as controllers make it, or as it is where nothing keeps it. */
const upload = (name: string, finalizers: string[] = [BACKUP_WORK_PROTECTION]) =>
  pods().create({
    metadata: {
      name,
      finalizers,
      ...WORK,
      ...backupWorkMetadata({
        operation: 'upload',
        target,
        prefix: `${prefixOf(name)}volumes/disk/`,
        volumeSnapshotContent,
      }),
    },
    spec: {
      nodeName: NODE,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'worker', image: 'vireo/backup-worker' }],
      volumes: [
        { name: 'target', projected: { sources: [{ secret: { name: BACKUP_TARGET_SECRET.name, optional: true } }] } },
      ],
    },
  });
/** Resolves when so many chunks are on their way. */
const stalledBy = (count: number) => expect.poll(() => s3.stalled.length, { timeout: 20_000 }).toBe(count);
const stopped = (name: string): Promise<Persisted<Pod>> =>
  until(async () => {
    const pod = await pods().get(name, WORK);
    return backupWorkResult(pod) ? pod : undefined;
  });
const release = async (pod: Persisted<Pod>) => pods().removeFinalizer(pod, BACKUP_WORK_PROTECTION);

it('a pod that is deleted is told that the work has ended when nothing is on its way any more', async () => {
  await upload('first');
  await upload('second');
  await stalledBy(4);
  // No more than two volumes are copied at once.
  await upload('waiting');
  await pods().delete('first', WORK);
  await pods().delete('waiting', WORK);
  const waiting = await stopped('waiting');
  expect(backupWorkResult(waiting)).toEqual({ error: 'the work was cancelled' });
  expect(backupWorkResult(await pods().get('first', WORK))).toBeUndefined();
  expect(storedIn(s3)).toEqual([]);
  await pods().delete('second', WORK);
  s3.letGo();
  for (const name of ['first', 'second']) {
    const pod = await stopped(name);
    expect(backupWorkResult(pod)).toEqual({ error: 'the work was cancelled' });
    // What was on its way is there, and nothing follows it.
    expect(left(name)).toHaveLength(2);
    await release(pod);
  }
  await release(waiting);
  expect(s3.stalled).toEqual([]);
});

it('an agent that comes back says so of the pods that were deleted meanwhile', async () => {
  await upload('restarted');
  await stalledBy(2);
  const restarted = cluster.restart();
  await pods().delete('restarted', WORK);
  s3.letGo();
  await restarted;
  await release(await stopped('restarted'));
});

it('removes what it wrote itself where nobody waited for it and the backup is gone', async () => {
  await upload('forgotten', []);
  await upload('begun', []);
  await stalledBy(4);
  s3.objects.set(`${prefixOf('begun')}begun.json`, Buffer.from('{}'));
  for (const name of ['forgotten', 'begun']) await pods().delete(name, WORK);
  expect(await pods().find('forgotten', WORK)).toBeUndefined();
  s3.letGo();
  await expect.poll(() => left('begun').length, { timeout: 20_000 }).toBe(3);
  await expect.poll(() => left('forgotten'), { timeout: 20_000 }).toEqual([]);
});
