import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isoImage } from '../../iso9660.ts';
import { VolumeStore } from '../store.ts';
import { BadImage } from './badImage.ts';
import { finish, isReceived, place, receive, receiveFile, type Target } from './receive.ts';
import { MIB, packed, pieces, qcow2Of, run, sampleDisk } from './testing/images.ts';

let home: string;
let target: Target;
const signal = new AbortController().signal;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-receive-'));
  const store = new VolumeStore(join(home, 'volumes'));
  await store.open();
  target = { store, name: 'pvc-1', sizeBytes: 8 * MIB, isPreallocated: false };
  await store.create('pvc-1', target.sizeBytes);
});
afterEach(() => rm(home, { recursive: true, force: true }));

const fill = async (data: Buffer): Promise<Buffer> => {
  await receive(target, pieces(data), signal);
  await finish(target, () => {}, signal);
  return readFile(target.store.disk('pvc-1'));
};

/** What is in the directory of the volume. */
const contents = (): Promise<string[]> => readdir(target.store.directory('pvc-1'));

describe('whatever form it comes in, the disk is the same', () => {
  const forms: [string, (disk: Buffer) => Promise<Buffer>][] = [
    ['raw', async (disk) => disk],
    ['gzip', async (disk) => gzipSync(disk)],
    [
      'gzip in two members',
      async (disk) => Buffer.concat([gzipSync(disk.subarray(0, MIB)), gzipSync(disk.subarray(MIB))]),
    ],
    ['xz', (disk) => packed('xz', disk, home)],
    ['zstd', async (disk) => zstdCompressSync(disk)],
    ['qcow2', (disk) => qcow2Of(disk, home)],
    ['compressed qcow2', (disk) => qcow2Of(disk, home, '-c')],
    ['gzipped qcow2', async (disk) => gzipSync(await qcow2Of(disk, home))],
    ['xz of qcow2', async (disk) => packed('xz', await qcow2Of(disk, home), home)],
  ];
  it.each(forms)('%s', async (_, form) => {
    const disk = sampleDisk();
    const made = await fill(await form(disk));
    expect(made.length).toBe(8 * MIB);
    expect(made.subarray(0, disk.length).equals(disk)).toBe(true);
    expect(made.subarray(disk.length).every((byte) => byte === 0)).toBe(true);
    // Holes stay holes, and nothing but the disk stays.
    expect((await stat(target.store.disk('pvc-1'))).blocks * 512).toBeLessThan(2 * MIB);
    expect(await contents()).toEqual(['disk.img']);
  });

  it('an ISO is the disk as it is', async () => {
    const iso = isoImage({ volumeLabel: 'DATA', files: { 'readme.txt': 'hello' } });
    expect((await fill(iso)).subarray(0, iso.length).equals(iso)).toBe(true);
  });

  it('all space is set aside where that is asked for', async () => {
    target = { ...target, isPreallocated: true };
    await fill(sampleDisk());
    expect((await stat(target.store.disk('pvc-1'))).blocks * 512).toBeGreaterThanOrEqual(8 * MIB);
  });
});

describe('what cannot become the disk is refused by name, and leaves nothing behind', () => {
  const image = async (...options: string[]): Promise<Buffer> => {
    const path = join(home, 'evil.qcow2');
    await run('qemu-img', ['create', '-f', 'qcow2', ...options]);
    return readFile(path);
  };
  const evil: [string, () => Promise<Buffer>, RegExp][] = [
    ['larger than the claim', async () => Buffer.alloc(9 * MIB, 1), /larger than the 8 MiB of the claim/],
    ['a bomb of gzip', async () => gzipSync(Buffer.alloc(200 * MIB)), /larger than the 8 MiB of the claim/],
    ['a bomb of xz', () => packed('xz', Buffer.alloc(100 * MIB), home), /larger than the 8 MiB of the claim/],
    ['a bomb of zstd', async () => zstdCompressSync(Buffer.alloc(100 * MIB)), /larger than the 8 MiB of the claim/],
    [
      'a bomb in an image',
      async () => gzipSync(await image(join(home, 'evil.qcow2'), '1T')),
      /its disk is 1 TiB, but the claim is only 8 MiB/,
    ],
    [
      'a larger disk in a small image',
      () => image(join(home, 'evil.qcow2'), '1T'),
      /its disk is 1 TiB, but the claim is only 8 MiB/,
    ],
    [
      'a difference to a file of the host',
      () => image('-u', '-b', '/etc/passwd', '-F', 'raw', join(home, 'evil.qcow2'), '1M'),
      /has a backing file: "\/etc\/passwd"/,
    ],
    [
      'data in a file of the host',
      async () => {
        const bytes = await image(
          '-o',
          `data_file=${join(home, 'x.raw')},data_file_raw=on`,
          join(home, 'evil.qcow2'),
          '1M',
        );
        await rm(join(home, 'x.raw'));
        return bytes;
      },
      /data in an external file|cannot be read/,
    ],
    ['a broken image', async () => (await qcow2Of(sampleDisk(), home)).subarray(0, 70_000), /corrupt or truncated/],
    [
      'broken gzip',
      async () => gzipSync(sampleDisk()).subarray(0, 50_000),
      /looks like gzip but cannot be decompressed/,
    ],
    [
      'broken xz',
      async () => (await packed('xz', sampleDisk(), home)).subarray(0, 50_000),
      /looks like xz but cannot be decompressed/,
    ],
    ['packed twice', async () => gzipSync(gzipSync(sampleDisk())), /compressed twice/],
    ['a tar archive', async () => tarWith('../../../etc/cron.d/evil'), /a tar archive/],
    ['another format', async () => Buffer.concat([Buffer.from('KDMV'), Buffer.alloc(1000)]), /a VMDK image/],
    ['nothing', async () => Buffer.alloc(0), /the data is empty/],
  ];
  it.each(evil)('%s', async (_, data, message) => {
    const error = await fill(await data()).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    expect(error).toBeInstanceOf(BadImage);
    expect((error as Error).message).toMatch(message);
    expect(await contents()).toEqual(['disk.img']);
    expect((await stat(target.store.disk('pvc-1'))).blocks).toBe(0);
  });
});

