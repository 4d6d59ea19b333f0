import { open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import type { Unpacked } from './unpacked.ts';

const MiB = 1 << 20;
const sectorBytes = 512;

/** Where things are on the disk, in bytes. */
export const layout = {
  boot: { start: 1 * MiB, size: 55 * MiB },
  root: { start: 56 * MiB, size: 456 * MiB },
  end: 512 * MiB,
} as const;

/** The files of the boot partition: their path there and what is in them. */
export type BootFiles = Readonly<Record<string, Buffer>>;

/** Writes a sparse disk with a boot partition for BIOS and UEFI and an ext4 root partition of the files in `root`. */
export async function writeDisk(
  image: string,
  { unpacked, bootFiles, root, scratch }: { unpacked: Unpacked; bootFiles: BootFiles; root: string; scratch: string },
): Promise<void> {
  const disk = await open(image, 'w');
  await disk.truncate(layout.end);
  await disk.write(masterBootRecord(await readFile(unpacked.path('usr/lib/syslinux/mbr/mbr.bin'))), 0, undefined, 0);
  await disk.close();
  await writeBootPartition(image, unpacked, bootFiles, scratch);
  await writeRootPartition(image, unpacked, root, scratch);
  const written = await open(image, 'r+');
  await written.sync();
  await written.close();
}

/** The first sector: boot code and a partition table of two entries. */
export function masterBootRecord(bootCode: Buffer): Buffer {
  const sector = Buffer.alloc(sectorBytes);
  bootCode.copy(sector, 0, 0, 440);
  sector.writeUInt32LE(0x5669_7265, 440);
  // An EFI system partition that is active at the same time: BIOS boots what is active, UEFI what is of this type.
  writePartition(sector, 446, { active: true, type: 0xef, ...layout.boot });
  writePartition(sector, 462, { active: false, type: 0x83, ...layout.root });
  sector.writeUInt16LE(0xaa55, 510);
  return sector;
}

function writePartition(
  sector: Buffer,
  at: number,
  { active, type, start, size }: { active: boolean; type: number; start: number; size: number },
): void {
  // Cylinders, heads and sectors are at their maximum, which says: use the linear addresses.
  const beyond = Buffer.from([0xfe, 0xff, 0xff]);
  sector.writeUInt8(active ? 0x80 : 0, at);
  beyond.copy(sector, at + 1);
  sector.writeUInt8(type, at + 4);
  beyond.copy(sector, at + 5);
  sector.writeUInt32LE(start / sectorBytes, at + 8);
  sector.writeUInt32LE(size / sectorBytes, at + 12);
}

async function writeBootPartition(image: string, unpacked: Unpacked, files: BootFiles, scratch: string): Promise<void> {
  const { start, size } = layout.boot;
  const partition = ['-i', `${image}@@${start}`];
  // syslinux calls mtools by name, and both need nothing but the C library.
  const env = { PATH: `${unpacked.path('usr/bin')}:${process.env.PATH}`, MTOOLS_SKIP_CHECK: '1' };
  const run = (program: string, args: string[]) => runCommand(unpacked.path('usr/bin', program), args, { env });
  const geometry = [
    '-c',
    '16',
    '-h',
    '16',
    '-s',
    '63',
    '-T',
    String(size / sectorBytes),
    '-H',
    String(start / sectorBytes),
  ];
  await run('mformat', [...partition, ...geometry, '-v', 'VIREO-BOOT', '::']);
  const directories = new Set(Object.keys(files).flatMap(parentDirectories));
  if (directories.size > 0) await run('mmd', [...partition, ...[...directories].map((path) => `::${path}`)]);
  for (const [path, content] of Object.entries(files)) {
    const source = join(scratch, 'boot-file');
    await writeFile(source, content);
    await run('mcopy', [...partition, source, `::${path}`]);
  }
  await run('syslinux', ['--install', '--offset', String(start), image]);
}

const parentDirectories = (path: string): string[] => {
  const steps = path.split('/').slice(0, -1);
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
};

async function writeRootPartition(image: string, unpacked: Unpacked, root: string, scratch: string): Promise<void> {
  const { start, size } = layout.root;
  const extended = `offset=${start},root_owner=0:0,no_copy_xattrs,lazy_itable_init=1,lazy_journal_init=1`;
  const options = ['-q', '-F', '-t', 'ext4', '-b', '1024', '-L', 'vireo-root', '-m', '0', '-E', extended];
  await unpacked.run('usr/sbin/mke2fs', [...options, '-d', root, image, `${size / 1024}k`]);
  // Whoever built the image owns the files in it; in the guest they belong to root, and a home to its user.
  const paths = (await readdir(root, { recursive: true })).map((path) => `/${path}`);
  const owner = (path: string) => (path.startsWith('/home/') ? 1000 : 0);
  const lines = paths.flatMap((path) => [`sif ${path} uid ${owner(path)}`, `sif ${path} gid ${owner(path)}`]);
  const commands = join(scratch, 'owners');
  await writeFile(commands, `${lines.join('\n')}\n`);
  await unpacked.run('usr/sbin/debugfs', ['-w', '-f', commands, `${image}?offset=${start}`]);
}
