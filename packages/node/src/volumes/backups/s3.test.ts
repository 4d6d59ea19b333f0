import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigMap, PersistentVolumeClaim, Pod, Secret } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { IMPORT_SOURCE, RUNNING_MESSAGE } from '@vireo/api/kinds/cdi/names.ts';
import { BACKUP_TARGET_SECRET, type BackupTarget, credentialsData } from '@vireo/api/kinds/harvester/backupTarget.ts';
import {
  BACKUP_IMPORT_SOURCE,
  BACKUP_WORK_NAMESPACE,
  type BackupWorkRequest,
  backupWorkMetadata,
  backupWorkResult,
  type StoredVolume,
} from '@vireo/api/kinds/harvester/backupWork.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { openStore } from '@vireo/backup';
import { S3Client } from '@vireo/backup/s3/client.ts';
import { SWIFT_REGION, SWIFT_USER, type Swift, startSwift, whyNoSwift } from '@vireo/backup/testing/swift.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAMESPACE, NODE, startVolumeCluster, until, type VolumeCluster } from '../testing/cluster.ts';

const at = { namespace: NAMESPACE };

describe.skipIf(whyNoSwift)('a node and S3', { meta: { whySkipped: whyNoSwift }, timeout: 120_000 }, () => {
  let cluster: VolumeCluster;
  let swift: Swift;
  let client: S3Client;
  const put = async (path: string, body?: Buffer): Promise<void> => {
    const request = { method: 'PUT', url: new URL(path, swift.https), ...(body && { body }) } as const;
    expect((await client.send(request)).status).toBe(200);
  };
  beforeAll(async () => {
    swift = await startSwift();
    cluster = await startVolumeCluster();
    client = new S3Client({ identity: { ...SWIFT_USER, region: SWIFT_REGION }, cert: swift.cert });
    await put('/backups/');
    await put('/images/');
  }, 240_000);
  afterAll(async () => {
    client?.close();
    await cluster?.close();
    await swift?.[Symbol.asyncDispose]();
  });
  const diskOf = async (claim: string): Promise<string> =>
    join((await cluster.volumeOf(claim)).spec?.local?.path ?? '', 'disk.img');

  /** Carries out a request as a worker pod that names the Secret of the target. */
  async function work(name: string, request: BackupWorkRequest) {
    const sources = [{ secret: { name: BACKUP_TARGET_SECRET.name, optional: true } }];
    await cluster.admin.of(Pod).create({
      metadata: { name, namespace: BACKUP_WORK_NAMESPACE, ...backupWorkMetadata(request) },
      spec: {
        nodeName: NODE,
        containers: [{ name: 'worker', image: 'vireo/backup-worker' }],
        volumes: [{ name: 'target', projected: { sources } }],
      },
    });
    return until(async () =>
      backupWorkResult(await cluster.admin.of(Pod).get(name, { namespace: BACKUP_WORK_NAMESPACE })),
    );
  }

  it('copies a volume to a bucket and back, with the credentials that the worker pod names', async () => {
    const credentials = { ...SWIFT_USER, cert: swift.cert };
    await cluster.admin
      .of(Secret)
      .create({ metadata: { ...BACKUP_TARGET_SECRET }, data: credentialsData(credentials) });
    const where = { bucketName: 'backups', bucketRegion: SWIFT_REGION, virtualHostedStyle: false };
    const unknown: BackupTarget = { type: 's3', endpoint: swift.https, ...where };
    const store = await openStore(unknown, credentials, { runtimeDirectory: cluster.directory });
    const target = { ...unknown, id: await store.accept() };
    await store.close();
    await cluster.claim('data');
    await writeFile(await diskOf('data'), randomBytes(5 << 20), { flag: 'r+' });
    const source = { persistentVolumeClaimName: 'data' };
    await cluster.admin.of(VolumeSnapshot).create({ metadata: { name: 'data', ...at }, spec: { source } });
    const { status } = await until(async () => {
      const found = await cluster.admin.of(VolumeSnapshot).get('data', at);
      return found.status?.readyToUse ? found : undefined;
    });
    const volumeSnapshotContent = status?.boundVolumeSnapshotContentName ?? '';
    const prefix = 'v1/shop/nightly-u-1/volumes/disk/';
    const stored = await work('up', { operation: 'upload', target, prefix, volumeSnapshotContent });
    expect(stored).toMatchObject({ sizeBytes: 16 << 20 });
    const { sha256 } = stored as StoredVolume;
    const { metadata } = await cluster.claim('restored', {}, { [IMPORT_SOURCE]: BACKUP_IMPORT_SOURCE });
    const claim = { ...at, name: metadata.name, uid: metadata.uid };
    expect(await work('down', { operation: 'restore', target, prefix, sha256, claim })).toMatchObject({ sha256 });
    expect((await readFile(await diskOf('restored'))).equals(await readFile(await diskOf('data')))).toBe(true);
  });

  it('fills a DataVolume from an object, with the Secret and the ConfigMap that it names', async () => {
    const disk = Buffer.concat([randomBytes(3 << 20), Buffer.alloc(1 << 20)]);
    await put('/images/os/a%20disk%2B1.img', disk);
    const login = { accessKeyId: SWIFT_USER.accessKeyId, secretKey: SWIFT_USER.secretAccessKey };
    await cluster.admin.of(Secret).create({ metadata: { name: 'login', ...at }, stringData: login });
    await cluster.admin.of(ConfigMap).create({ metadata: { name: 'ca', ...at }, data: { 'ca.pem': swift.cert } });
    const url = `${swift.https}/images/os/a%20disk+1.img`;
    const volume = (name: string, secretRef?: string) =>
      cluster.admin.of(DataVolume).create({
        metadata: { name, ...at },
        spec: {
          source: { s3: { url, certConfigMap: 'ca', ...(secretRef && { secretRef }) } },
          storage: { resources: { requests: { storage: '16Mi' } } },
        },
      });
    await volume('os', 'login');
    await volume('nobody');
    await until(async () => {
      const { status } = await cluster.admin.of(DataVolume).get('os', at);
      return status?.phase === 'Succeeded' || undefined;
    });
    expect((await readFile(await diskOf('os'))).subarray(0, disk.length).equals(disk)).toBe(true);
    const refused = await until(async () => {
      const claim = await cluster.admin.of(PersistentVolumeClaim).get('nobody', at);
      return /answered 4\d\d/.test(claim.metadata.annotations?.[RUNNING_MESSAGE] ?? '') ? claim : undefined;
    });
    expect(refused.status?.phase).toBe('Bound');
  });
});
