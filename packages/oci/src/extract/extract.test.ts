import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLocalImage } from '../layout/open.ts';
import { extractDisk } from '../pullDisk.ts';
import { diskImage, layoutFiles, sha256, testDisk, testImage, writeLayout } from '../testing/image.ts';
import { type TarMember, tar } from '../testing/tarWriter.ts';

const run = promisify(execFile);
const DISK = testDisk(1_000_000);
const DIR: TarMember = { name: 'disk/', flag: '5' };

let directory: string;
let destination: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-oci-'));
  destination = join(directory, 'disk');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('images on this host', () => {
  const extract = async (path: string) => {
    const source = await openLocalImage(path);
    return extractDisk(source, { architecture: 'amd64', destination }).finally(() => source.close());
  };
  const image = diskImage(DISK);

  it('are read from a layout directory', async () => {
    await writeLayout(join(directory, 'layout'), image);
    expect(await extract(join(directory, 'layout'))).toMatchObject({ digest: image.root });
    expect((await readFile(destination)).equals(DISK)).toBe(true);
  });

  it('are read from an archive of a layout', async () => {
    await writeFile(join(directory, 'image.tar'), tar(layoutFiles(image)));
    expect(await extract(join(directory, 'image.tar'))).toMatchObject({ digest: image.root });
    expect((await readFile(destination)).equals(DISK)).toBe(true);
  });

  it('are read from an archive of docker save, with layers that link to each other', async () => {
    const layer = tar([DIR, { name: 'disk/disk.img', content: DISK }]);
    const config = JSON.stringify({ architecture: 'amd64', rootfs: { diff_ids: [sha256(layer)] } });
    const name = `${sha256(Buffer.from(config)).slice(7)}.json`;
    const archive = (content: Buffer): Buffer =>
      tar([
        { name, content: config },
        { name: 'first/layer.tar', content },
        { name: 'second/layer.tar', flag: '2', linkName: '../first/layer.tar' },
        { name: 'manifest.json', content: JSON.stringify([{ Config: name, Layers: ['second/layer.tar'] }]) },
      ]);
    await writeFile(join(directory, 'saved.tar'), archive(layer));
    await extract(join(directory, 'saved.tar'));
    expect((await readFile(destination)).equals(DISK)).toBe(true);
    await writeFile(join(directory, 'changed.tar'), archive(tar([DIR, { name: 'disk/other.img', content: 'x' }])));
    await expect(extract(join(directory, 'changed.tar'))).rejects.toMatchObject({ code: 'BadDigest' });
  });

  it.each<[string, (files: TarMember[]) => TarMember[], string]>([
    ['no index', (files) => files.filter(({ name }) => name !== 'index.json'), 'BadImage'],
    ['a missing layer', (files) => files.slice(0, 2), 'BadImage'],
    [
      'a changed layer',
      (files) => files.map((each) => ((each.content?.length ?? 0) > 2000 ? { ...each, content: 'changed' } : each)),
      'BadDigest',
    ],
  ])('%s is an error', async (_, change, code) => {
    await writeFile(join(directory, 'image.tar'), tar(change(layoutFiles(image))));
    await expect(extract(join(directory, 'image.tar'))).rejects.toMatchObject({ code });
  });

  it('a blob of a layout that is a link out of it is not followed', async () => {
    const layout = join(directory, 'layout');
    await writeLayout(layout, image);
    const blob = join(layout, 'blobs', image.root.replace(':', '/'));
    await writeFile(join(directory, 'outside'), await readFile(blob));
    await rm(blob);
    await symlink(join(directory, 'outside'), blob);
    await expect(extract(layout)).rejects.toMatchObject({ code: 'BadImage' });
  });
});

