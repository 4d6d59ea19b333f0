import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine } from './contents.ts';
import type { BootFiles } from './disk.ts';
import { compressedKernel, plainKernel } from './plainKernel.ts';
import { makeInitramfs, makeSignedModules } from './rootTrees.ts';
import type { Unpacked } from './unpacked.ts';

/** What the two boot loaders need: syslinux for a BIOS, GRUB for UEFI, let in by the shim that firmware trusts. */
export async function makeBootFiles(unpacked: Unpacked, files: string, scratch: string): Promise<BootFiles> {
  const configuration = async (name: string) =>
    Buffer.from((await readFile(join(files, 'boot', name), 'utf8')).replace('@COMMAND_LINE@', commandLine));
  const kernel = await readFile(unpacked.path('boot', `vmlinuz-${await unpacked.kernelVersion()}`));
  return {
    vmlinuz: kernel,
    'kernel.bin': await unpackKernel(unpacked, kernel, scratch),
    initrd: await makeInitramfs(unpacked, join(files, 'initramfs'), join(scratch, 'initramfs')),
    'syslinux.cfg': await configuration('syslinux.cfg'),
    'modules.signed': await makeSignedModules(unpacked, join(scratch, 'signed')),
    'EFI/BOOT/BOOTX64.EFI': await readFile(unpacked.path('usr/lib/shim/shimx64.efi.signed')),
    'EFI/BOOT/grubx64.efi': await readFile(unpacked.path('usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed')),
    // Where Debian's GRUB looks, whatever it was started from.
    'EFI/debian/grub.cfg': await configuration('grub.cfg'),
  };
}

async function unpackKernel(unpacked: Unpacked, kernel: Buffer, scratch: string): Promise<Buffer> {
  const vmlinux = join(scratch, 'vmlinux');
  await writeFile(`${vmlinux}.xz`, compressedKernel(kernel));
  await unpacked.run('usr/bin/xz', ['--decompress', `${vmlinux}.xz`]);
  return plainKernel(kernel, await readFile(vmlinux));
}
