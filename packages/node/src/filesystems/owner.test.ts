import { chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FILES, freeRange, idMap, NOBODY, ownerOfConfig, ownerOfDirectory, ownerOfVolume } from './owner.ts';

/** A host with all users, and the user of a guest. */
const IDS = { hasRanges: true, user: { uid: 1_900_000_005, gid: 1_900_000_000 } };
/** A container with few. */
const FEW = { ...IDS, hasRanges: false };

const isRoot = process.getuid?.() === 0;

describe('the users of a share', () => {
  it.each([
    ['a range of its own', { uid: 5000, gid: 6000, count: 10, others: 5000 }, '0 5000 10\n'],
    ['one user', { uid: 5000, gid: 6000, count: 1, others: 5000 }, '0 5000 1\n'],
    ['somebody, and a range', { uid: 1000, gid: 1000, count: 10, others: 5000 }, '0 1000 1\n1 5001 9\n'],
    ['somebody out of the range', { uid: 5003, gid: 5003, count: 10, others: 5000 }, '0 5003 1\n'],
  ])('are mapped: %s', (_, owner, map) => {
    expect(idMap(owner.uid, owner)).toBe(map);
  });

  it('are not the one that the guest runs as, where it only reads', () => {
    const first = NOBODY.uid + 2_047 * NOBODY.count;
    expect(ownerOfConfig(IDS)).toMatchObject({ uid: first + 5, gid: first + 5, count: 1 });
    expect(ownerOfConfig({ hasRanges: true })).toMatchObject({ uid: first, count: 1 });
    expect(first + NOBODY.count).toBeLessThanOrEqual(2 ** 31);
    expect(ownerOfConfig(FEW)).toMatchObject({ uid: FEW.user.gid, gid: FEW.user.gid, count: 1 });
  });

  it('are a range that no other volume has', () => {
    const taken = new Set<number>();
    for (let count = 0; count < 2_046; count++) taken.add(freeRange(taken, '/home/a/volumes'));
    expect(taken.size).toBe(2_046);
    for (const base of taken) expect((base - NOBODY.uid) % NOBODY.count).toBe(0);
    expect(Math.min(...taken)).toBe(NOBODY.uid + NOBODY.count);
    // Behind them are the owners of what guests only read.
    expect(Math.max(...taken) + NOBODY.count).toBe(ownerOfConfig({ hasRanges: true })?.uid);
    expect(taken).toContain(freeRange(taken, '/home/a/volumes'));
    expect(freeRange(new Set(), '/home/a/volumes')).not.toBe(freeRange(new Set(), '/home/b/volumes'));
  });

  it.runIf(isRoot)('stay the same for a volume, and differ between volumes', async () => {
    const volumes = await mkdtemp(join(tmpdir(), 'vireo-owner-'));
    try {
      const files = async (name: string): Promise<string> => {
        await mkdir(join(volumes, name, FILES), { recursive: true });
        return join(volumes, name, FILES);
      };
      const [a, b] = [await files('a'), await files('b')];
      await writeFile(join(a, 'left'), 'by an earlier run that was not root');
      const [ofA, ofB] = await Promise.all([ownerOfVolume(a, volumes, IDS), ownerOfVolume(b, volumes, IDS)]);
      expect(ofA?.uid).not.toBe(ofB?.uid);
      expect(await ownerOfVolume(a, volumes, { hasRanges: true })).toEqual(ofA);
      expect(await stat(join(a, 'left'))).toMatchObject({ uid: ofA?.uid, gid: ofA?.gid });
      expect(await ownerOfDirectory(a, IDS)).toEqual(ofA);
    } finally {
      await rm(volumes, { recursive: true });
    }
  });

  it.runIf(isRoot)('are never root on the host', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'vireo-owner-'));
    try {
      const few = { uid: FEW.user.gid, gid: FEW.user.gid, count: 1, others: FEW.user.gid };
      expect(await ownerOfDirectory(directory, IDS)).toEqual(NOBODY);
      expect(await ownerOfDirectory(directory, FEW)).toEqual(few);
      await chown(directory, 1234, 0);
      expect(await ownerOfDirectory(directory, IDS)).toEqual({ ...NOBODY, uid: 1234 });
      await chown(directory, 1234, 1235);
      expect(await ownerOfDirectory(directory, IDS)).toEqual({ ...NOBODY, uid: 1234, gid: 1235 });
      expect(await ownerOfDirectory(directory, FEW)).toEqual({ ...few, uid: 1234, gid: 1235 });
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
