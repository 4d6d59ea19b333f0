import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { runCommand } from '@vireo/node/guestImage/command.ts';
import { compressedKernel } from '@vireo/node/guestImage/plainKernel.ts';

export interface Kernel {
  readonly kernel: string;
  readonly initramfs: string;
}

/** Debian's kernel and its initramfs unpacked: an emulated processor would take many seconds to do so at every boot. */
export async function unpackKernel(image: string): Promise<Kernel> {
  const [kernel, initramfs] = [join(image, 'vmlinux'), join(image, 'initrd')];
  if (!existsSync(initramfs)) {
    const ours = (path: string): string => `${path}.${process.pid}`;
    await writeFile(`${ours(kernel)}.xz`, compressedKernel(await readFile(join(image, 'vmlinuz'))));
    await runCommand('xz', ['--decompress', '--force', `${ours(kernel)}.xz`]);
    await rename(ours(kernel), kernel);
    await writeFile(ours(initramfs), gunzipSync(await readFile(join(image, 'initrd.gz'))));
    await rename(ours(initramfs), initramfs);
  }
  return { kernel, initramfs };
}
