import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BackupStore } from '../store.ts';
import { directoryTarget, storeLike } from '../testing/directoryTarget.ts';
import { CHUNK_BYTES, chunkKey, digestOf, MOST_DISK_BYTES, manifestKey, pack } from './manifest.ts';
import { openVolume } from './readVolume.ts';
import { type DiskData, writeVolume } from './writeVolume.ts';

const prefix = 'v1/shop/nightly-u-1/volumes/disk/';

const diskOf = (bytes: Buffer): DiskData => ({
  sizeBytes: bytes.length,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
});

/** Chunks 0 and 2 are of zeros, 1 and the last, which is short, are not. */
function someDisk(): Buffer {
  const disk = Buffer.alloc(CHUNK_BYTES * 3 + 1000);
  randomBytes(CHUNK_BYTES).copy(disk, CHUNK_BYTES);
  disk.write('the end', disk.length - 7);
  return disk;
}

async function restored(store: BackupStore, sha256: string): Promise<Buffer> {
  const volume = await openVolume(store, prefix, sha256);
  const disk = Buffer.alloc(volume.sizeBytes);
  for await (const { offset, data } of volume.data()) data.copy(disk, offset);
  return disk;
}

it('a disk comes back as it was, and its zeros take no room', async () => {
  await using target = await directoryTarget();
  const disk = someDisk();
  const shares: number[] = [];
  const stored = await writeVolume(target.store, prefix, diskOf(disk), { onProgress: (share) => shares.push(share) });
  expect(stored.sizeBytes).toBe(disk.length);
  expect(stored.storedBytes).toBeLessThan(CHUNK_BYTES + 2000);
  expect(shares.at(-1)).toBe(1);
  expect(await target.store.names(`${prefix}chunks/0/`)).toEqual(['1', '3']);
  expect((await restored(target.store, stored.sha256)).equals(disk)).toBe(true);
  expect((await openVolume(target.store, prefix, stored.sha256)).storedBytes).toBe(stored.storedBytes);
});

it.each([0, 1, CHUNK_BYTES, CHUNK_BYTES + 1, CHUNK_BYTES * 9])('a disk of %d bytes', async (length) => {
  await using target = await directoryTarget();
  const disk = Buffer.alloc(length, 'x');
  const { sha256 } = await writeVolume(target.store, prefix, diskOf(disk));
  expect((await restored(target.store, sha256)).equals(disk)).toBe(true);
});

it('data that was changed or lost is refused by the name of the object', async () => {
  await using target = await directoryTarget();
  const { store, root } = target;
  const { sha256 } = await writeVolume(store, prefix, diskOf(someDisk()));
  const key = chunkKey(prefix, 3);
  const path = join(root, key);
  const whole = await readFile(path);
  const flipped = Buffer.from(whole);
  flipped.writeUInt8(flipped.readUInt8(9) ^ 1, 9);
  await writeFile(path, flipped);
  await expect(restored(store, sha256)).rejects.toThrow(`${key} in ${store.description} is damaged: its SHA-256 is`);
  await writeFile(path, whole.subarray(0, -1));
  await expect(restored(store, sha256)).rejects.toThrow(`${key} in ${store.description} is damaged`);
  await rm(path);
  await expect(restored(store, sha256)).rejects.toThrow(`${key} is missing in ${store.description}`);
});

it('a manifest that was replaced is refused, even by one that is right in itself', async () => {
  await using target = await directoryTarget();
  const { store } = target;
  const { sha256 } = await writeVolume(store, prefix, diskOf(someDisk()));
  await writeVolume(store, prefix, diskOf(Buffer.alloc(CHUNK_BYTES, 'y')));
  await expect(openVolume(store, prefix, sha256)).rejects.toThrow(
    `${manifestKey(prefix)} in ${store.description} is damaged`,
  );
});

