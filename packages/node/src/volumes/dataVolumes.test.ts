import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Event, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import * as names from '@vireo/api/kinds/cdi/names.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pieces, sampleDisk } from './populate/testing/images.ts';
import { NAMESPACE, startVolumeCluster, until, type VolumeCluster } from './testing/cluster.ts';

let cluster: VolumeCluster;
beforeAll(async () => {
  cluster = await startVolumeCluster();
});
afterAll(() => cluster?.close());

const at = { namespace: NAMESPACE };
const DISK = sampleDisk();
const dataVolumes = () => cluster.admin.of(DataVolume);

const create = (name: string, spec: DataVolume['spec'], annotations: Record<string, string> = {}) =>
  dataVolumes().create({
    metadata: { name, ...at, labels: { app: 'x', team: 'y' }, annotations },
    spec: { storage: { resources: { requests: { storage: '8Mi' } } }, ...spec },
  });

const inPhase = (name: string, phase: string): Promise<DataVolume> =>
  until(async () => {
    const found = await dataVolumes().get(name, at);
    return found.status?.phase === phase ? found : undefined;
  });

const diskOf = async (name: string): Promise<Buffer> =>
  readFile(join((await cluster.volumeOf(name)).spec?.local?.path ?? '', 'disk.img'));

const eventsOf = async (name: string): Promise<string[]> => {
  const { items } = await cluster.admin.of(Event).list(at);
  const about = items.filter(
    ({ involvedObject }) => involvedObject.kind === 'DataVolume' && involvedObject.name === name,
  );
  return about.map(({ reason }) => reason ?? '');
};

