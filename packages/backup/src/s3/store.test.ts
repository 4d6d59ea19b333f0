import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backupPrefix, beginBackup, commitBackup, listBackups, removeBackup, volumePrefix } from '../backups.ts';
import { openStore } from '../open.ts';
import { type BackupStore, ID_KEY } from '../store.ts';
import { parseTarget } from '../target.ts';
import { SWIFT_DOMAIN, SWIFT_REGION, SWIFT_USER, type Swift, startSwift, whyNoSwift } from '../testing/swift.ts';
import { CHUNK_BYTES, chunkKey } from '../volume/manifest.ts';
import { openVolume } from '../volume/readVolume.ts';
import { writeVolume } from '../volume/writeVolume.ts';
import { S3Client } from './client.ts';

const BUCKET = 'backups';
async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const bytes = (text: string): Buffer => Buffer.from(text);

async function open(fields: Record<string, unknown>, id?: string): Promise<BackupStore> {
  const base = { type: 's3', bucketName: BUCKET, bucketRegion: SWIFT_REGION, ...SWIFT_USER };
  const setting = parseTarget(JSON.stringify({ ...base, ...fields }));
  if (!setting) throw new Error('no target');
  return openStore({ ...setting.target, id }, setting.credentials, { runtimeDirectory: '/nonexistent' });
}

describe.skipIf(whyNoSwift)('S3 as Swift speaks it', { meta: { whySkipped: whyNoSwift }, timeout: 240_000 }, () => {
  let swift: Swift;
  let id: string;
  let store: BackupStore;
  const raw = async (method: 'PUT' | 'GET', path: string, body?: Buffer) => {
    const client = new S3Client({ identity: { ...SWIFT_USER, region: SWIFT_REGION }, cert: undefined });
    const response = await client.send({ method, url: new URL(path, swift.http), ...(body && { body }) });
    client.close();
    return response;
  };
  beforeAll(async () => {
    swift = await startSwift();
    expect((await raw('PUT', `/${BUCKET}/`)).status).toBe(200);
    const unknown = await open({ endpoint: swift.http });
    id = await unknown.accept();
    expect(await unknown.accept()).toBe(id);
    await unknown.close();
    store = await open({ endpoint: swift.http }, id);
  }, 240_000);
  afterAll(async () => {
    await store?.close();
    await swift?.[Symbol.asyncDispose]();
  });

  it('keeps objects by their keys, and lists what follows a prefix', async () => {
    await store.check();
    await store.put('v1/shop/a/backup.json', bytes('1'));
    await store.put('v1/shop/a/volumes/disk/chunks/0/0', bytes('2'));
    await store.put('v1/shop/a/backup.json', bytes('3'));
    expect((await store.get('v1/shop/a/backup.json'))?.toString()).toBe('3');
    expect(await store.get('v1/shop/a/nothing')).toBeUndefined();
    expect(await store.names('v1/shop/a/')).toEqual(['backup.json', 'volumes/']);
    expect(await store.names('v2/')).toEqual([]);
    await store.delete('v1/shop/a/backup.json');
    await store.delete('v1/shop/a/backup.json');
    await store.deleteAll('v1/shop/');
    expect(await store.names('')).toEqual([ID_KEY]);
  });

  it('lists more than a page', async () => {
    const keys = Array.from({ length: 1003 }, (_, index) => `v1/many/${String(index).padStart(5, '0')}`);
    const rest = [...keys];
    const work = async (): Promise<void> => {
      for (let key = rest.pop(); key !== undefined; key = rest.pop()) await store.put(key, bytes('x'));
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect(await collect(store.list('v1/many/'))).toEqual(keys);
    expect(await store.names('v1/many/')).toHaveLength(1003);
    await store.deleteAll('v1/many/');
    expect(await store.names('v1/')).toEqual([]);
  });

  it('a volume comes back as it was, and what was changed is refused', async () => {
    const prefix = backupPrefix({ namespace: 'shop', name: 'nightly', uid: 'u-1' });
    const volume = volumePrefix(prefix, 'disk');
    const disk = Buffer.alloc(CHUNK_BYTES * 5 + 4096);
    randomBytes(CHUNK_BYTES * 2).copy(disk, CHUNK_BYTES);
    await beginBackup(store, prefix, { home: 'h' });
    const read = async (offset: number, length: number): Promise<Buffer> => disk.subarray(offset, offset + length);
    const { sha256 } = await writeVolume(store, volume, { sizeBytes: disk.length, read });
    await commitBackup(store, prefix, { name: 'nightly' });
    expect(await collect(listBackups(store))).toEqual([{ prefix, document: { name: 'nightly' } }]);
    const restored = Buffer.alloc(disk.length);
    for await (const { offset, data } of (await openVolume(store, volume, sha256)).data()) data.copy(restored, offset);
    expect(restored.equals(disk)).toBe(true);
    await raw('PUT', `/${BUCKET}/${chunkKey(volume, 2)}`, bytes('something else'));
    const damaged = (await openVolume(store, volume, sha256)).data();
    await expect(collect(damaged)).rejects.toThrow(`${chunkKey(volume, 2)} in ${store.description} is damaged`);
    await removeBackup(store, prefix);
    expect(await store.names('')).toEqual([ID_KEY]);
  });

  it('trusts the CA that it is given, and no other', async () => {
    const trusting = await open({ endpoint: swift.https, cert: swift.cert }, id);
    await trusting.check();
    await trusting.close();
    const strict = await open({ endpoint: swift.https }, id);
    await expect(strict.check()).rejects.toThrow('set cert to the certificate of its CA');
    await strict.close();
  });

  it.each([
    ['the secret', { secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch', 'check accessKeyId and secretAccessKey'],
    ['the user', { accessKeyId: 'nobody' }, '403', 'check accessKeyId and secretAccessKey'],
    ['the bucket', { bucketName: 'nothing' }, 'NoSuchBucket', 'create the bucket'],
    ['the region', { bucketRegion: 'moon-1' }, 'AuthorizationHeaderMalformed', 'check endpoint and bucketRegion'],
  ])('says what is wrong with %s', async (_, fields, code, advice) => {
    const wrong = await open({ endpoint: swift.http, ...fields }, id);
    const failed = await wrong.check().catch((error: Error) => error.message);
    expect(failed).toContain(code);
    expect(failed).toContain(advice);
    expect(failed).not.toContain(SWIFT_USER.secretAccessKey);
    await wrong.close();
  });

  it('writes nothing into a bucket that is another target', async () => {
    const other = await open({ endpoint: swift.http }, 'another');
    await expect(other.put('v1/x', bytes('x'))).rejects.toThrow(`is ${id}, not another`);
    await other.close();
  });

  const whyNoName = process.env.VIREO_TEST_S3_NAMES
    ? undefined
    : `needs names below ${SWIFT_DOMAIN}: npm run s3 as root`;
  it.skipIf(whyNoName)('finds buckets by the name of the host', { meta: { whySkipped: whyNoName } }, async () => {
    const endpoint = `http://${SWIFT_DOMAIN}:${new URL(swift.http).port}`;
    const hosted = await open({ endpoint, virtualHostedStyle: true }, id);
    await hosted.check();
    await hosted.put('v1/x', bytes('by name'));
    expect((await store.get('v1/x'))?.toString()).toBe('by name');
    await hosted.delete('v1/x');
    await hosted.close();
  });
});
