import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { NAMESPACE, NODE, startVolumeCluster, until, type VolumeCluster } from '../testing/cluster.ts';

const at = { namespace: NAMESPACE };
const WORK = { namespace: BACKUP_WORK_NAMESPACE };
const ID = 'the-target';

let cluster: VolumeCluster;
let server: Server;
let target: BackupTarget;
let volumeSnapshotContent = '';
/** What the target has, by key. */
const objects = new Map<string, Buffer>();
/** Chunks that are on their way: each is kept when it is let go. */
const stalled: (() => void)[] = [];

/** As much of an S3 server as it takes. It answers to chunks only when it is told to. */
function answer(key: string, query: URLSearchParams, method = '', body: Buffer): Promise<string | undefined> | string {
  if (query.has('list-type')) {
    const keys = [...objects.keys()].filter((each) => each.startsWith(query.get('prefix') ?? ''));
    return `<R>${keys.map((each) => `<Contents><Key>${each}</Key></Contents>`).join('')}</R>`;
  }
  if (method === 'DELETE') objects.delete(key);
  if (method !== 'PUT') return Promise.resolve(method === 'GET' ? objects.get(key)?.toString('latin1') : '');
  return new Promise((resolve) => {
    stalled.push(() => {
      objects.set(key, body);
      resolve('');
    });
  });
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const piece of request) body.push(piece as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
    const text = await answer(pathname.slice('/b/'.length), searchParams, request.method, Buffer.concat(body));
    response.writeHead(text === undefined ? 404 : 200).end(text, 'latin1');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  target = { type: 's3', endpoint, bucketName: 'b', bucketRegion: 'r', virtualHostedStyle: false, id: ID };
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
  server?.closeAllConnections();
  server?.close();
});
beforeEach(() => {
  objects.clear();
  objects.set('vireo-backup-target', Buffer.from(ID));
});

const pods = () => cluster.admin.of(Pod);
const prefixOf = (name: string): string => `v1/${NAMESPACE}/${name}-u-1/`;

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
const stalledBy = (count: number) => expect.poll(() => stalled.length, { timeout: 20_000 }).toBe(count);
const letGo = (): void => {
  for (const go of stalled.splice(0)) go();
};
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
  expect([...objects.keys()]).toEqual(['vireo-backup-target']);
  await pods().delete('second', WORK);
  letGo();
  for (const name of ['first', 'second']) {
    const pod = await stopped(name);
    expect(backupWorkResult(pod)).toEqual({ error: 'the work was cancelled' });
    // What was on its way is there, and nothing follows it.
    expect([...objects.keys()].filter((key) => key.startsWith(prefixOf(name)))).toHaveLength(2);
    await release(pod);
  }
  await release(waiting);
  expect(stalled).toEqual([]);
});

it('an agent that comes back says so of the pods that were deleted meanwhile', async () => {
  await upload('restarted');
  await stalledBy(2);
  const restarted = cluster.restart();
  await pods().delete('restarted', WORK);
  letGo();
  await restarted;
  await release(await stopped('restarted'));
});

it('removes what it wrote itself where nobody waited for it and the backup is gone', async () => {
  await upload('forgotten', []);
  await upload('begun', []);
  await stalledBy(4);
  objects.set(`${prefixOf('begun')}begun.json`, Buffer.from('{}'));
  for (const name of ['forgotten', 'begun']) await pods().delete(name, WORK);
  expect(await pods().find('forgotten', WORK)).toBeUndefined();
  letGo();
  const left = (name: string): string[] => [...objects.keys()].filter((key) => key.startsWith(prefixOf(name)));
  await expect.poll(() => left('begun').length, { timeout: 20_000 }).toBe(3);
  await expect.poll(() => left('forgotten'), { timeout: 20_000 }).toEqual([]);
});
