import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isReason, Namespace, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { IMAGE_ID, IMAGE_SHARED } from '@vireo/api/kinds/harvester/names.ts';
import { isImported, VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIB, pieces, sampleDisk } from './populate/testing/images.ts';
import { NAMESPACE, startVolumeCluster, until, type VolumeCluster } from './testing/cluster.ts';

let cluster: VolumeCluster;
let server: Server;
let url: string;
const DISK = sampleDisk();
const SHA512 = createHash('sha512').update(DISK).digest('hex');
const at = { namespace: NAMESPACE };

beforeAll(async () => {
  cluster = await startVolumeCluster();
  server = createServer((request, response) => {
    if (request.url === '/missing') response.writeHead(404);
    response.end(request.url === '/missing' ? undefined : DISK);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server?.close();
  await cluster?.close();
});

const images = () => cluster.admin.of(VirtualMachineImage);
const create = (name: string, spec: Omit<VirtualMachineImage['spec'], 'displayName'>): Promise<VirtualMachineImage> =>
  images().create({ metadata: { name, ...at }, spec: { displayName: name, ...spec } });
const imageUntil = (name: string, is: (image: VirtualMachineImage) => boolean): Promise<VirtualMachineImage> =>
  until(async () => {
    const image = await images().get(name, at);
    return is(image) ? image : undefined;
  });
const condition = ({ status }: VirtualMachineImage, wanted: string) =>
  status?.conditions?.find(({ type }) => type === wanted);
const diskOf = async (name: string): Promise<Buffer> =>
  readFile(join((await cluster.volumeOf(name)).spec?.local?.path ?? '', 'disk.img'));

describe('an image', () => {
  it('is downloaded, and a claim is made from it', async () => {
    await create('debian', { sourceType: 'download', url: `${url}/disk.img`, checksum: SHA512 });
    const { status } = await imageUntil('debian', isImported);
    expect(status).toMatchObject({
      appliedUrl: `${url}/disk.img`,
      progress: 100,
      failed: 0,
      storageClassName: 'local',
      virtualSize: DISK.length,
    });
    expect(status?.size).toBeGreaterThan(0);
    await cluster.claim('root', {}, { [IMAGE_ID]: `${NAMESPACE}/debian` });
    expect((await diskOf('root')).subarray(0, DISK.length).equals(DISK)).toBe(true);
  });

  it('is for claims of its own namespace, unless it is shared', async () => {
    await cluster.admin.of(Namespace).create({ metadata: { name: 'elsewhere' } });
    const other = { namespace: 'elsewhere' };
    const claims = cluster.admin.of(PersistentVolumeClaim);
    await claims.create({
      metadata: { name: 'borrowed', ...other, annotations: { [IMAGE_ID]: `${NAMESPACE}/debian` } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } },
    });
    expect((await cluster.event('borrowed', 'ProvisioningFailed')).message).toContain(
      'VirtualMachineImage shop/debian is not shared with other namespaces',
    );
    await images().patch('debian', { metadata: { labels: { [IMAGE_SHARED]: 'true' } } }, { ...at, type: 'merge' });
    // The provisioner looks again when the claim changes, or after a while.
    await claims.patch('borrowed', { metadata: { labels: { again: 'yes' } } }, { ...other, type: 'merge' });
    await until(async () => (await claims.get('borrowed', other)).status?.phase === 'Bound' || undefined);
  });

  it('is made of a claim of another namespace', async () => {
    await create('imported', { sourceType: 'export-from-volume', pvcName: 'borrowed', pvcNamespace: 'elsewhere' });
    await imageUntil('imported', isImported);
    expect((await diskOf('imported')).subarray(0, DISK.length).equals(DISK)).toBe(true);
  });

  it('that comes later than its claim is what the claim begins with', async () => {
    await cluster.claim('early', {}, { [IMAGE_ID]: `${NAMESPACE}/late` });
    await cluster.event('early', 'ProvisioningFailed');
    await create('late', { sourceType: 'download', url });
    expect((await diskOf('early')).subarray(0, DISK.length).equals(DISK)).toBe(true);
  });

  it('that is not there, or is no image, makes no claim', async () => {
    await cluster.claim('secret');
    await cluster.claim('thief', {}, { [IMAGE_ID]: `${NAMESPACE}/secret` });
    expect((await cluster.event('thief', 'ProvisioningFailed')).message).toContain(
      'VirtualMachineImage shop/secret does not exist',
    );
    await cluster.claim('garbled', {}, { [IMAGE_ID]: '../x' });
    expect((await cluster.event('garbled', 'ProvisioningFailed')).message).toContain('"../x" is not namespace/name');
  });

  it('that is not what its checksum says fails for good', async () => {
    await create('forged', { sourceType: 'download', url, checksum: '0'.repeat(128) });
    const forged = await imageUntil('forged', (image) => condition(image, 'Imported')?.status === 'False');
    expect(condition(forged, 'Imported')?.message).toContain(`the checksum is sha512:${SHA512}`);
    expect(condition(forged, 'RetryLimitExceeded')?.status).toBe('True');
    await cluster.event('forged', 'ImportFailed');
  });

  it('that cannot be had is given up after so many attempts, and begins anew from another address', async () => {
    await create('gone', { sourceType: 'download', url: `${url}/missing`, retry: 0 });
    const gone = await imageUntil('gone', (image) => condition(image, 'RetryLimitExceeded')?.status === 'True');
    expect(gone.status?.lastFailedTime).toBeDefined();
    expect(condition(gone, 'Imported')?.message).toContain('404 Not Found');
    await until(async () => {
      const found = await cluster.admin
        .of(DataVolume)
        .get('gone', at)
        .catch((error: unknown) => (isReason(error, 'NotFound') ? 'none' : undefined));
      return found === 'none' || undefined;
    });
    await images().patch('gone', { spec: { url: `${url}/there` } }, { ...at, type: 'merge' });
    expect((await imageUntil('gone', isImported)).status).toMatchObject({ failed: 0, appliedUrl: `${url}/there` });
  });

  it('is uploaded; a bad upload is reported, and can be sent again', async () => {
    await create('sent', { sourceType: 'upload' });
    await until(async () => {
      const dataVolume = await cluster.admin
        .of(DataVolume)
        .get('sent', at)
        .catch(() => undefined);
      return dataVolume?.status?.phase === 'UploadReady' || undefined;
    });
    const { signal } = new AbortController();
    const send = (data: Buffer): Promise<void> =>
      cluster.volumes.upload({ claim: `${NAMESPACE}/sent`, data: pieces(data), isAsync: false, signal });
    await expect(send(Buffer.alloc(0))).rejects.toThrow('the data is empty');
    const failed = await imageUntil('sent', (image) => condition(image, 'Imported')?.status === 'False');
    expect(condition(failed, 'Imported')).toMatchObject({ reason: 'UploadFailed', message: 'the data is empty' });
    await send(DISK);
    expect((await imageUntil('sent', isImported)).status?.virtualSize).toBe(DISK.length);
  });

  it('is made of a claim, and takes its data along when it goes', async () => {
    await cluster.claim('root-2', {}, { [IMAGE_ID]: `${NAMESPACE}/debian` });
    await diskOf('root-2');
    await create('exported', { sourceType: 'export-from-volume', pvcName: 'root-2', pvcNamespace: NAMESPACE });
    expect((await imageUntil('exported', isImported)).status?.virtualSize).toBe(16 * MIB);
    expect((await diskOf('exported')).equals(await diskOf('root-2'))).toBe(true);
    await images().delete('exported', at);
    await until(async () => {
      const { items } = await cluster.admin.of(PersistentVolumeClaim).list(at);
      return items.every(({ metadata }) => metadata.name !== 'exported') || undefined;
    });
  });

  it('whose name a DataVolume of somebody has waits until that has gone', async () => {
    const storage = { resources: { requests: { storage: '1Mi' } } };
    await cluster.admin
      .of(DataVolume)
      .create({ metadata: { name: 'taken', ...at }, spec: { source: { blank: {} }, storage } });
    await create('taken', { sourceType: 'download', url });
    const waiting = await imageUntil('taken', (image) => condition(image, 'Initialized')?.status === 'False');
    expect(condition(waiting, 'Initialized')?.message).toContain('DataVolume taken already exists');
    await cluster.admin.of(DataVolume).delete('taken', at);
    await imageUntil('taken', isImported);
  });
});