describe('a manifest that others have written', () => {
  const HEAD = { version: 1, sizeBytes: CHUNK_BYTES * 2, chunkBytes: CHUNK_BYTES, compression: 'zstd', chunks: 1 };
  const DIGEST = 'a'.repeat(64);
  const text = (head: object, ...lines: string[]): string =>
    [JSON.stringify({ ...HEAD, ...head }), ...lines].join('\n');
  const stored = async (store: BackupStore, manifest: string | Buffer): Promise<string> => {
    const bytes = await pack(Buffer.from(manifest));
    await store.put(manifestKey(prefix), bytes);
    return digestOf(bytes);
  };

  it.each([
    ['that is empty', ''],
    ['that is no JSON', '{'],
    ['of another format', '[]'],
    ['of a newer version', text({ version: 2 }, `0 10 ${DIGEST}`)],
    ['of no size', text({ sizeBytes: null }, `0 10 ${DIGEST}`)],
    ['of a size below nothing', text({ sizeBytes: -1, chunks: 0 })],
    ['of half a byte', text({ sizeBytes: 0.5, chunks: 0 })],
    ['with too few chunks', text({})],
    ['with too many chunks', text({}, `0 10 ${DIGEST}`, `1 10 ${DIGEST}`)],
    ['with a chunk behind the end', text({}, `2 10 ${DIGEST}`)],
    ['with a chunk twice', text({ chunks: 2 }, `1 10 ${DIGEST}`, `1 10 ${DIGEST}`)],
    ['with a chunk without digest', text({}, '0 10 a')],
    ['with lines of nothing', `${text({})}${'\n'.repeat(100)}`],
  ])('%s is damaged', async (_, manifest) => {
    await using target = await directoryTarget();
    const sha256 = await stored(target.store, manifest);
    await expect(openVolume(target.store, prefix, sha256)).rejects.toMatchObject({ name: 'Damaged' });
  });

  it('is read as far as that of a disk that fits, and no further', async () => {
    await using target = await directoryTarget();
    const { store } = target;
    const disk = CHUNK_BYTES * 2;
    const fits = await stored(store, text({}, `1 10 ${DIGEST}`));
    expect((await openVolume(store, prefix, fits, { mostBytes: disk })).sizeBytes).toBe(disk);
    const bomb = await stored(store, Buffer.alloc(1 << 24, '\n'));
    await expect(openVolume(store, prefix, bomb, { mostBytes: disk })).rejects.toMatchObject({
      name: 'Damaged',
      message: expect.stringContaining('cannot be decompressed'),
    });
    const large = await stored(store, randomBytes(1 << 16));
    await expect(openVolume(store, prefix, large, { mostBytes: disk })).rejects.toThrow('it has more than');
  });
});

it('a disk that is too large to be restored is not backed up', async () => {
  await using target = await directoryTarget();
  const disk: DiskData = { sizeBytes: MOST_DISK_BYTES + 1, read: async () => Buffer.alloc(0) };
  await expect(writeVolume(target.store, prefix, disk)).rejects.toThrow('at most 17592186044416 can be backed up');
  expect(await target.store.names('v1/')).toEqual([]);
});

it('a disk that cannot be read whole has no manifest', async () => {
  await using target = await directoryTarget();
  const { store } = target;
  const short: DiskData = { sizeBytes: CHUNK_BYTES * 2, read: async () => Buffer.alloc(10) };
  await expect(writeVolume(store, prefix, short)).rejects.toThrow('the disk ends after');
  expect(await store.get(manifestKey(prefix))).toBeUndefined();
});

it('ends when it is cancelled, with nothing under way', async () => {
  await using target = await directoryTarget();
  const cancelled = new AbortController();
  let underway = 0;
  const disk: DiskData = {
    sizeBytes: CHUNK_BYTES * 50,
    read: async (_, length) => {
      underway += 1;
      if (underway === 4) cancelled.abort(new Error('enough'));
      return Buffer.alloc(length, 'x');
    },
  };
  await expect(writeVolume(target.store, prefix, disk, { signal: cancelled.signal })).rejects.toThrow('enough');
  expect(underway).toBeLessThan(10);
  expect(await target.store.get(manifestKey(prefix))).toBeUndefined();
});

it('has a few chunks in memory, however large the disk and slow the target', async () => {
  await using target = await directoryTarget();
  let most = 0;
  let now = 0;
  const slow = storeLike(target.store, {
    put: async (key, bytes) => {
      now += 1;
      most = Math.max(most, now);
      await target.store.put(key, bytes);
      now -= 1;
    },
  });
  await writeVolume(slow, prefix, diskOf(Buffer.alloc(CHUNK_BYTES * 16, 'x')));
  expect(most).toBeLessThanOrEqual(4);
});
