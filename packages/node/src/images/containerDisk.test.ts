import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { imageFiles } from '../disks/imageFiles.ts';
import { ImageStore } from '../disks/images.ts';
import { containerDiskChecksums, containerDiskFiles, makeContainerDisk } from './containerDisk.ts';

const run = promisify(execFile);

describe('a local image, for a guest with a user of its own', () => {
  let home: string;
  let elsewhere: string;
  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'vireo-container-disk-')));
    elsewhere = join(home, 'elsewhere');
    for (const name of ['vmi', 'images/golden', 'images/derived', 'elsewhere'])
      await mkdir(join(home, name), { recursive: true });
  });
  afterEach(() => rm(home, { recursive: true }));

  const files = () => containerDiskFiles(join(home, 'vmi'), 'root');
  const make = (image: string) =>
    makeContainerDisk({ image }, files(), {
      images: new ImageStore({ directory: join(home, 'images'), cache: join(home, 'cache'), log: () => {} }),
      readSecret: async () => ({}),
      isPrivate: true,
    });
  const qemuImg = (...words: string[]) => run('qemu-img', words);
  /** What QEMU reads through the overlay, by whatever names it has for it. */
  const contentOf = async (overlay: string): Promise<string> => {
    const raw = join(home, 'raw');
    await qemuImg('convert', '-O', 'raw', overlay, raw);
    return (await readFile(raw)).subarray(0, 5).toString();
  };
  const golden = async (): Promise<string> => {
    const path = join(home, 'images/golden/disk.raw');
    await writeFile(path, Buffer.alloc(1 << 20, 'gold!'), { mode: 0o600 });
    return path;
  };

  it('of one file is linked', async () => {
    const image = await golden();
    expect(await make('golden')).toEqual([files().base]);
    expect((await stat(image)).ino).toBe((await stat(files().base)).ino);
    // It came out of no container image, so nobody knows its checksum.
    expect(await containerDiskChecksums(join(home, 'vmi'))).toEqual({});
  });

  it.each([
    ['a relative', '../golden/disk.raw'],
    ['an absolute', undefined],
  ])('with %s backing file stays where it is, and is known with all of its files', async (_, name) => {
    const image = await golden();
    const derived = join(home, 'images/derived/disk.qcow2');
    await qemuImg('create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', name ?? image, derived);
    const backing = [derived, image];
    expect(await make('derived')).toEqual(backing);
    await expect(access(files().base)).rejects.toThrow('ENOENT');
    expect(await contentOf(files().overlay)).toBe('gold!');
    // We may have ended before anything was granted. What a guest has written since does not count.
    await writeFile(files().overlay, 'anything');
    expect(await make('derived')).toEqual(backing);
  });

  it("that is somebody else's file is read in its place, not linked", async () => {
    const image = join(elsewhere, 'theirs.qcow2');
    await qemuImg('create', '-q', '-f', 'qcow2', image, '1M');
    await symlink(image, join(home, 'images/derived/disk.qcow2'));
    expect(await make('derived')).toEqual([image]);
    expect((await stat(image)).nlink).toBe(1);
    expect(await readFile(files().overlay, 'latin1')).toContain(image);
  });

  it('that is a link to one with a backing file is known by both paths', async () => {
    const image = await golden();
    const theirs = join(elsewhere, 'theirs.qcow2');
    const chosen = join(home, 'images/derived/disk.qcow2');
    await qemuImg('create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', '../images/golden/disk.raw', theirs);
    await symlink(theirs, chosen);
    // QEMU, too, has names count from the link.
    await mkdir(join(home, 'images/images'));
    await symlink(dirname(image), join(home, 'images/images/golden'));
    const linked = join(home, 'images/images/golden/disk.raw');
    expect(await make('derived')).toEqual([chosen, linked, theirs, image]);
    expect(await contentOf(files().overlay)).toBe('gold!');
  });

  it('with its data in a file of its own has that one, too', async () => {
    const image = join(elsewhere, 'head.qcow2');
    const data = join(elsewhere, 'data.raw');
    await qemuImg('create', '-q', '-f', 'qcow2', '-o', `data_file=${data},data_file_raw=on`, image, '1M');
    expect(await imageFiles({ path: image, format: 'qcow2' })).toEqual([image, data]);
  });

  it('leads nowhere else than to files', async () => {
    const image = join(elsewhere, 'remote.qcow2');
    await qemuImg('create', '-q', '-u', '-f', 'qcow2', '-F', 'raw', '-b', 'nbd://192.0.2.1/disk', image, '1M');
    expect(await imageFiles({ path: image, format: 'qcow2' })).toEqual([image]);
    const looping = join(elsewhere, 'loop.qcow2');
    await qemuImg('create', '-q', '-u', '-f', 'qcow2', '-F', 'qcow2', '-b', 'loop.qcow2', looping, '1M');
    await expect(imageFiles({ path: looping, format: 'qcow2' })).rejects.toThrow('lies on more than 64 files');
  });
});
