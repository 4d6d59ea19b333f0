import type { DomainRef, ReconnectingLibvirt } from '@vireo/libvirt';

/** A block device as QEMU tells of it, as far as trays are concerned. */
interface BlockDevice {
  readonly qdev?: string;
  readonly locked?: boolean;
  readonly tray_open?: boolean;
}

type Calls = Pick<ReconnectingLibvirt['calls'], 'monitorCommand'>;

/** Whether the guest holds the tray of a drive shut, as systems do while its disc is mounted. */
export async function isTrayLocked(calls: Calls, domain: DomainRef, drive: string): Promise<boolean> {
  const answer = await calls.monitorCommand(domain, JSON.stringify({ execute: 'query-block' }));
  return isLockedIn(answer, drive);
}

/** Reads QEMU's answer. libvirt has no call that tells of locks. */
function isLockedIn(answer: string, drive: string): boolean {
  const { return: devices = [] } = JSON.parse(answer) as { return?: readonly BlockDevice[] };
  const device = devices.find(({ qdev = '' }) => qdev.split('/').includes(`ua-${drive}`));
  return device?.locked === true && device.tray_open !== true;
}

/** Presses the button of a drive: a guest that hears it unmounts the disc and opens the tray. QEMU refuses meanwhile. */
export async function pressEject(calls: Calls, domain: DomainRef, drive: string): Promise<void> {
  const command = { execute: 'blockdev-open-tray', arguments: { id: `ua-${drive}` } };
  await calls.monitorCommand(domain, JSON.stringify(command));
}
