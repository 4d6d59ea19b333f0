import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cpioArchive } from './cpio.ts';
import { masterBootRecord } from './disk.ts';
import { withFileLock } from './lock.ts';
import { modulesAlias, modulesDep, parseModuleInfo, withoutSignature } from './modules.ts';
import { downloadedShare, kernelOf, parsePackageAddresses } from './packages.ts';
import { withoutWget } from './rootTrees.ts';

const directory = mkdtempSync(join(tmpdir(), 'vireo-build-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('what apt prints', () => {
  it('names the kernel that the meta package stands for', () => {
    expect(kernelOf('linux-image-amd64\n  Depends: linux-image-6.1.0-54-amd64\n')).toBe('linux-image-6.1.0-54-amd64');
    expect(kernelOf('linux-image-amd64\n  Depends: initramfs-tools\n')).toBeUndefined();
  });

  it('names packages with their versions', () => {
    const text =
      "'http://mirror/zlib1g_1.2.13_amd64.deb' zlib1g_1%3a1.2.13.dfsg-1_amd64.deb 86684 SHA256:00\nother line\n";
    expect(parsePackageAddresses(text)).toEqual([
      { name: 'zlib1g', version: '1:1.2.13.dfsg-1', fileName: 'zlib1g_1%3a1.2.13.dfsg-1_amd64.deb', sizeBytes: 86684 },
    ]);
  });
});

it.each<[string, number | undefined]>([
  ['', undefined],
  ['Get:1 http://mirror bookworm/main amd64 zlib1g [86.7 kB]\n', undefined],
  ['dlstatus:1:0:Retrieving file 1 of 59\n', 0],
  ['Get:7 http://mirror\ndlstatus:7:12.5:Retrieving file 7 of 59\ndlstatus:9:25.0:Retrieving\ndlstatus:9:2', 0.25],
])('apt says in %j that %s of the packages is there', (output, share) => {
  expect(downloadedShare(output)).toBe(share);
});

describe('kernel modules', () => {
  const module = (name: string, ...depends: string[]) => ({
    name,
    path: `kernel/${name}.ko`,
    depends,
    aliases: [`${name}:*`],
  });

  it('say what they need and which devices they drive', () => {
    const info = Buffer.from('\x7fELF\0alias=pci:v1*\0license=GPL\0alias=virtio:d2*\0depends=scsi-mod,virtio\0rest');
    expect(parseModuleInfo(info)).toEqual({ depends: ['scsi_mod', 'virtio'], aliases: ['pci:v1*', 'virtio:d2*'] });
    expect(parseModuleInfo(Buffer.from('\0depends=\0'))).toEqual({ depends: [], aliases: [] });
  });

  it('are listed with all they need, nearest first', () => {
    const modules = [module('a'), module('b', 'a'), module('c', 'b', 'a')];
    expect(modulesDep(modules)).toBe('kernel/a.ko:\nkernel/b.ko: kernel/a.ko\nkernel/c.ko: kernel/b.ko kernel/a.ko');
    expect(modulesAlias([module('a')])).toBe('alias a:* a');
  });

  it('lose their signature and nothing else', () => {
    const trailer = Buffer.alloc(12);
    trailer.writeUInt32BE(5, 8);
    const signed = Buffer.concat([Buffer.from('code12345'), trailer, Buffer.from('~Module signature appended~\n')]);
    expect(withoutSignature(signed).toString()).toBe('code');
    expect(withoutSignature(Buffer.from('no signature here, but long enough')).toString()).toContain('long enough');
  });
});

it('busybox runs no wget of its own', () => {
  const renamed = withoutWget(Buffer.from('code wget\0wc\0wget\0which\0', 'latin1'));
  expect(renamed.toString('latin1')).toBe('code wget\0wc\0wgeu\0which\0');
  expect(() => withoutWget(Buffer.from('other'))).toThrow(/no list of applets/);
});

it('a cpio archive has every entry padded to four bytes, and root as owner', async () => {
  writeFileSync(join(directory, 'file'), 'hello', { mode: 0o755 });
  symlinkSync('file', join(directory, 'link'));
  const text = (await cpioArchive(directory)).toString('latin1');
  expect(text).toMatch(/^070701000000010000(81ed)00000000000000000000000100000000(00000005)/);
  expect(text).toContain(`file\0\0hello${'\0'.repeat(3)}070701`);
  expect(text).toContain('TRAILER!!!\0');
  expect(text.length % 4).toBe(0);
});

it('the partition table has a boot and a root partition that do not overlap', () => {
  const sector = masterBootRecord(Buffer.alloc(440));
  const [boot, root] = [446, 462].map((at) => ({
    type: sector[at + 4],
    start: sector.readUInt32LE(at + 8),
    end: sector.readUInt32LE(at + 8) + sector.readUInt32LE(at + 12),
  }));
  expect([boot?.type, root?.type]).toEqual([0xef, 0x83]);
  expect(boot?.start).toBe(2048);
  expect(root?.start).toBe(boot?.end);
});

it('a lock lets one in at a time, and is free again after a failure', async () => {
  const path = join(directory, 'lock');
  const inside = join(directory, 'inside');
  let entered = 0;
  const work = () =>
    withFileLock(path, async () => {
      expect(existsSync(inside)).toBe(false);
      writeFileSync(inside, '');
      await new Promise((resolve) => setImmediate(resolve));
      rmSync(inside);
      entered++;
    });
  await Promise.all([work(), work(), work()]);
  expect(entered).toBe(3);
  await expect(withFileLock(path, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await work();
  await expect(withFileLock(join(directory, 'no/such/directory'), work)).rejects.toThrow(/cannot be acquired/);
});
