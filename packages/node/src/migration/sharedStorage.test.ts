import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { SIGNS } from '../volumes/shared/mounted.ts';
import { expectSigns, leaveSigns, type StayingDisk } from './sharedStorage.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp('/tmp/vireo-signs-');
  for (const name of ['class', 'here', 'there']) await mkdir(join(root, name, SIGNS), { recursive: true });
});
afterEach(() => rm(root, { recursive: true }));

const hostDisk = (shared: boolean) => ({ path: '/data/disk.img', type: 'Disk', shared });
const context = (shared = true) => ({
  vmi: vmiIn('Running', {}, { volumes: [{ name: 'data', hostDisk: hostDisk(shared) }] }),
  migrationUid: 'm',
  volumes: { sharedRoot: (path: string) => (path.startsWith(`${root}/class/`) ? join(root, 'class') : undefined) },
});
const disk = (volume: string, place: string): StayingDisk => ({ volume, path: join(root, place, 'disk.img') });

it('the target believes the source where it finds its signs, and nothing is left of them', async () => {
  const disks = [disk('claimed', 'class'), disk('data', 'here')];
  const { signs, remove } = await leaveSigns(disks, context());
  await expectSigns(signs, disks, context());
  await remove();
  expect(await readdir(join(root, 'class', SIGNS))).toEqual([]);
  expect(await readdir(join(root, 'here'))).toEqual([SIGNS]);
});

it('a disk of a host that is another one on the target does not move', async () => {
  const { signs } = await leaveSigns([disk('data', 'here')], context());
  await expect(expectSigns(signs, [disk('data', 'there')], context())).rejects.toThrow(
    'the nodes do not share the disk of volume "data"',
  );
});

it('a disk of a host that nobody calls shared does not move', async () => {
  await expect(leaveSigns([disk('data', 'here')], context(false))).rejects.toThrow(
    'the disk of volume "data" is not on storage that both nodes share',
  );
});
