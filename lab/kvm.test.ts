import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootSectorDisk, bootSectorMarker } from '@vireo/node/guestImage/bootSectorGuest.ts';
import { expect, it } from 'vitest';
import { isLab } from './capabilities.ts';

/** What a guest of that accelerator says on its serial port, up to its marker or its end. */
async function serialOutput(accelerator: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-lab-kvm-'));
  try {
    const disk = join(directory, 'disk.raw');
    await writeFile(disk, bootSectorDisk());
    const machine = ['-machine', 'q35', '-m', '64', '-nodefaults', '-display', 'none', '-serial', 'stdio'];
    const drive = ['-drive', `file=${disk},format=raw,if=virtio`];
    const qemu = spawn('qemu-system-x86_64', [...accelerator, ...machine, ...drive], { stdio: 'pipe' });
    let output = '';
    for (const stream of [qemu.stdout, qemu.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk;
        if (output.includes(bootSectorMarker)) qemu.kill('SIGKILL');
      });
    await new Promise((resolve) => qemu.once('close', resolve));
    return output;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

// The processor that is emulated for the lab has AMD's virtualization, so the lab's kernel offers KVM.
it.skipIf(!isLab).each([
  ['KVM', ['-accel', 'kvm', '-cpu', 'host']],
  ['emulation in emulation', ['-accel', 'tcg', '-cpu', 'max']],
])('a guest boots by %s', async (_, accelerator) => {
  expect(await serialOutput(accelerator)).toContain(bootSectorMarker);
});
