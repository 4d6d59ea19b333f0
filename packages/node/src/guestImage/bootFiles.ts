import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine } from './contents.ts';
import type { BootFiles } from './disk.ts';
import { compressedKernel, plainKernel } from './plainKernel.ts';
import { makeInitramfs } from './rootTrees.ts';
import type { Unpacked } from './unpacked.ts';

/** What the two boot loaders need: syslinux for a BIOS, systemd-boot for UEFI. */
export async function makeBootFiles(unpacked: Unpacked, files: string, scratch: string): Promise<BootFiles> {
  const configuration = async (name: string) =>
    Buffer.from((await readFile(join(files, 'boot', name), 'utf8')).replace('@COMMAND_LINE@', commandLine));
  const kernel = await readFile(unpacked.path('boot', `vmlinuz-${await unpacked.kernelVersion()}`));
  return {
    vmlinuz: kernel,
    'kernel.bin': await unpackKernel(unpacked, kernel, scratch),
    initrd: await makeInitramfs(unpacked, join(files, 'initramfs'), join(scratch, 'initramfs')),
    'syslinux.cfg': await configuration('syslinux.cfg'),
    'EFI/BOOT/BOOTX64.EFI': await readFile(unpacked.path('usr/lib/systemd/boot/efi/systemd-bootx64.efi')),
    'loader/loader.conf': await configuration('loader.conf'),
    'loader/entries/vireo.conf': await configuration('vireo.conf'),
  };
}

async function unpackKernel(unpacked: Unpacked, kernel: Buffer, scratch: string): Promise<Buffer> {
  const vmlinux = join(scratch, 'vmlinux');
  await writeFile(`${vmlinux}.xz`, compressedKernel(kernel));
  await unpacked.run('usr/bin/xz', ['--decompress', `${vmlinux}.xz`]);
  return plainKernel(kernel, await readFile(vmlinux));
}
