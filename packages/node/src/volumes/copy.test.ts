import { chmod, chown, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { FILES } from '../filesystems/owner.ts';
import { copyVolume } from './copy.ts';
import { DISK_FILE } from './names.ts';

const isRoot = process.getuid?.() === 0;

it('a copy of a volume belongs to nobody who has the original, but for files that guests share', async () => {
  const root = await mkdtemp(join(tmpdir(), 'vireo-copy-'));
  const [from, to] = [join(root, 'from'), join(root, 'to')];
  await mkdir(to);
  const own = async (name: string, uid: number): Promise<void> => {
    await mkdir(dirname(join(from, name)), { recursive: true });
    await writeFile(join(from, name), name, { mode: 0o600 });
    if (isRoot) await chown(join(from, name), uid, uid);
  };
  await own(DISK_FILE, 1_900_000_001);
  await own('nvram/vars.fd', 1_900_000_001);
  await own(join(FILES, 'report'), 2_013_331_456);
  await chmod(join(from, dirname(FILES)), 0o700);
  await symlink('/etc/passwd', join(from, 'nvram/link'));
  await copyVolume(join(from, DISK_FILE), join(to, DISK_FILE));
  const self = process.getuid?.() ?? 0;
  const owners = Object.fromEntries(
    await Promise.all(
      [DISK_FILE, 'nvram/vars.fd', join(FILES, 'report')].map(async (name) => [
        name,
        (await lstat(join(to, name))).uid,
      ]),
    ),
  );
  expect(owners).toEqual({
    [DISK_FILE]: self,
    'nvram/vars.fd': self,
    [join(FILES, 'report')]: isRoot ? 2_013_331_456 : self,
  });
  expect((await lstat(join(to, 'nvram/link'))).isSymbolicLink()).toBe(true);
  expect((await lstat(join(to, 'nvram/vars.fd'))).mode & 0o777).toBe(0o600);
  expect((await lstat(join(to, dirname(FILES)))).mode & 0o777).toBe(0o700);
  await rm(root, { recursive: true });
});
