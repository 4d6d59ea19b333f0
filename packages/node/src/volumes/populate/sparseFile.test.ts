import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SparseFile } from './sparseFile.ts';

const KIB = 1 << 10;
const MIB = 1 << 20;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-sparse-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function sparseFile(chunks: readonly Buffer[], sizeBytes = 0): Promise<{ path: string; file: SparseFile }> {
  const path = join(directory, 'file');
  const file = await SparseFile.create(path, { isDurable: true });
  for (const chunk of chunks) await file.write(chunk);
  await file.finish(sizeBytes);
  return { path, file };
}

it('has what was written, in whatever pieces it came and wherever it is zero', async () => {
  const chunk = fc.tuple(fc.integer({ min: 0, max: 200 * KIB }), fc.boolean());
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 40 }), async (sizes) => {
      const chunks = sizes.map(([size, isZero], index) => Buffer.alloc(size, isZero ? 0 : index + 1));
      const whole = Buffer.concat(chunks);
      const { path, file } = await sparseFile(chunks);
      expect(file.length).toBe(whole.length);
      expect((await readFile(path)).equals(whole)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

it('takes parts in any order, gives them back, and cuts off what stands behind its data', async () => {
  const path = join(directory, 'parts');
  const file = await SparseFile.create(path, { isDurable: true });
  await file.write(Buffer.alloc(100 * KIB, 2), 200 * KIB);
  await file.write(Buffer.alloc(100 * KIB, 1), 0);
  const read = Buffer.alloc(300 * KIB, 9);
  await file.read(read, 50 * KIB);
  const [ones, zeros, twos] = [Buffer.alloc(50 * KIB, 1), Buffer.alloc(100 * KIB), Buffer.alloc(100 * KIB, 2)];
  expect(read.equals(Buffer.concat([ones, zeros, twos, Buffer.alloc(50 * KIB)]))).toBe(true);
  await file.finish(280 * KIB, 250 * KIB);
  const kept = await readFile(path);
  expect(kept.length).toBe(280 * KIB);
  expect(kept.subarray(240 * KIB, 250 * KIB).every((byte) => byte === 2)).toBe(true);
  expect(kept.subarray(250 * KIB).every((byte) => byte === 0)).toBe(true);
});

it('has holes where there were zeros, and up to its size', async () => {
  const data = Buffer.alloc(MIB, 1);
  const { path } = await sparseFile([data, Buffer.alloc(20 * MIB), data], 64 * MIB);
  const { size, blocks } = await stat(path);
  expect(size).toBe(64 * MIB);
  expect(blocks * 512).toBeLessThan(3 * MIB);
});

it('a disk that does not take the data is an error, not a shorter file', async () => {
  const file = await SparseFile.create('/dev/full', { isDurable: false });
  await expect(file.write(Buffer.alloc(MIB, 1))).rejects.toThrow('ENOSPC');
  await file.abandon();
});