/** The header of an archive with one file. */
function tarWith(name: string): Buffer {
  const header = Buffer.alloc(1024);
  header.write(name, 0);
  header.write('ustar', 257);
  return header;
}

describe('when it is cut short', () => {
  it('while data comes in, it begins anew', async () => {
    async function* breaking(): AsyncGenerator<Buffer> {
      yield sampleDisk().subarray(0, 2 * MIB);
      throw new Error('the line went dead');
    }
    await expect(receive(target, breaking(), signal)).rejects.toThrow('the line went dead');
    expect(await contents()).toEqual(['disk.img']);
    const disk = sampleDisk();
    expect((await fill(disk)).subarray(0, disk.length).equals(disk)).toBe(true);
  });

  it('after that, another run makes the disk of what came in', async () => {
    const disk = sampleDisk();
    await receive(target, pieces(await qcow2Of(disk, home, '-c')), signal);
    expect(await isReceived(target)).toBe(true);
    await expect(finish(target, () => {}, AbortSignal.abort())).rejects.toThrow();
    expect(await isReceived(target)).toBe(true);
    await finish(target, () => {}, signal);
    expect((await readFile(target.store.disk('pvc-1'))).subarray(0, disk.length).equals(disk)).toBe(true);
    expect(await contents()).toEqual(['disk.img']);
  });

  it('what was written straight to the disk needs no image any more', async () => {
    const disk = sampleDisk();
    await receive(target, pieces(await qcow2Of(disk, home)), signal);
    const filling = join(target.store.directory('pvc-1'), '.filling');
    expect((await readdir(filling)).sort()).toEqual(['disk.raw', 'received']);
    expect(await readFile(join(filling, 'received'), 'utf8')).toBe('raw ');
    await finish(target, () => {}, signal);
    expect((await readFile(target.store.disk('pvc-1'))).subarray(0, disk.length).equals(disk)).toBe(true);
  });

  it('and after a power cut, only of what was on the disk by then', async () => {
    const image = await qcow2Of(sampleDisk(), home, '-c');
    const mark = join(target.store.directory('pvc-1'), '.filling/received');
    await receive(target, pieces(image), signal);
    expect(await isReceived(target)).toBe(true);
    await writeFile(mark, 'qcow2 the-boot-before');
    expect(await isReceived(target)).toBe(false);
    await receive(target, pieces(image), signal, { isDurable: true });
    expect(await readFile(mark, 'utf8')).toBe('qcow2 ');
    expect(await isReceived(target)).toBe(true);
    await writeFile(mark, '');
    expect(await isReceived(target)).toBe(false);
  });
});

describe('a disk that is larger than the claim', () => {
  const large = Buffer.concat([sampleDisk(), sampleDisk(), Buffer.alloc(MIB, 1)]);
  const make = (path: string): Promise<void> => writeFile(path, large);
  it.each<[string, () => Promise<void>]>([
    ['copied', () => place(target, make)],
    [
      'pulled',
      async () => {
        await receiveFile(target, async (path) => {
          await make(path);
          return 'raw';
        });
        await finish(target, () => {}, signal);
      },
    ],
  ])('and is %s is not cut off: the claim keeps its disk, or takes the size of the data', async (_, fillWith) => {
    await expect(fillWith()).rejects.toThrow('its disk is 9 MiB, but the claim is only 8 MiB');
    expect((await stat(target.store.disk('pvc-1'))).size).toBe(8 * MIB);
    target = { ...target, isFitted: true };
    await fillWith();
    expect((await readFile(target.store.disk('pvc-1'))).equals(large)).toBe(true);
  });
});

it('copies that are checked at the same time agree whether they need space', async () => {
  const disks = [target.store.disk('pvc-1')];
  const checks = await Promise.allSettled(Array.from({ length: 8 }, () => target.store.expectSpaceForCopies(disks)));
  expect(checks.map(({ status }) => status)).toEqual(Array(8).fill('fulfilled'));
  expect(await readdir(join(home, 'volumes'))).toEqual(['pvc-1']);
});