describe('what images hold', () => {
  const extract = async (layers: readonly (readonly TarMember[])[], path?: string, limitBytes?: number) => {
    const layout = join(directory, 'layout');
    await rm(layout, { recursive: true, force: true });
    await writeLayout(layout, testImage({ layers }));
    const source = await openLocalImage(layout, 'the image');
    return extractDisk(source, { architecture: 'amd64', destination, path, limitBytes });
  };
  const content = (): Promise<string> => readFile(destination, 'utf8');

  it('the upper layer is what counts', async () => {
    await extract([[DIR, { name: 'disk/a', content: 'lower' }], [{ name: './disk/a', content: 'upper' }]]);
    expect(await content()).toBe('upper');
  });

  it.each<[string, TarMember[]]>([
    ['a whiteout', [{ name: 'disk/.wh.old' }, { name: 'disk/new', content: 'new' }]],
    ['an opaque directory', [{ name: 'disk/.wh..wh..opq' }, { name: 'disk/new', content: 'new' }]],
    ['a whiteout of the directory', [{ name: '.wh.disk' }, DIR, { name: 'disk/new', content: 'new' }]],
  ])('%s hides what is below it', async (_, upper) => {
    await extract([[DIR, { name: 'disk/old', content: 'old' }], upper]);
    expect(await content()).toBe('new');
  });

  it('a disk is found by its path', async () => {
    const layers = [
      [{ name: 'images/one.img', content: 'one' }],
      [{ name: 'images/two.img', content: 'two' }],
      [{ name: 'etc/x', content: 'x' }],
    ];
    expect(await extract(layers, '/images/one.img')).toMatchObject({ path: '/images/one.img' });
    expect(await content()).toBe('one');
  });

  it.each<[string, TarMember[][], string | undefined, string, RegExp]>([
    ['nothing', [[DIR]], undefined, 'NoDisk', /there are no files in \/disk/],
    ['no layers', [], undefined, 'NoDisk', /no layers/],
    [
      'two disks',
      [[{ name: 'disk/a', content: 'a' }], [{ name: 'disk/b', content: 'b' }]],
      undefined,
      'NoDisk',
      /several disks: \/disk\/a, \/disk\/b; set the path/,
    ],
    ['another path', [[{ name: 'disk/a', content: 'a' }]], '/disk/b', 'NoDisk', /no file \/disk\/b/],
    ['a path that leads out', [[]], '/disk/../../etc/shadow', 'BadDisk', /not an absolute path of a file/],
    ['a symbolic link', [[{ name: 'disk/a', flag: '2', linkName: '/etc/shadow' }]], undefined, 'BadDisk', /link/],
    ['a hard link', [[{ name: 'disk/a', flag: '1', linkName: '../../etc/shadow' }]], undefined, 'BadDisk', /link/],
    [
      'a linked directory',
      [[{ name: 'disk', flag: '2', linkName: '/etc' }]],
      undefined,
      'NoDisk',
      /must be a directory/,
    ],
    ['a linked parent', [[{ name: 'x', flag: '2', linkName: '/etc' }]], '/x/shadow', 'NoDisk', /must be a directory/],
    ['a device', [[{ name: 'disk/a', flag: '4' }]], undefined, 'BadDisk', /device/],
    [
      'a name with ..',
      [[{ name: 'disk/../../evil', content: 'x' }]],
      undefined,
      'BadImage',
      /points outside the image/,
    ],
    ['an empty disk', [[{ name: 'disk/a' }]], undefined, 'BadDisk', /is empty/],
    ['a VMDK', [[{ name: 'disk/a', content: 'KDMV....' }]], undefined, 'BadDisk', /VMDK/],
    ['a sparse member', [[{ name: 'disk/a', flag: 'S' }]], undefined, 'BadDisk', /--sparse/],
    [
      'many files',
      [Array.from({ length: 100 }, (_, index) => ({ name: `disk/${index}`, content: 'x' }))],
      undefined,
      'NoDisk',
      /more than 64 files/,
    ],
  ])('%s is refused, and nothing is left', async (_, layers, path, code, message) => {
    await expect(extract(layers, path)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await readdir(directory)).toEqual(['layout']);
  });

  it('absolute names are names in the image', async () => {
    await extract([[{ name: '/disk/a', content: 'inside' }]]);
    expect(await content()).toBe('inside');
  });

  it('a bomb is stopped by what is free, wherever in the layer it is', async () => {
    const bomb = Buffer.alloc(5_000_000);
    const limit = 1_000_000;
    for (const name of ['disk/a', 'usr/share/a'])
      await expect(extract([[{ name, content: bomb }]], undefined, limit)).rejects.toMatchObject({ code: 'TooLarge' });
    const claims = { name: 'disk/a', content: 'x', claimedSize: 2 ** 50 };
    await expect(extract([[claims]])).rejects.toMatchObject({ code: 'TooLarge' });
    expect(await readdir(directory)).toEqual(['layout']);
  });

  it('qcow2 is recognised; one that reads other files is refused', async () => {
    const make = async (name: string, ...options: string[]): Promise<Buffer> => {
      const path = join(directory, name);
      await run('qemu-img', ['create', '-q', '-f', 'qcow2', ...options, path, '1M']);
      const bytes = await readFile(path);
      await rm(path);
      return bytes;
    };
    expect(await extract([[{ name: 'disk/a', content: await make('plain') }]])).toMatchObject({
      format: 'qcow2',
      virtualBytes: 1024 * 1024,
    });
    await rm(destination);
    const backed = await make('backed', '-u', '-b', '/etc/shadow', '-F', 'raw');
    await expect(extract([[{ name: 'disk/a', content: backed }]])).rejects.toThrow(/backing file/);
    const split = await make('split', '-o', `data_file=${join(directory, 'data')},data_file_raw=on`);
    await expect(extract([[{ name: 'disk/a', content: split }]])).rejects.toThrow(/external data file/);
  });
});
