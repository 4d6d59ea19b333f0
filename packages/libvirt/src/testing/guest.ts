import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bootSector } from './bootSector.ts';

export const greeting = '\r\nguest is up\r\n';
const farewell = '\r\nguest goes down\r\n';

/** Writes a disk that the tiny guest boots from, and returns its path. */
export async function writeGuestDisk(directory: string): Promise<string> {
  const path = join(directory, 'guest.img');
  await writeFile(path, bootSector({ greeting, farewell }));
  await truncate(path, 1024 * 1024);
  return path;
}

/** A real domain with the tiny guest: emulated, so that it runs anywhere. */
export const guestXml = (name: string, disk: string): string => `
<domain type='qemu'>
  <name>${name}</name>
  <memory unit='MiB'>32</memory>
  <vcpu>1</vcpu>
  <os><type arch='x86_64' machine='q35'>hvm</type></os>
  <features><acpi/></features>
  <devices>
    <disk type='file' device='disk'>
      <driver name='qemu' type='raw'/><source file='${disk}'/><target dev='vda' bus='virtio'/><readonly/>
    </disk>
    <disk type='file' device='cdrom'><target dev='sda' bus='sata'/><readonly/></disk>
    <controller type='usb' model='none'/>
    <serial type='pty'/>
    <channel type='unix'><target type='virtio' name='org.qemu.guest_agent.0'/></channel>
    <video><model type='vga'/></video>
    <memballoon model='none'/>
  </devices>
</domain>`;

/** A domain of the simulated driver. */
export const simulatedXml = (name: string): string => `
<domain type='test'><name>${name}</name><memory unit='MiB'>64</memory><os><type>hvm</type></os>
<devices>
  <disk type='file' device='disk'><source file='/simulated.img'/><target dev='vda' bus='virtio'/></disk>
  <interface type='bridge'><mac address='52:54:00:00:00:01'/><source bridge='br0'/><target dev='net0'/></interface>
  <memballoon model='virtio'/>
</devices></domain>`;
