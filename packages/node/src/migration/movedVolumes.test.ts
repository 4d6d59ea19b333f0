import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { writableDisks } from './domainDisks.ts';
import { movedSizes, withMovedDisks } from './movedVolumes.ts';

const MIB = 1024 * 1024;
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp('/tmp/vireo-moved-');
});
afterEach(() => rm(directory, { recursive: true }));

const migratedVolumes = [
  { volumeName: 'data', sourcePVCInfo: { claimName: 'old' }, destinationPVCInfo: { claimName: 'new' } },
];
const vmi = { ...vmiIn('Running'), status: { phase: 'Running', migratedVolumes } };

/** A domain with two disks, of which `data` moves. */
async function domain(bytes: number): Promise<string> {
  const path = join(directory, 'disk.img');
  await writeFile(path, '');
  await truncate(path, bytes);
  const disk = (volume: string, target: string) =>
    `<disk device="disk"><source file="${path}"/><target dev="${target}"/><alias name="ua-${volume}"/></disk>`;
  return `<domain><devices>${disk('root', 'vda')}${disk('data', 'vdb')}</devices></domain>`;
}

describe('a disk that moves to another claim', () => {
  it('is as large as its guest knows it', async () => {
    const disks = writableDisks(await domain(16 * MIB));
    expect(await movedSizes(vmi, disks)).toEqual({ data: 16 * MIB });
    expect(
      await movedSizes(
        vmi,
        disks.map((disk) => ({ ...disk, bytes: 8 * MIB })),
      ),
    ).toEqual({ data: 8 * MIB });
  });

  it('stays as large on a larger one', async () => {
    const xml = await withMovedDisks(vmi, await domain(24 * MIB), { data: 16 * MIB });
    expect(writableDisks(xml).map(({ volume, bytes }) => [volume, bytes])).toEqual([
      ['root', undefined],
      ['data', 16 * MIB],
    ]);
  });

  it('has all of one of the same size', async () => {
    const xml = await domain(16 * MIB);
    expect(await withMovedDisks(vmi, xml, { data: 16 * MIB })).toBe(xml);
  });

  it("does not go to a smaller one, in KubeVirt's words", async () => {
    await expect(withMovedDisks(vmi, await domain(8 * MIB), { data: 16 * MIB })).rejects.toThrow(
      'Volume migration cannot be performed because the destination volume is smaller than the source volume: ' +
        'volume data has 16777216 bytes, and claim new 8388608',
    );
  });

  it('does not go where nobody says how large it is', async () => {
    await expect(withMovedDisks(vmi, await domain(8 * MIB), {})).rejects.toThrow(
      'the size of volume data is not known',
    );
  });
});
