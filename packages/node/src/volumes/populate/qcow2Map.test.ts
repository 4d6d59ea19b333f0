import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Qcow2Map } from './qcow2Map.ts';
import { MIB, qcow2Of, run } from './testing/images.ts';

const KIB = 1 << 10;
const LIMIT = 64 * MIB;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-qcow2-map-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** What becomes of an image that comes in by pieces of these sizes. */
function placed(image: Buffer, sizes: readonly number[]) {
  const map = Qcow2Map.of(image.subarray(0, 4096), LIMIT);
  if (!map) return undefined;
  const files = { disk: Buffer.alloc(40 * MIB), image: Buffer.alloc(image.length) };
  for (let at = 0, index = 0; at < image.length; index++) {
    const size = sizes[index % sizes.length] ?? MIB;
    for (const { to, bytes, position } of map.take(image.subarray(at, at + size))) bytes.copy(files[to], position);
    at += size;
  }
  return { map, disk: files.disk, kept: files.image };
}

/** The image, made whole again. */
function putBack({ map, disk, kept }: NonNullable<ReturnType<typeof placed>>): Buffer {
  const whole = Buffer.from(kept);
  for (const each of map.placed()) disk.copy(whole, each.image, each.disk, each.disk + each.length);
  return whole;
}

/** A disk with data here and there. */
function scattered(seed: number): Buffer {
  const disk = Buffer.alloc(8 * MIB);
  for (let part = 0; part < 6; part++) {
    const at = ((seed * 7919 + part * 104_729) % 8000) * KIB;
    randomBytes(((seed + part * 37) % 300) * KIB).copy(disk, at);
  }
  return disk;
}

const anySizes = fc.array(fc.integer({ min: 1, max: 2 * MIB }), { minLength: 1, maxLength: 6 });

describe('images that were written in order go straight to the disk', () => {
  const kinds: [string, string[]][] = [
    ['as qemu-img makes them', []],
    ['of version 2', ['-o', 'compat=0.10']],
    ['with large clusters', ['-o', 'cluster_size=1M']],
    ['with all tables ahead', ['-o', 'preallocation=metadata']],
  ];
  it.each(kinds)('%s', async (_, options) => {
    const disk = scattered(options.length + 11);
    const image = await qcow2Of(disk, directory, ...options);
    fc.assert(
      fc.property(anySizes, (sizes) => {
        const got = placed(
          image,
          sizes.map((size) => size + 200),
        );
        expect(got?.map.isComplete).toBe(true);
        expect(got?.map.virtualBytes).toBe(disk.length);
        expect(got?.disk.subarray(0, disk.length).equals(disk)).toBe(true);
        expect(got && putBack(got).equals(image)).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  it('and so do those that a guest wrote to, wherever it did', async () => {
    const path = join(directory, 'guest.qcow2');
    await run('qemu-img', ['create', '-f', 'qcow2', path, '8M']);
    const writes = [5000, 64, 3000, 64, 7000, 1000].flatMap((at, index) => ['-c', `write -P ${index + 1} ${at}k 90k`]);
    await run('qemu-io', ['-f', 'qcow2', ...writes, path]);
    const raw = join(directory, 'guest.raw');
    await run('qemu-img', ['convert', '-f', 'qcow2', '-O', 'raw', path, raw]);
    const [image, disk] = await Promise.all([readFile(path), readFile(raw)]);
    const got = placed(image, [100_003]);
    expect(got?.map.isComplete).toBe(true);
    expect(got?.disk.subarray(0, disk.length).equals(disk)).toBe(true);
  });
});

describe('of all others the image is kept', () => {
  const kinds: [string, string[]][] = [
    ['packed', ['-c']],
    ['packed otherwise', ['-c', '-o', 'compression_type=zstd']],
    ['with parts of clusters', ['-o', 'extended_l2=on']],
    ['with small clusters', ['-o', 'cluster_size=4k']],
  ];
  it.each(kinds)('%s', async (_, options) => {
    const image = await qcow2Of(scattered(3), directory, ...options);
    const got = placed(image, [70_000]);
    expect(got?.map.isComplete ?? false).toBe(false);
    if (got) expect(putBack(got).equals(image)).toBe(true);
  });
});

it('whatever an image says of itself, it is either its disk or had back as it was', async () => {
  const disk = scattered(23);
  const image = await qcow2Of(disk, directory);
  const l1At = Number(image.readBigUInt64BE(40));
  const l2At = Number(image.readBigUInt64BE(l1At) & 0x00ff_ffff_ffff_fe00n);
  const entry = fc.oneof(
    // Something that stands somewhere in the image, or behind it, or nowhere.
    fc
      .tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 3 }))
      .map(([cluster, top]) => (BigInt(top) << 62n) | (BigInt(cluster) << 16n)),
    fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
  );
  const where = fc.oneof(
    fc.constant(l1At),
    fc.integer({ min: 0, max: 127 }).map((at) => l2At + at * 8),
    fc.constant(40),
  );
  const change = fc.tuple(where, entry);
  const path = join(directory, 'hostile.qcow2');
  const raw = join(directory, 'hostile.raw');
  let completed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 3 }),
      anySizes,
      fc.integer({ min: 70_000, max: image.length }),
      async (changes, sizes, length) => {
        const hostile = Buffer.from(image.subarray(0, length));
        for (const [at, value] of changes) if (at + 8 <= length) hostile.writeBigUInt64BE(value, at);
        const got = placed(
          hostile,
          sizes.map((size) => size + 4096),
        );
        if (!got) return;
        expect(putBack(got).equals(hostile)).toBe(true);
        if (!got.map.isComplete) return;
        completed++;
        // Those who know every kind read the same disk.
        await writeFile(path, hostile);
        await run('qemu-img', ['convert', '-f', 'qcow2', '-O', 'raw', path, raw]);
        const theirs = await readFile(raw);
        expect(got.disk.subarray(0, theirs.length).equals(theirs)).toBe(true);
      },
    ),
    { numRuns: 150, examples: [[[[40, BigInt(l1At)]], [MIB], image.length]] },
  );
  expect(completed).toBeGreaterThan(0);
});
