import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { bytesToMove } from './bytesToMove.ts';

const MIB = 1024 * 1024;
const withMemory = (memory: object) => vmiIn('Running', {}, { domain: { devices: {}, memory } });
const guest = withMemory({ guest: '64Mi' });

async function withFile(bytes: number, use: (path: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp('/tmp/vireo-bytes-');
  try {
    const path = join(directory, 'disk.img');
    await writeFile(path, '');
    await truncate(path, bytes);
    await use(path);
  } finally {
    await rm(directory, { recursive: true });
  }
}

it('memory counts as far as the guest may use it', async () => {
  expect(await bytesToMove(guest, [])).toBe(64 * MIB);
  // What is plugged in of a device that could bring 4 GiB.
  expect(await bytesToMove(withMemory({ guest: '1280Mi', maxGuest: '5Gi' }), [])).toBe(1280 * MIB);
});

it('a disk that is copied counts as its guest sees it', () =>
  withFile(8 * MIB, async (path) => {
    const disk = { target: 'vda', volume: 'root', path };
    expect(await bytesToMove(guest, [disk])).toBe(72 * MIB);
    expect(await bytesToMove(guest, [{ ...disk, bytes: 4 * MIB }])).toBe(68 * MIB);
  }));

/** Loop devices are root's, and containers often have none. */
const losetup = (...args: string[]): string => execFileSync('losetup', args, { encoding: 'utf8' }).trim();
const hasLoopDevices = (() => {
  try {
    return process.getuid?.() === 0 && losetup('--find') !== '';
  } catch {
    return false;
  }
})();

it.skipIf(!hasLoopDevices)(
  'a block device that is copied counts with all its bytes',
  { meta: { whySkipped: 'it needs a loop device' } },
  () =>
    withFile(16 * MIB, async (file) => {
      const path = losetup('--find', '--show', file);
      try {
        expect(await bytesToMove(guest, [{ target: 'vda', volume: 'root', path }])).toBe(80 * MIB);
      } finally {
        losetup('--detach', path);
      }
    }),
);