describe('a DataVolume', () => {
  it('from the web: its claim is filled, and its events tell how', async () => {
    const server = createServer((_, response) => response.end(DISK));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/disk.img`;
    await create('web', { source: { http: { url } } });
    const { status } = await inPhase('web', 'Succeeded');
    server.close();
    expect(status).toMatchObject({ claimName: 'web', progress: '100.0%', restartCount: 0 });
    expect((await diskOf('web')).subarray(0, DISK.length).equals(DISK)).toBe(true);
    const claim = await cluster.admin.of(PersistentVolumeClaim).get('web', at);
    expect(claim.metadata.labels).toMatchObject({ app: 'containerized-data-importer', team: 'y' });
    expect(claim.metadata.ownerReferences).toMatchObject([{ kind: 'DataVolume', name: 'web', controller: true }]);
    expect(claim.spec).toMatchObject({ storageClassName: 'local', accessModes: ['ReadWriteOnce'] });
    await until(async () => (await eventsOf('web')).includes('ImportSucceeded') || undefined);
    expect(await eventsOf('web')).toEqual(expect.arrayContaining(['Bound', 'ImportSucceeded']));
  });

  it('by upload: is ready, and done when it has come', async () => {
    await create('sent', { source: { upload: {} } });
    const ready = await inPhase('sent', 'UploadReady');
    expect(ready.status?.conditions?.find(({ type }) => type === 'Running')?.status).toBe('True');
    const { signal } = new AbortController();
    await cluster.volumes.upload({ claim: `${NAMESPACE}/sent`, data: pieces(DISK), isAsync: false, signal });
    expect((await inPhase('sent', 'Succeeded')).status?.progress).toBe('N/A');
  });

  it('from another claim, as large as that one, and by the name of a DataSource', async () => {
    await inPhase('web', 'Succeeded');
    const source = { pvc: { namespace: NAMESPACE, name: 'web' } };
    await create('copy', { source, storage: {} });
    await inPhase('copy', 'Succeeded');
    expect((await diskOf('copy')).equals(await diskOf('web'))).toBe(true);
    await create('by-name', { sourceRef: { kind: 'DataSource', name: 'linux' }, storage: {} });
    await until(async () => (await eventsOf('by-name')).includes('NotFound') || undefined);
    await cluster.admin.of(DataSource).create({ metadata: { name: 'linux', ...at }, spec: { source } });
    await inPhase('by-name', 'Succeeded');
    await until(async () => {
      const { status } = await cluster.admin.of(DataSource).get('linux', at);
      return status?.conditions?.[0]?.status === 'True' || undefined;
    });
    expect((await diskOf('by-name')).equals(await diskOf('web'))).toBe(true);
  });

  it('that is blank, on a class that waits, waits; asked at once, it does not', async () => {
    const storage = { storageClassName: 'local-wait', resources: { requests: { storage: '4Mi' } } };
    await create('patient', { source: { blank: {} }, storage });
    await inPhase('patient', 'WaitForFirstConsumer');
    await create('urgent', { source: { blank: {} }, storage }, { [names.BIND_IMMEDIATE]: '' });
    await inPhase('urgent', 'Succeeded');
  });

  it('that cannot have a volume says why, until it can', async () => {
    const bound = async () =>
      (await dataVolumes().get('large', at)).status?.conditions?.find(({ type }) => type === 'Bound');
    const huge = { resources: { requests: { storage: '9Ei' } }, storageClassName: 'later' };
    await create('large', { source: { blank: {} }, storage: huge });
    await until(async () => (await bound())?.message?.includes('StorageClass "later" does not exist') || undefined);
    await cluster.admin.of(StorageClass).create({ metadata: { name: 'later' }, provisioner: 'vireo.io/local' });
    await until(
      async () => /PVC large Pending: node .* cannot hold a file of/.test((await bound())?.message ?? '') || undefined,
    );
    await until(async () => (await eventsOf('large')).includes('ProvisioningFailed') || undefined);
  });

  it('whose server does not answer counts its attempts, and says why', async () => {
    await create('bad', { source: { http: { url: 'http://127.0.0.1:9/x' } } });
    const bad = await inPhase('bad', 'ImportInProgress').catch(() => undefined);
    expect(bad?.status?.phase).toBe('ImportInProgress');
    const failing = await until(async () => {
      const found = await dataVolumes().get('bad', at);
      return (found.status?.restartCount ?? 0) > 0 ? found : undefined;
    });
    expect(failing.status?.conditions?.find(({ type }) => type === 'Running')).toMatchObject({
      status: 'False',
      reason: 'Error',
      message: expect.stringContaining('http://127.0.0.1:9/x: connect ECONNREFUSED'),
    });
  });

  it('gets its claim again when that is deleted, and takes it along when it goes', async () => {
    await create('stubborn', { source: { blank: {} } });
    await inPhase('stubborn', 'Succeeded');
    const { uid } = (await cluster.admin.of(PersistentVolumeClaim).get('stubborn', at)).metadata;
    await cluster.admin.of(PersistentVolumeClaim).delete('stubborn', at);
    await until(async () => {
      const claim = await cluster.admin
        .of(PersistentVolumeClaim)
        .get('stubborn', at)
        .catch(() => undefined);
      return (claim && claim.metadata.uid !== uid) || undefined;
    });
    await inPhase('stubborn', 'Succeeded');
    await dataVolumes().delete('stubborn', at);
    await until(async () => {
      const { items } = await cluster.admin.of(PersistentVolumeClaim).list(at);
      return items.every(({ metadata }) => metadata.name !== 'stubborn') || undefined;
    });
  });

  it('adopts a claim where that is allowed, and else leaves it alone', async () => {
    await cluster.claim('mine');
    await create('mine', { source: { blank: {} } });
    await until(async () => (await eventsOf('mine')).includes('ErrResourceExists') || undefined);
    await cluster.claim('given');
    await create('given', { source: { blank: {} } }, { [names.ALLOW_ADOPTION]: 'true' });
    await inPhase('given', 'Succeeded');
  });

  it('prefers the class that is marked for VMs', async () => {
    await cluster.admin.of(StorageClass).create({
      metadata: { name: 'machines', annotations: { 'storageclass.kubevirt.io/is-default-virt-class': 'true' } },
      provisioner: 'vireo.io/local',
    });
    await create('marked', { source: { blank: {} } });
    await inPhase('marked', 'Succeeded');
    expect((await cluster.admin.of(PersistentVolumeClaim).get('marked', at)).spec?.storageClassName).toBe('machines');
  });
});
