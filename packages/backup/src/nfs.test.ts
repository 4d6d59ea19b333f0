import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from './open.ts';
import type { BackupStore } from './store.ts';
import { openVolume } from './volume/readVolume.ts';
import { writeVolume } from './volume/writeVolume.ts';

const run = promisify(execFile);
// A server's exports are those of the whole host.
const why = process.env.VIREO_TEST_LAB === '1' ? undefined : 'exports directories by NFS: npm run lab';

const mountsBelow = async (directory: string): Promise<string[]> =>
  (await readFile('/proc/self/mounts', 'utf8')).split('\n').filter((line) => line.split(' ')[1]?.startsWith(directory));

it.runIf(process.getuid?.() !== 0)('says that only root can mount', async () => {
  const target = { type: 'nfs', endpoint: 'nfs://127.0.0.1:/srv' } as const;
  await expect(openStore(target, {}, { runtimeDirectory: tmpdir() })).rejects.toThrow('use type directory');
});

describe.skipIf(why)('a directory of an NFS server', { meta: { whySkipped: why } }, () => {
  let directory: string;
  const exported = (): string => join(directory, 'server');
  const open = (id?: string, path = exported()): Promise<BackupStore> =>
    openStore({ type: 'nfs', endpoint: `nfs://127.0.0.1:${path}`, id }, {}, { runtimeDirectory: directory });
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vireo-nfs-'));
    await chmod(directory, 0o755);
    await mkdir(exported());
    await run('exportfs', ['-o', 'rw,insecure,no_root_squash,fsid=9', `127.0.0.1:${exported()}`]);
  });
  afterAll(async () => {
    await run('exportfs', ['-u', `127.0.0.1:${exported()}`]).catch(() => {});
    await rm(directory, { recursive: true, force: true });
  });

  it('is mounted while a store is open, without programs, devices, rights and links', async () => {
    const unknown = await open();
    const id = await unknown.accept();
    await unknown.close();
    expect(await mountsBelow(directory)).toEqual([]);
    const store = await open(id);
    const [mount = ''] = await mountsBelow(directory);
    for (const option of ['nosuid', 'nodev', 'noexec', 'nosymfollow', 'soft'])
      expect(mount.split(' ')[3]?.split(',')).toContain(option);
    await store.check();
    const read = async (offset: number, length: number): Promise<Buffer> => Buffer.alloc(length, offset ? 'b' : 'a');
    const { sha256, sizeBytes } = await writeVolume(store, 'v1/shop/n-1/volumes/d/', { sizeBytes: 5 << 20, read });
    const volume = await openVolume(store, 'v1/shop/n-1/volumes/d/', sha256);
    expect(volume.sizeBytes).toBe(sizeBytes);
    for await (const { offset, data } of volume.data()) expect(data.toString('utf8', 0, 1)).toBe(offset ? 'b' : 'a');
    await store.deleteAll('v1/');
    await store.close();
    expect(await mountsBelow(directory)).toEqual([]);
    expect(await readdir(join(directory, 'backup-targets'))).toEqual([]);
  });

  it('is unmounted when the process that mounted it has died', async () => {
    const left = join(directory, 'backup-targets', '999999-dead');
    await mkdir(left, { recursive: true });
    await run('mount', ['-t', 'nfs4', `127.0.0.1:${exported()}`, left]);
    const store = await open();
    expect(await mountsBelow(left)).toEqual([]);
    await store.close();
  });

  it('says what is in the way', async () => {
    await expect(open(undefined, '/nothing')).rejects.toThrow(
      /nfs:\/\/127\.0\.0\.1:\/nothing cannot be mounted: .*(No such file|access denied)/,
    );
    const id = (await readFile(join(exported(), 'vireo-backup-target'), 'utf8')).trim();
    await run('exportfs', ['-o', 'ro,insecure,no_root_squash,fsid=9', `127.0.0.1:${exported()}`]);
    const store = await open(id);
    try {
      await expect(store.check()).rejects.toThrow('is mounted read-only');
      await run('exportfs', ['-o', 'rw,insecure,root_squash,fsid=9', `127.0.0.1:${exported()}`]);
      await expect(store.check()).rejects.toThrow('export it with no_root_squash');
    } finally {
      await store.close();
    }
  });
});
